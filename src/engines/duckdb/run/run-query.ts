import type { DuckDBMaterializedResult } from '@duckdb/node-api';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { openLinkedAbort } from '../../../concurrency/abort.ts';
import { computingOwner, type LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { PerOwnerQueue } from '../../../concurrency/per-owner-queue.ts';
import type { VersionedRef } from '../../../concurrency/versioned-ref.ts';
import { callerDisconnected, GatewayError } from '../../../errors.ts';
import type { Engine, Rows, RunOptions } from '../../../engine-contract/engine.ts';
import { deadlineExceeded, engineClosing } from '../../../engine-contract/engine-errors.ts';
import { type Bindings, bindingsOf, type HostWork, type Plan } from '@querygate/bigquery-sql/duckdb';
import { problemOf } from '@querygate/bigquery-sql/problem';
import type { Runnable } from '../prepare/prepare-catalog.ts';
import type { Plans } from '../prepare/plans.ts';
import type { PreparedQuery } from '../prepare/prepare-query.ts';
import { withRelations } from '../prepare/shared-parts.ts';
import { rowTexts } from '../wire/rows.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { DefineMacros } from './define-macros.ts';
import { explainFailure } from './explain-failure.ts';
import { interruptOnAbort } from './interrupt-on-abort.ts';
import { type KeptParts, RowsChanged, type TakenParts } from './kept-parts.ts';
import type { RunWithJavascript } from '../javascript/javascript-apart.ts';
import { runCallerSql } from './run-caller-sql.ts';
import { boundSql, requireUnchanged, runOverFiles, sqlOverFiles } from './over-files.ts';
import type { FilesReading } from '@querygate/duckdb-import';
import { dataUnreadable, type LocalData } from '../data/local-data.ts';

/** The queries that can run. */
export interface RunnableQueries {
  get(query: SavedQuery): Runnable | undefined;
  /** A form of one of them that a caller has caused; undefined if it is of none of them. @throws StartError if it cannot run */
  prepareForm(form: SavedQuery): Promise<Runnable | undefined>;
}

/**
 * Runs a caller's SQL over a saved query.
 *
 * @param requireData throws GatewayError DATA_UNREADABLE if one of the tables has a problem
 * @param reading the files that the tables of the saved query have
 */
export type RunCallerSql = (
  query: Runnable,
  bound: BoundQuery & { readonly sql: string },
  options: RunOptions,
  requireData: (tables: readonly string[]) => void,
  reading: FilesReading | undefined,
) => Promise<Rows>;

interface RunContext {
  readonly pool: ConnectionPool;
  readonly parts: KeptParts;
  readonly runnable: VersionedRef<RunnableQueries>;
  readonly data: Pick<LocalData, 'problems' | 'files' | 'refresh' | 'blame'>;
  readonly timeoutMs: number;
  readonly turns: LoopTurns;
  /** Reads the rows of one result after the other: half of them would only take memory. */
  readonly reading: PerOwnerQueue;
  readonly now: () => Date;
  readonly javascript: RunWithJavascript;
  readonly defineMacros: DefineMacros;
  readonly onFailure: (error: unknown) => void;
  /** Where callers' SQL runs, if not beside saved queries. */
  readonly runCallerSql?: RunCallerSql | undefined;
  /** Aborted when the engine closes; it stops every run. */
  readonly closing: AbortSignal;
}

/** The failure of a function names it as its author does, for the log. */
function withWrittenNames(cause: unknown, { query: { source } }: BoundQuery): unknown {
  if (!(cause instanceof Error) || source.written === undefined) return cause;
  const { message } = problemOf(source, cause.message);
  return message === cause.message ? cause : new Error(message, { cause });
}

/** Runs prepared queries, each within one deadline that includes the wait for a worker. */
export function buildRun(context: RunContext): Engine['run'] {
  const { closing, runnable, timeoutMs, data, onFailure } = context;
  const requireRead = (tables: readonly string[]) => requireData(tables, data.problems);
  const callers = { ...context, requireData: requireRead };
  const runSql: RunCallerSql =
    context.runCallerSql ??
    ((query, bound, options, _, reading) => runCallerSql(callers, query, bound, options, reading));

  const runWithin = async (
    bound: BoundQuery,
    { signal: caller, ...options }: RunOptions,
    run: (options: RunOptions) => Promise<Rows>,
  ) => {
    const timeout = { ms: timeoutMs, reason: () => timedOut };
    const abort = openLinkedAbort({ follow: [caller, closing], timeout });
    try {
      return await run({ ...options, signal: abort.signal });
    } catch (cause) {
      if (closing.aborted) throw engineClosing(cause);
      onFailure(cause);
      if (abort.signal.reason === timedOut) throw deadlineExceeded(timeoutMs, cause);
      if (abort.signal.aborted) throw callerDisconnected(cause);
      throw cause instanceof GatewayError ? cause : explainFailure(withWrittenNames(cause, bound), bound);
    } finally {
      abort.release();
    }
  };

  /** In a turn of the event loop: to compile it takes some milliseconds. */
  const prepareForm = async (queries: RunnableQueries, bound: BoundQuery, { owner }: RunOptions) => {
    await context.turns.wait(computingOwner(owner));
    return queries.prepareForm(bound.query).catch((cause: unknown) => {
      throw explainFailure(cause, bound);
    });
  };

  return (bound, options) =>
    runWithin(bound, options, (within) =>
      runOverFiles(data, within.signal, (read) =>
        runnable.use(async (queries) => {
          const query = queries.get(bound.query) ?? (await prepareForm(queries, bound, options));
          if (query === undefined) throw new Error(`${bound.query.name} was not prepared`);
          const { sql } = bound;
          // SQL of callers may read some of them only.
          const requireTables = () => requireRead(sql === undefined ? query.tables : []);
          requireTables();
          const reading = read(query.tables);
          const rows =
            sql === undefined
              ? await runPrepared(context, query.prepared(), { bound, requireTables, files: reading }, within)
              : await runSql(query, { ...bound, sql }, within, requireRead, reading);
          const { dataVersion } = reading ?? {};
          return dataVersion === undefined ? rows : Object.assign(rows, { dataVersion });
        }),
      ),
    );
}

/** The reason of an abort by the deadline. */
const timedOut = new Error('timed out');

/** @throws GatewayError DATA_UNREADABLE if one of the tables has a problem */
function requireData(tables: readonly string[], dataProblems: ReadonlyMap<string, string>): void {
  const broken = tables.find((table) => dataProblems.has(table));
  // The problem quotes rows, which may be another project's: it is for the log only.
  if (broken !== undefined)
    throw new GatewayError('DATA_UNREADABLE', dataUnreadable, { cause: dataProblems.get(broken) });
}

/** A refresh of a wave reads the rows of materialized parts that others of the wave read, if that is possible. */
async function runPrepared(
  context: RunContext,
  prepared: PreparedQuery,
  { bound, requireTables, files }: Omit<Values, 'bindings'>,
  options: RunOptions,
): Promise<Rows> {
  const { wave, signal, owner, onStart } = options;
  const moment = wave === undefined ? context.now() : new Date(wave.moment);
  // One moment: a later one would call functions with other arguments.
  const bindings = bindingsOf(bound.parameters, moment, bound.query.parameters);
  const values = { bound, bindings, requireTables, files };
  const sharing = wave && prepared.sharing();
  // Each reader runs the SQL of its parts, also if another one computes them for it.
  if (sharing) onStart?.();
  for (let attempt = 0; attempt < 2 && wave && sharing; attempt += 1) {
    const rows = await context.parts.take(sharing.parts, { ...values, wave, signal, owner });
    if (rows === undefined) break;
    try {
      // The parts have read files too.
      files?.readAll();
      return await runPlans(context, { ...prepared, ...sharing }, values, options, rows);
    } catch (error) {
      if (signal.aborted) throw error;
      // Any other error is the query's own, which it then has without them too.
      if (!(error instanceof RowsChanged)) break;
    } finally {
      rows.release();
    }
  }
  return runPlans(context, prepared, values, options);
}

/** The values of a run, and the files that it reads. */
interface Values {
  readonly bound: BoundQuery;
  readonly bindings: Bindings;
  /** @throws GatewayError DATA_UNREADABLE if a table has a problem */
  readonly requireTables: () => void;
  readonly files: FilesReading | undefined;
}

function runPlans(
  { pool, turns, reading, javascript }: RunContext,
  { generic, plan: planFor, columns }: Plans & Pick<PreparedQuery, 'columns'>,
  { bound, bindings, requireTables, files }: Values,
  { signal, owner, onStart, beforeRows }: RunOptions,
  parts?: TakenParts,
): Promise<Rows> {
  const { maxRows } = bound.query;
  const plan = planFor(bound.parameters);
  const use = { key: plan.sql, name: bound.query.name, owner, isCallerSql: false, signal };
  const run = (work: HostWork) =>
    pool.use(use, async (worker, signal, onResult) => {
      signal.throwIfAborted();
      onStart?.();
      const stopInterrupting = interruptOnAbort(signal, worker);
      worker.beginWork(work);
      try {
        const withConstants = await worker.compute(plan.constants, bindings).catch(() => undefined);
        signal.throwIfAborted();
        work.apart?.requireComplete();
        // A file may have been replaced in part while the run waited for a worker.
        requireTables();
        await parts?.beginSnapshot(worker);
        const runOne = (sql: string, values: Bindings) =>
          parts === undefined
            ? worker.run(sql, values)
            : worker.runOnce(withRelations(sql, parts.relations), values);
        const result = await (withConstants === undefined
          ? boundSql(plan, () => generic, {
              ...{ bindings, computed: undefined, compute: worker.compute, reading: files },
            }).then(({ sql, values }) => runOne(sql, values))
          : runSteps(plan, withConstants, files, {
              run: runOne,
              begin: async () => parts ?? worker.beginSnapshot(),
            }));
        signal.throwIfAborted();
        await requireUnchanged(files);
        onResult();
        // The worker is kept: another result would only wait, too.
        await beforeRows?.(signal);
        const rows = await reading.run(owner, () => turns.compute(owner, rowTexts(result, columns, maxRows)));
        return { rows, truncated: result.rowCount > maxRows };
      } finally {
        stopInterrupting();
        await worker.release();
      }
    });
  return javascript.run({ owner, signal }, run);
}

/** Runs a plan, or, if it has steps, these in one snapshot. */
async function runSteps(
  plan: Plan,
  values: Bindings,
  files: FilesReading | undefined,
  {
    run,
    begin,
  }: {
    run(sql: string, values: Bindings): Promise<DuckDBMaterializedResult>;
    begin(): Promise<unknown>;
  },
): Promise<DuckDBMaterializedResult> {
  const { inSteps } = plan;
  if (inSteps === undefined) return run(await sqlOverFiles(plan, values, files), values);
  await begin();
  const known = new Map(values);
  for (const { name, plan: limit } of inSteps.limits) {
    const result = await run(await sqlOverFiles(limit, values, files), values);
    known.set(name, { value: result.getChunk(0).getRowValues(0)[0] ?? null, type: result.columnType(0) });
  }
  return run(await sqlOverFiles(inSteps.last, known, files), known);
}
