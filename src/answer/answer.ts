import type { Bound } from '../catalog/bind.ts';
import type { CachePolicy } from '../catalog/saved-query.ts';
import type { Clock } from './clock.ts';
import type { Content } from './content.ts';
import type { Counters } from './counters.ts';
import type { Demand } from './demand.ts';
import type { Flights, Landed } from './flights.ts';
import { freshnessOf } from './freshness.ts';
import type { MemoryStore } from './memory-store.ts';
import { isEngineTrouble, type Obtain } from './obtain.ts';

/**
 * How an answer was obtained. HIT: kept, and fresh. STALE: kept and expired, because the engine fails. MISS: computed for
 * this caller. SHARED: computed for another one, who asked just before. BYPASS: computed because no kept answer would do.
 */
export const cacheStatuses = ['HIT', 'STALE', 'MISS', 'SHARED', 'BYPASS'] as const;

export type CacheStatus = (typeof cacheStatuses)[number];

/** The rows for one question, and what is to be said about them. */
export interface Answer {
  readonly content: Content;
  readonly caching: CachePolicy | 'disabled';
  readonly cacheStatus: CacheStatus;
}

/** Who asks, and how. */
export interface Asking {
  /** Its signal is aborted when the caller has gone; it is looked at only where there is something to wait for. */
  readonly incoming: { readonly signal: AbortSignal };
  /** True where only a run that begins now will do. */
  readonly forced: boolean;
}

/**
 * Gives the answer to a question.
 *
 * @returns at most `query.maxRows` rows, in the order of the SQL
 * @throws GatewayError ENGINE_FAILED | ENGINE_TIMEOUT | DATA_UNREADABLE | INVALID_PARAMETER | CANCELLED
 * @see spec "Common call shape", "Limits": rows capped at max rows
 */
export type Ask = (bound: Bound, asking: Asking) => Promise<Answer>;

export interface AskOptions {
  readonly keyOf: (bound: Bound) => string;
  readonly memory: MemoryStore;
  readonly flights: Flights;
  readonly obtain: Obtain;
  readonly demand: Demand;
  readonly counters: Counters;
  readonly clock: Clock;
}

/** @see design "How an answer is obtained" */
export function buildAsk({ keyOf, memory, flights, obtain, demand, counters, clock }: AskOptions): Ask {
  const waitFor = async (...flight: Parameters<Flights['join']>) => {
    const landed = await flights.join(...flight);
    if (landed.joined || landed.source === 'followed') counters.sharedFlights += 1;
    counters[landed.source === 'kept' ? 'hits' : 'misses'] += 1;
    return landed;
  };

  return async (bound, { incoming, forced }) => {
    const key = keyOf(bound);
    const { caching } = bound.query;
    if (caching === 'disabled') {
      const { content } = await waitFor(key, incoming.signal, obtain.unkept(bound));
      return { content, caching, cacheStatus: 'BYPASS' };
    }
    demand.note(key, bound, caching, clock.now().getTime());
    if (forced) {
      const question = { key, bound, policy: caching, newerThan: clock.now().getTime() - 1, forced };
      const { content } = await waitFor(`forced ${key}`, incoming.signal, obtain.kept(question));
      return { content, caching, cacheStatus: 'BYPASS' };
    }

    /** What is kept here, where its freshness will do; and whoever warms it learns how old it is. */
    const kept = async (status: 'HIT' | 'STALE'): Promise<Answer | undefined> => {
      const content = await memory.get(key);
      if (content === undefined) return undefined;
      demand.learn(key, content.computedAt);
      const freshness = freshnessOf(content, caching, clock.now());
      if (freshness === 'gone' || (status === 'HIT' && freshness !== 'fresh')) return undefined;
      counters[status === 'HIT' ? 'hits' : 'stale'] += 1;
      return { content, caching, cacheStatus: status };
    };
    const atHand = (await kept('HIT')) ?? (demand.isFailing(key) ? await kept('STALE') : undefined);
    if (atHand !== undefined) return atHand;
    try {
      const question = { key, bound, policy: caching, newerThan: -1, forced };
      const landed = await waitFor(key, incoming.signal, obtain.kept(question));
      return { content: landed.content, caching, cacheStatus: statusOf(landed) };
    } catch (error) {
      const answer = isEngineTrouble(error) ? await kept('STALE') : undefined;
      if (answer === undefined) throw error;
      return answer;
    }
  };
}

function statusOf({ source, joined }: Landed & { readonly joined: boolean }): CacheStatus {
  if (source === 'kept') return 'HIT';
  return source === 'run' && !joined ? 'MISS' : 'SHARED';
}
