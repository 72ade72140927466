import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  bindingsOf,
  notOnServerText,
  readRows,
  type ServerText,
  serverText,
} from '@querygate/bigquery-sql/duckdb';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Engine } from '../../engine-contract/engine.ts';
import { GatewayError } from '../../errors.ts';
import { getOrAdd } from '../../get-or-add.ts';
import type { Runnable } from '../duckdb/prepare/prepare-catalog.ts';
import { interruptOnAbort } from '../duckdb/run/interrupt-on-abort.ts';
import { rowTexts } from '../duckdb/wire/rows.ts';
import { toGatewayError, WrongTables } from './server-failure.ts';
import type { Sessions } from './sessions.ts';

interface RunContext {
  readonly sessions: Sessions;
  readonly runnableOf: (query: SavedQuery) => Promise<Runnable>;
  readonly turns: LoopTurns;
  readonly now: () => Date;
  /** Called for a run whose answer will not come. @param name of the query */
  readonly onLost: (name: string) => void;
  /** Called when the tables of the server have changed. */
  readonly onProblem: (message: string) => void;
}

/** How many texts are kept: those of the plans in use. */
const maxTexts = 500;

/**
 * Runs prepared queries. A server of Quack 1.5 cannot cancel a query: a run that is not awaited any longer keeps its slot until the
 * server has ended it, so that the server never runs more of them than the gateway may.
 */
export function buildRun({ sessions, runnableOf, turns, now, onLost, onProblem }: RunContext): Engine['run'] {
  const texts = new LRUCache<string, ServerText>({ max: maxTexts });
  const textOf = (sql: string) => {
    const text = getOrAdd<string, ServerText>(texts, sql, () => serverText(sql));
    if (text.missing.length === 0) return text;
    throw new GatewayError(
      'ENGINE_FAILED',
      `The query failed: ${text.missing.join(', ')} ${notOnServerText}`,
    );
  };
  return async (bound, { signal, owner, beforeRows, wave }) => {
    const { parameters, query } = bound;
    try {
      const { generic, plan: planFor, columns } = (await runnableOf(query)).prepared();
      const moment = wave === undefined ? now() : new Date(wave.moment);
      const bindings = bindingsOf(parameters, moment, query.parameters);
      const plan = planFor(parameters);
      return await sessions.use(async (session) => {
        signal.throwIfAborted();
        const mark = randomUUID();
        const stopInterrupting = interruptOnAbort(signal, session.worker);
        const stopWatching = watchAborted(
          signal,
          () => isRunning(sessions, mark),
          () => onLost(query.name),
        );
        try {
          const constants = await session.worker.compute(plan.constants, bindings).catch(() => undefined);
          // A constant that fails may be one that no row needs: the generic plan computes it where it is used.
          const text = textOf(constants === undefined ? generic : plan.sql);
          signal.throwIfAborted();
          const result = await session.run(text, constants ?? bindings, mark);
          signal.throwIfAborted();
          await beforeRows?.(signal);
          const rows = await turns.compute(owner, rowTexts(result, columns, query.maxRows));
          return { rows, truncated: result.rowCount > query.maxRows };
        } finally {
          stopInterrupting();
          stopWatching();
          // The server may still have a part of the result.
          if (signal.aborted) session.forget();
        }
      });
    } catch (error) {
      if (error instanceof WrongTables) onProblem(error.message);
      throw signal.aborted ? error : toGatewayError(error, bound);
    }
  };
}

/** True if the server says that it runs a marked statement. */
const isRunning = (sessions: Sessions, mark: string): Promise<boolean> =>
  sessions.use(async (session) => {
    const sql = `SELECT count(*) FROM quack_active_connections() WHERE state = 'active' AND starts_with(query, '/* ${mark}')`;
    return readRows(await session.ask(sql))[0]?.[0] === 1n;
  });

const lookEveryMs = 30_000;
const answerMs = 10_000;

/**
 * Looks from time to time after the signal is aborted whether an answer may still come: a machine without power closes no
 * connection.
 *
 * @returns ends it
 */
function watchAborted(
  signal: AbortSignal,
  mayAnswer: () => Promise<boolean>,
  onLost: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const silence = sleep(answerMs, false, { ref: false });
    const isAwaited = await Promise.race([mayAnswer().catch(() => false), silence]);
    if (timer === undefined) return;
    if (isAwaited) lookLater();
    else onLost();
  };
  const lookLater = () => {
    timer = setTimeout(() => void look(), lookEveryMs).unref();
  };
  signal.addEventListener('abort', lookLater, { once: true });
  return () => {
    signal.removeEventListener('abort', lookLater);
    clearTimeout(timer);
    timer = undefined;
  };
}
