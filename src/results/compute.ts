import type { Logger } from 'pino';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { CachePolicy } from '../catalog/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { Work } from '../concurrency/single-flight.ts';
import type { Cost, Engine } from '../engine/engine.ts';
import { GatewayError } from '../errors.ts';
import type { Counters } from './counters.ts';
import { freshnessOf, keepMs } from './freshness.ts';
import type { HotKeys } from './hot-keys.ts';
import { buildLead } from './lease.ts';
import type { MemoryStore } from './memory-store.ts';
import { buildDocument, type ResultDocument } from './result-document.ts';
import type { SharedCache } from './shared-cache.ts';

/** A question whose answer may be kept. */
export interface Question {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  /** Only an answer that was computed after this moment will do; milliseconds since the epoch. */
  readonly newerThan: number;
  /** True where only a run that begins now will do. */
  readonly forced: boolean;
}

export interface ObtainOptions {
  readonly engine: Engine;
  readonly memory: MemoryStore;
  readonly shared: SharedCache | undefined;
  readonly demand: HotKeys;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told what each run of our engine cost, by endpoint. */
  readonly onCost: (endpoint: string, cost: Cost) => void;
}

export interface Obtain {
  /** Gets an answer that is not in memory: another gateway's, or a new one; and keeps it. */
  kept(question: Question): Work;
  /** Runs the query for whoever asks at this moment, and keeps nothing. */
  unkept(bound: BoundQuery): Work;
}

export function buildObtain(options: ObtainOptions): Obtain {
  const { memory, shared, demand, clock } = options;
  const lead = buildLead(shared, clock);
  const keep = async (key: string, content: ResultDocument) => {
    await memory.put(key, content);
    demand.learn(key, content.computedAt);
  };

  return {
    unkept: (bound) => async (crew) => ({ content: await run(options, bound, crew.signal), source: 'run' }),
    kept: (question) => async (crew) => {
      const { key, bound, policy, newerThan, forced } = question;
      const isNewEnough = (content: ResultDocument) =>
        content.computedAt > newerThan && freshnessOf(content, policy, clock.now()) === 'fresh';
      const found = forced ? undefined : await shared?.get(key);
      if (found !== undefined) await keep(key, found);
      if (found !== undefined && isNewEnough(found)) return { content: found, source: 'kept' };
      try {
        const task = { key, keepMs: keepMs(policy), isNewEnough, forced };
        const landed = await lead({ ...task, run: (signal) => run(options, bound, signal) })(crew);
        if (landed !== undefined) await keep(key, landed.content);
        return landed;
      } catch (error) {
        if (mayServeStale(error)) demand.fail(key, clock.now().getTime());
        throw error;
      }
    },
  };
}

async function run(
  { engine, counters, clock, log, onCost }: ObtainOptions,
  bound: BoundQuery,
  signal: AbortSignal,
): Promise<ResultDocument> {
  const computedAt = clock.now().getTime();
  counters.runs += 1;
  log.debug({ endpoint: bound.query.name }, 'the engine runs a query');
  try {
    const rows = await engine.run(bound, { signal });
    if (rows.cost !== undefined) onCost(bound.query.name, rows.cost);
    return await buildDocument(rows, computedAt);
  } catch (error) {
    if (mayServeStale(error)) counters.failures += 1;
    throw error;
  }
}

/** True where the caller did nothing wrong: an older answer is better than this error. */
export function mayServeStale(error: unknown): boolean {
  // The same question was cheap enough before: the data have grown.
  return !(error instanceof GatewayError) || error.status >= 500 || error.code === 'QUERY_TOO_EXPENSIVE';
}
