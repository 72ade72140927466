import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { CachePolicy } from '../catalog/saved-query.ts';
import type { Clock } from '../concurrency/clock.ts';
import type { Flights, Landed, Work } from '../concurrency/single-flight.ts';
import { mayServeStale, type Obtain, type Question } from './compute.ts';
import type { Counters } from './counters.ts';
import { freshnessOf } from './freshness.ts';
import type { HotKeys } from './hot-keys.ts';
import type { MemoryStore } from './memory-store.ts';
import type { ResultDocument } from './result-document.ts';

/**
 * How an answer was obtained. HIT: kept, and fresh. STALE: kept and expired, because the engine fails. MISS: computed for
 * this caller. SHARED: computed for another one, who asked just before. BYPASS: computed because no kept answer would do.
 */
export const cacheStatuses = ['HIT', 'STALE', 'MISS', 'SHARED', 'BYPASS'] as const;

export type CacheStatus = (typeof cacheStatuses)[number];

/** The rows for one question, and what is to be said about them. */
export interface CachedResult {
  readonly document: ResultDocument;
  readonly caching: CachePolicy | 'disabled';
  readonly cacheStatus: CacheStatus;
}

/** Who asks, and how. */
export interface ResultRequest {
  /** Its signal is aborted when the caller disconnects; the getter is read only where there is something to wait for. */
  readonly caller: { readonly signal: AbortSignal };
  /** True where only a run that begins now will do. */
  readonly noCache: boolean;
}

/**
 * Gives the answer to a question.
 *
 * @returns at most `query.maxRows` rows, in the order of the SQL
 * @throws GatewayError as the engine's `run` does
 * @see spec "Common call shape", "Limits": rows capped at max rows
 */
export type GetResult = (bound: BoundQuery, asking: ResultRequest) => Promise<CachedResult>;

export interface GetResultOptions {
  readonly keyOf: (bound: BoundQuery) => string;
  readonly memory: MemoryStore;
  readonly flights: Flights;
  readonly obtain: Obtain;
  readonly demand: HotKeys;
  readonly counters: Counters;
  readonly clock: Clock;
}

/** @see design "How an answer is obtained" */
export function buildGetResult(options: GetResultOptions): GetResult {
  const { keyOf, demand, clock } = options;
  return async (bound, asking) => {
    const { caching } = bound.query;
    const key = keyOf(bound);
    if (caching === 'disabled') return computed(options, key, bound, asking);

    const now = clock.now().getTime();
    const question = { key, bound, policy: caching, newerThan: -1, forced: false };
    demand.note(key, bound, caching, now);
    if (asking.noCache) return renewed(options, { ...question, newerThan: now - 1, forced: true }, asking);
    return (await atHand(options, question)) ?? (await waitedFor(options, question, asking));
  };
}

/** Where nothing is kept. */
async function computed(
  options: GetResultOptions,
  key: string,
  bound: BoundQuery,
  asking: ResultRequest,
): Promise<CachedResult> {
  const { content } = await join(options, key, asking, options.obtain.unkept(bound));
  return { document: content, caching: 'disabled', cacheStatus: 'BYPASS' };
}

/** A run that begins now; only those who want the same share it. */
async function renewed(
  options: GetResultOptions,
  question: Question,
  asking: ResultRequest,
): Promise<CachedResult> {
  const { content } = await join(options, `forced ${question.key}`, asking, options.obtain.kept(question));
  return { document: content, caching: question.policy, cacheStatus: 'BYPASS' };
}

/** What needs no waiting: fresh rows, or expired ones where the engine is known to fail. */
async function atHand(options: GetResultOptions, question: Question): Promise<CachedResult | undefined> {
  const fresh = await fromMemory(options, question, 'HIT');
  if (fresh !== undefined || !options.demand.isFailing(question.key)) return fresh;
  return fromMemory(options, question, 'STALE');
}

/** New rows, or expired ones where the engine has failed just now. */
async function waitedFor(
  options: GetResultOptions,
  question: Question,
  asking: ResultRequest,
): Promise<CachedResult> {
  try {
    const landed = await join(options, question.key, asking, options.obtain.kept(question));
    return { document: landed.content, caching: question.policy, cacheStatus: statusOf(landed) };
  } catch (error) {
    const expired = mayServeStale(error) ? await fromMemory(options, question, 'STALE') : undefined;
    if (expired === undefined) throw error;
    return expired;
  }
}

async function fromMemory(
  { memory, demand, counters, clock }: GetResultOptions,
  { key, policy }: Question,
  cacheStatus: 'HIT' | 'STALE',
): Promise<CachedResult | undefined> {
  const content = await memory.get(key);
  if (content === undefined) return undefined;
  // It may have come to be in demand only now.
  demand.learn(key, content.computedAt);
  const freshness = freshnessOf(content, policy, clock.now());
  if (freshness === 'gone' || (freshness === 'expired' && cacheStatus === 'HIT')) return undefined;
  counters[cacheStatus === 'HIT' ? 'hits' : 'stale'] += 1;
  return { document: content, caching: policy, cacheStatus };
}

async function join(
  { flights, counters }: GetResultOptions,
  key: string,
  { caller }: ResultRequest,
  work: Work,
): Promise<Landed & { readonly joined: boolean }> {
  const landed = await flights.join(key, caller.signal, work);
  if (landed.joined || landed.source === 'followed') counters.sharedFlights += 1;
  counters[landed.source === 'kept' ? 'hits' : 'misses'] += 1;
  return landed;
}

function statusOf({ source, joined }: Landed & { readonly joined: boolean }): CacheStatus {
  if (source === 'kept') return 'HIT';
  return source === 'run' && !joined ? 'MISS' : 'SHARED';
}
