import { hash } from 'node:crypto';
import type { BoundQuery } from '../../../catalog/binding/bind.ts';
import { computingOwner, type LoopTurns } from '../../../concurrency/loop-turns.ts';
import type { PerOwnerQueue } from '../../../concurrency/per-owner-queue.ts';
import type { Rows, RunOptions } from '../../../engine-contract/engine.ts';
import { maxCallerResultBytes } from '../../../engine-contract/engine-errors.ts';
import type { Runnable } from '../prepare/prepare-catalog.ts';
import { bindingsOf, callerLimits, computeTimes, HostWork } from '@querygate/bigquery-sql/duckdb';
import { rowTexts } from '../wire/rows.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { DefineMacros } from './define-macros.ts';
import { interruptOnAbort } from './interrupt-on-abort.ts';
import { boundSql, requireUnchanged } from './over-files.ts';
import type { FilesReading } from '@querygate/duckdb-import';

interface CallerSqlContext {
  readonly pool: ConnectionPool;
  readonly turns: LoopTurns;
  readonly reading: PerOwnerQueue;
  readonly now: () => Date;
  readonly defineMacros: DefineMacros;
  /** @throws GatewayError DATA_UNREADABLE if one of the tables has a problem */
  readonly requireData: (tables: readonly string[]) => void;
}

/**
 * Runs a caller's SQL over the common tables of a saved query. It is judged while it occupies a worker, and in a turn of
 * the event loop, so that many of them take turns with everything else. Nothing of it is kept but a few prepared texts.
 *
 * @throws GatewayError INVALID_PARAMETER if it is not one SELECT over the common tables; QUERY_TOO_EXPENSIVE; as the
 * engine's `run` does
 */
export function runCallerSql(
  { pool, turns, reading, now, defineMacros, requireData }: CallerSqlContext,
  { callerSql }: Runnable,
  { query, parameters, sql }: BoundQuery & { readonly sql: string },
  { signal, owner, beforeRows }: RunOptions,
  files: FilesReading | undefined,
): Promise<Rows> {
  if (callerSql === undefined) throw new Error(`${query.name} takes no SQL`);
  const { maxRows } = query;
  const key = hash('sha256', `${query.id} ${sql}`);
  return pool.use(
    { key, name: query.name, owner, isCallerSql: true, signal },
    async (worker, signal, onResult) => {
      signal.throwIfAborted();
      const stopInterrupting = interruptOnAbort(signal, worker);
      worker.beginWork(new HostWork(callerLimits, signal));
      try {
        await turns.wait(computingOwner(owner));
        const judged = callerSql(sql);
        requireData(judged.tables);
        await defineMacros(judged.macros);
        signal.throwIfAborted();
        const { columns, resultColumns, generic, plan } = await judged.prepare(worker.connection);
        const bindings = bindingsOf(parameters, now(), query.parameters);
        const planned = plan(parameters);
        const computed = computeTimes(planned.constants, bindings);
        const { compute } = worker;
        const bound = await boundSql(planned, () => generic, {
          ...{ bindings, computed, compute, reading: files },
        });
        const result = await worker.runOnce(bound.sql, bound.values);
        signal.throwIfAborted();
        await requireUnchanged(files);
        onResult();
        await beforeRows?.(signal);
        const texts = rowTexts(result, columns, maxRows, maxCallerResultBytes);
        const rows = await reading.run(owner, () => turns.compute(owner, texts));
        return { rows, truncated: result.rowCount > maxRows, columns: resultColumns };
      } finally {
        stopInterrupting();
        await worker.release();
      }
    },
  );
}
