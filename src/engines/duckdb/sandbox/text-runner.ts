import { constants, getPriority, setPriority } from 'node:os';
import { runSteps } from '../../../concurrency/loop-turns.ts';
import { judged } from '../../../catalog/binding/caller-sql.ts';
import { maxCallerResultBytes } from '../../../engine-contract/engine-errors.ts';
import {
  bindingsOf,
  callerLimits,
  calledMacros,
  HostWork,
  sessionSettings,
  type OutlinePlan,
  planByOutline,
} from '@querygate/bigquery-sql/duckdb';
import { judgeByOutline, type Outline, storedTypes, type TableRead } from '@querygate/bigquery-sql/sandbox';
import { type Compiled, quoteText } from '@querygate/bigquery-sql/tree';
import { duckdbType, quote, type Type, unknown } from '@querygate/bigquery-sql/types';
import { openDatabase } from '../open-database.ts';
import { areKnown, callerColumns, columnTypes, knownColumns } from '../prepare/caller-columns.ts';
import { buildDefineMacros } from '../run/define-macros.ts';
import { interruptOnAbort } from '../run/interrupt-on-abort.ts';
import { openWorker } from '../run/worker.ts';
import { rowTexts } from '../wire/rows.ts';
import type { SandboxSettings, TextRequest, TextResult } from './messages.ts';
import { warmUp } from './warm-up.ts';

/** Runs callers' SQL, one text at a time, in a process that has nothing but the rows that the text reads. */
export interface TextRunner {
  /** Takes an outline, which requests name by its number. */
  addOutline(id: number, outline: Outline): void;
  /** @throws GatewayError INVALID_PARAMETER if it is not one SELECT over the common tables */
  judge(request: TextRequest): JudgedText;
  /** Runs texts over no rows, while no other text runs. @throws the signal's reason, or Error, when it is aborted */
  warmUp(signal: AbortSignal): Promise<void>;
}

/** A text that may run. */
export interface JudgedText {
  readonly reads: readonly TableRead[];
  /**
   * @param files Parquet files with the rows of each read, in the order of `reads`
   * @returns the result, and its rows as they are sent
   */
  run(
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly result: TextResult; readonly rows: Buffer }>;
}

interface KnownOutline {
  readonly outline: Outline;
  readonly judge: (sql: string) => Compiled;
  /** By table and path. */
  readonly types: ReadonlyMap<string, ReadonlyMap<string, Type>>;
}

interface Text {
  readonly compiled: Compiled;
  readonly request: TextRequest;
  readonly known: KnownOutline;
}

/** Saved queries and other callers go first. */
const lowered = 5;
const lowestPriority = constants.priority.PRIORITY_LOW;

export async function openTextRunner({
  folder,
  memoryBytes,
  diskBytes,
}: SandboxSettings): Promise<TextRunner> {
  const database = await openDatabase({ threads: 1, memoryLimit: `${Math.floor(memoryBytes / 1024)}KiB` });
  const connection = await database.connect();
  await connection.run(sessionSettings.join(';'));
  await connection.run(`SET temp_directory = ${quoteText(`${folder}/spill`)};
    SET enable_external_file_cache = false; SET max_temp_directory_size = '${Math.floor(diskBytes / 1024)}KiB';
    SET allowed_directories = [${quoteText(folder)}]; SET enable_external_access = false; SET lock_configuration = true`);
  const worker = openWorker(connection, database.hostWorks);
  const defineMacros = buildDefineMacros(connection, new Set());
  const outlines = new Map<number, KnownOutline>();
  setPriority(Math.min(lowestPriority, getPriority() + lowered));

  const runText = async (
    text: Text,
    judgedPlan: OutlinePlan,
    files: readonly string[],
    signal: AbortSignal,
  ) => {
    const { compiled, request } = text;
    const { reads } = judgedPlan;
    signal.throwIfAborted();
    const stopInterrupting = interruptOnAbort(signal, worker);
    worker.beginWork(new HostWork(callerLimits, signal));
    try {
      for (const [at, read] of reads.entries())
        await connection.run(viewSql(read, files[at] ?? '', text.known.types.get(read.table)));
      await defineMacros(calledMacros(compiled.query));
      signal.throwIfAborted();
      const types = await columnTypes(connection, compiled);
      const { columns, resultColumns } = callerColumns(types);
      const { sql, bindings } = areKnown(knownColumns(compiled)) ? judgedPlan : planText(text, columns);
      const result = await worker.runOnce(sql, bindings);
      signal.throwIfAborted();
      const texts = runSteps(rowTexts(result, columns, request.maxRows, maxCallerResultBytes));
      return {
        result: {
          rowCount: texts.length,
          truncated: result.rowCount > request.maxRows,
          columns: resultColumns,
        },
        rows: Buffer.from(`{"result":[${texts.join(',')}]}`),
      };
    } finally {
      stopInterrupting();
      await worker.release();
    }
  };

  const runner: TextRunner = {
    addOutline(id, outline) {
      const types = new Map(outline.tables.map((table) => [table.name, storedTypes(table)]));
      outlines.set(id, { outline, judge: judgeByOutline(outline), types });
    },
    judge(request) {
      const known = outlines.get(request.outline);
      if (known === undefined) throw new Error('an outline that was not sent');
      const compiled = judged(() => known.judge(request.sql));
      const text = { compiled, request, known };
      const plan = planText(text, callerColumns(knownColumns(compiled)).columns);
      return { reads: plan.reads, run: (files, signal) => runText(text, plan, files, signal) };
    },
    warmUp: (signal) => warmUp(runner, connection, { folder, signal }),
  };
  return runner;
}

function planText(
  { compiled, request, known: { outline } }: Text,
  columns: ReturnType<typeof callerColumns>['columns'],
): OutlinePlan {
  const { parameters, now, maxRows, known } = request;
  return planByOutline(outline, compiled.query, {
    columns,
    maxRows,
    known,
    bindings: bindingsOf(parameters, new Date(now), outline.parameters),
    // DuckDB knows the types of the others only when the rows are there.
    withPasses: areKnown(knownColumns(compiled)),
  });
}

/** A common table by its name, with the columns that are read. */
function viewSql(
  { table, columns }: TableRead,
  file: string,
  types: ReadonlyMap<string, Type> = new Map(),
): string {
  const list = columns.map((path, at) => {
    const type = duckdbType(types.get(path) ?? unknown);
    // Parquet does not have all types: these are text in it.
    return `${type === undefined ? `c${at}` : `CAST(c${at} AS ${type})`} AS ${quote(path)}`;
  });
  const selected = list.length > 0 ? list.join(', ') : 'c0';
  return `CREATE OR REPLACE TEMP VIEW ${quote(table)} AS SELECT ${selected} FROM read_parquet(${quoteText(file)})`;
}
