import type { DuckDBValue } from '@duckdb/node-api';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { callerGone, GatewayError } from '../../../errors.ts';
import type { Engine, Rows } from '../../engine.ts';
import { deadlineExceeded, engineClosing, missingRequiredColumn } from '../../engine-errors.ts';
import type { Runnable } from '../prepare/prepare-catalog.ts';
import type { Plan, PreparedQuery } from '../prepare/prepare-query.ts';
import { readRows } from '../wire/read-rows.ts';
import { type Bindings, bindingsOf } from './bindings.ts';
import { withThresholds } from './compute-constants.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { explainFailure } from './explain-failure.ts';
import type { VersionedRef } from './versioned-ref.ts';
import type { Worker } from './worker.ts';

interface RunContext {
  readonly pool: ConnectionPool;
  readonly runnable: VersionedRef<ReadonlyMap<SavedQuery, Runnable>>;
  /** What is wrong with a table's data, by table. */
  readonly dataProblems: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
  readonly now: () => Date;
  /** Aborted when the engine closes: stops what runs. */
  readonly closing: AbortSignal;
}

/** Runs prepared queries, each within one deadline that covers waiting for a connection too. */
export function openRun({
  pool,
  runnable,
  dataProblems,
  timeoutMs,
  now,
  closing,
}: RunContext): Engine['run'] {
  const runWith = async (known: Runnable | undefined, bound: BoundQuery, signal: AbortSignal) => {
    if (known === undefined) throw new Error(`${bound.query.name} was not prepared`);
    const broken = known.tables
      .map((table) => dataProblems.get(table))
      .find((problem) => problem !== undefined);
    // The problem quotes rows, which may be another project's: it is for the log.
    if (broken !== undefined) throw new GatewayError('DATA_UNREADABLE', unreadable, { cause: broken });

    const deadline = AbortSignal.timeout(timeoutMs);
    const either = AbortSignal.any([signal, deadline, closing]);
    try {
      return await runOnce(pool, known.prepared, bound, now(), either);
    } catch (cause) {
      if (closing.aborted) throw engineClosing(cause);
      if (deadline.aborted) throw deadlineExceeded(timeoutMs, cause);
      // Not the caller's own signal: the one that an HTTP server gives may not say so itself.
      if (either.aborted) throw callerGone(cause);
      throw cause instanceof GatewayError ? cause : explainFailure(cause, bound);
    }
  };
  return (bound, { signal }) => runnable.use((known) => runWith(known.get(bound.query), bound, signal));
}

const unreadable = 'A data file that this endpoint reads is broken; the log of the service tells which one';

async function runOnce(
  pool: ConnectionPool,
  prepared: PreparedQuery,
  bound: BoundQuery,
  now: Date,
  signal: AbortSignal,
): Promise<Rows> {
  const plan = prepared.plan(bound.parameters);
  return pool.use(plan.sql, signal, async (worker, signal) => {
    signal.throwIfAborted();
    const stopper = stopWhen(signal, worker);
    try {
      const rows = await rowsOf(worker, plan, prepared.generic, bindingsOf(bound.parameters, now), signal);
      return {
        rows: rows.slice(0, bound.query.maxRows).map((cells) => rowText(prepared.columns, cells)),
        truncated: rows.length > bound.query.maxRows,
      };
    } finally {
      stopper.end();
      await worker.release();
    }
  });
}

/** Stops what a worker does once a signal is aborted: again and again, for a statement that begins just then goes on. */
function stopWhen(signal: AbortSignal, { connection }: Worker): { end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setTimeout(interrupt, interruptEveryMs).unref();
  };
  signal.addEventListener('abort', interrupt, { once: true });
  return {
    end() {
      signal.removeEventListener('abort', interrupt);
      clearTimeout(timer);
    },
  };
}

const interruptEveryMs = 20;

async function rowsOf(
  worker: Worker,
  plan: Plan,
  general: string,
  bindings: Bindings,
  signal: AbortSignal,
): Promise<DuckDBValue[][]> {
  const computed = await worker.compute(plan.constants, bindings).catch(() => undefined);
  signal.throwIfAborted();
  // What fails as a constant may be needed by no row: the general text computes it where it is.
  if (computed === undefined) return readRows(await worker.run(general, bindings));
  if (plan.thresholds.length === 0) return readRows(await worker.run(plan.sql, computed));
  // They hold for the rows that they are found among.
  await worker.holdState();
  const all = await withThresholds(plan.thresholds, computed, async (sql, bindings) => {
    const result = await worker.run(sql, bindings);
    signal.throwIfAborted();
    return result;
  });
  return readRows(await worker.run(plan.sql, all));
}

/** One row as a JSON object. A NULL column is left out: one existing client takes a null for an error. */
function rowText(columns: PreparedQuery['columns'], cells: readonly DuckDBValue[]): string {
  const members = columns.flatMap(({ name, required, json }, at) => {
    const cell = cells[at] ?? null;
    const text = cell === null ? undefined : json(cell);
    if (text !== undefined) return [`"${name}":${text}`];
    if (!required) return [];
    throw missingRequiredColumn(name);
  });
  return `{${members.join(',')}}`;
}
