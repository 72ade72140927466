import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLinkedAbort } from '../../../concurrency/abort.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { GatewayError } from '../../../errors.ts';
import { type Bindings, calledMacros, type HostWork, printPlan } from '@querygate/bigquery-sql/duckdb';
import { duckdbText, type KnownValues } from '@querygate/bigquery-sql/passes';
import type { ExportedTable, TableRead } from '@querygate/bigquery-sql/sandbox';
import { type Query, quoteText } from '@querygate/bigquery-sql/tree';
import type { ConnectionPool } from '../run/connection-pool.ts';
import type { DefineMacros } from '../run/define-macros.ts';
import type { RunWithJavascript } from '../javascript/javascript-apart.ts';
import { interruptOnAbort } from '../run/interrupt-on-abort.ts';
import type { Worker } from '../run/worker.ts';
import { boundSql, requireUnchanged } from '../run/over-files.ts';
import type { FilesReading } from '@querygate/duckdb-import';

interface ExportContext {
  readonly pool: ConnectionPool;
  readonly defineMacros: DefineMacros;
  readonly javascript: RunWithJavascript;
  /** The most that all files of one text may have. */
  readonly maxBytes: number;
}

/** The rows that one text reads. */
interface RowsToExport {
  /** Of the saved query. */
  readonly name: string;
  /** The same for texts that read about as many rows. */
  readonly key: string;
  readonly owner: Owner;
  readonly signal: AbortSignal;
  readonly tables: readonly ExportedTable[];
  readonly reads: readonly TableRead[];
  /** The files that the tables have. */
  readonly reading?: FilesReading | undefined;
  readonly known: KnownValues;
  /** The parameters of the saved query, which choose the tenant; a text has no other ones. */
  readonly bindings: Bindings;
  /** Where the files are written. */
  readonly folder: string;
}

/** Small groups are skipped by their smallest and largest values, and take little memory while they are written. */
const format = '(FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 24576, USE_TMP_FILE false)';

/**
 * Writes the rows that a text reads into Parquet files: of the common tables of its saved query, for the parameters with
 * which it was bound.
 *
 * @returns a file for each read
 * @throws GatewayError QUERY_TOO_EXPENSIVE if the files would be too large; the signal's reason; Error if a read names
 * what its table does not have
 */
export async function exportRows(context: ExportContext, rows: RowsToExport): Promise<readonly string[]> {
  const { key, owner, tables, reads, known, folder } = rows;
  if (reads.length === 0) return [];
  const exports = reads.map((read) => {
    const table = tables.find(({ outline }) => outline.name === read.table);
    if (table === undefined) throw new Error(`${read.table} is not a common table`);
    return {
      query: table.query(read, known),
      allRows: () => table.query({ ...read, where: [], orderBy: [], limit: undefined }, known),
    };
  });
  const written = new Set<string>();
  await context.defineMacros(exports.flatMap(({ query }) => calledMacros(query)));
  const bounded = abortAbove(context.maxBytes, written, rows.signal);
  try {
    const use = { key, name: rows.name, owner, isCallerSql: true, signal: bounded.signal };
    const run = (work: HostWork) =>
      context.pool.use(use, async (worker, signal, onResult) => {
        // DuckDB remembers what it has read of a file, by its name; and a run before this one may still write its own.
        const files = exports.map(() => join(folder, `${randomUUID()}.parquet`));
        for (const file of files) written.add(file);
        let isComplete = false;
        const stopInterrupting = interruptOnAbort(signal, worker);
        worker.beginWork(work);
        try {
          // Before the snapshot: a constant that fails would end it.
          const selects = [];
          for (const one of exports) selects.push(await selectFor(worker, one, rows, work));
          // All tables are those of one moment.
          if (reads.length > 1) await worker.beginSnapshot();
          for (const [at, { sql, values }] of selects.entries()) {
            signal.throwIfAborted();
            await worker.runOnce(`COPY (${sql}) TO ${quoteText(files[at] ?? '')} ${format}`, values);
          }
          await requireUnchanged(rows.reading);
          onResult();
          isComplete = true;
          return files;
        } finally {
          stopInterrupting();
          await worker.release();
          // The files of an aborted run have no reader.
          if (!isComplete || signal.aborted) removeFiles(files);
        }
      });
    const complete = await context.javascript.run({ owner, signal: bounded.signal }, run);
    bounded.check();
    return complete;
  } catch (error) {
    removeFiles(written);
    throw bounded.signal.aborted ? bounded.signal.reason : error;
  } finally {
    bounded.release();
  }
}

/** Removes files without waiting for it. */
export function removeFiles(files: Iterable<string>): void {
  for (const file of files) rm(file, { force: true }).catch(() => {});
}

interface Export {
  readonly query: Query;
  /** The same without what the text compares. */
  allRows(): Query;
}

/** The SQL of an export, and what it binds. */
async function selectFor(
  { compute }: Worker,
  { query, allRows }: Export,
  { bindings, reading }: RowsToExport,
  work: HostWork,
): ReturnType<typeof boundSql> {
  const planned = printPlan(query);
  const computed = await compute(planned.constants, bindings).catch(() => undefined);
  work.apart?.requireComplete();
  // A constant that fails may be one that no row needs. Which rows there are must not be up to the text then.
  const all = computed === undefined ? allRows() : query;
  const plan = computed === undefined ? printPlan(all) : planned;
  return boundSql(plan, () => duckdbText(all), { bindings, computed, compute, reading });
}

const lookEveryMs = 50;

/** A signal that is aborted when files become too large. */
function abortAbove(maxBytes: number, files: ReadonlySet<string>, signal: AbortSignal) {
  const abort = openLinkedAbort({ follow: [signal] });
  const check = () => {
    const sizes = [...files].map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    if (sizes.reduce((sum, size) => sum + size, 0) <= maxBytes) return;
    abort.abort(tooManyRows(maxBytes));
    abort.signal.throwIfAborted();
  };
  const timer = setInterval(() => {
    try {
      check();
    } catch {
      clearInterval(timer);
    }
  }, lookEveryMs).unref();
  return {
    signal: abort.signal,
    check,
    release() {
      clearInterval(timer);
      abort.release();
    },
  };
}

const tooManyRows = (maxBytes: number): GatewayError =>
  new GatewayError(
    'QUERY_TOO_EXPENSIVE',
    `sql: reads more than ${maxBytes.toLocaleString('en-US')} bytes of rows; select fewer columns, or a shorter time`,
  );
