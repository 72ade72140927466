import type { Bindings, Compute, Plan } from '@querygate/bigquery-sql/duckdb';
import type { FilesReading } from '@querygate/duckdb-import';
import { untilAborted } from '../../../concurrency/abort.ts';
import { GatewayError } from '../../../errors.ts';
import type { LocalData } from '../data/local-data.ts';

/** How often a query runs whose files change meanwhile, before it fails. */
const maxRuns = 5;

/** A file has changed while it was read. */
class FilesChanged extends Error {}

/**
 * Runs a query that reads files where they are. If one of them changes meanwhile, or is removed, the query runs again over the
 * files as they are then: it never has rows of both.
 *
 * @param run reads tables; it gets undefined if they have no files. It ends its use of a version of the queries: the data waits
 * for that while it opens other files
 */
export async function runOverFiles<T>(
  { files, refresh, blame }: Pick<LocalData, 'files' | 'refresh' | 'blame'>,
  signal: AbortSignal,
  run: (read: LocalData['files']['read']) => Promise<T>,
): Promise<T> {
  for (let left = maxRuns; ; left -= 1) {
    let reading: FilesReading | undefined;
    try {
      return await run((tables) => (reading = files.read(tables)));
    } catch (error) {
      if (reading === undefined || signal.aborted || error instanceof GatewayError) throw error;
      // The catalog of a lake may be what cannot be read.
      const isChanged = error instanceof FilesChanged || !(await reading.isUnchanged().catch(() => true));
      if (!isChanged && !(await untilAborted(blame(reading.files(), error), signal))) throw error;
      if (left === 1)
        throw new GatewayError('DATA_UNREADABLE', 'A data file is replaced faster than it can be read', {
          cause: error,
        });
    }
    await untilAborted(refresh(), signal);
  }
}

/** The SQL of a plan over the files that may have rows for the values of a run. */
export async function sqlOverFiles(
  { sql, inFiles }: Plan,
  bindings: Bindings,
  reading?: FilesReading,
): Promise<string> {
  if (!inFiles || !reading) return sql;
  const relations = await reading.relations(inFiles.reads, bindings);
  return relations ? inFiles.sql(relations) : sqlOverAll(sql, reading);
}

interface Values {
  readonly bindings: Bindings;
  /** With the constants of the plan; undefined if one of them could not be computed. */
  readonly computed: Bindings | undefined;
  readonly compute: Compute;
  readonly reading: FilesReading | undefined;
}

/**
 * The SQL of a plan, and what it binds. A constant that could not be computed may be one that no row needs: the SQL then computes
 * all of them where they are used.
 *
 * @param generic the SQL for all values, of tables as they are now
 */
export async function boundSql(
  plan: Plan,
  generic: () => string,
  { bindings, computed, compute, reading }: Values,
): Promise<{ readonly sql: string; readonly values: Bindings }> {
  if (computed !== undefined) return { sql: await sqlOverFiles(plan, computed, reading), values: computed };
  const { atTimes } = plan;
  if (atTimes === undefined) return { sql: sqlOverAll(generic(), reading), values: bindings };
  const values = await compute(atTimes.constants, bindings);
  return { sql: await sqlOverFiles(atTimes, values, reading), values };
}

/** SQL that reads all files. */
function sqlOverAll(sql: string, reading: FilesReading | undefined): string {
  reading?.readAll();
  return sql;
}

/** Called when the rows have been read, and before anything uses them. @throws Error that `runOverFiles` takes */
export async function requireUnchanged(reading: FilesReading | undefined): Promise<void> {
  if (reading !== undefined && !(await reading.isUnchanged())) throw new FilesChanged('a file has changed');
}
