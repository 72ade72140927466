import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { CachePolicy } from '../catalog/model/saved-query.ts';
import type { Owner } from '../concurrency/fair-share.ts';
import type { Run, SingleFlight } from '../concurrency/single-flight.ts';
import { GatewayError } from '../errors.ts';
import type { Principal } from '../keys/principal.ts';
import type { RequestTrace } from '../trace/span.ts';
import { type CacheableQuery, type RunOutcome, runKeyOf } from './cacheable-query.ts';
import { type ComputeOptions, computeAndStore, computeOnce, mayServeStale } from './compute.ts';
import { freshnessOf } from './freshness.ts';
import type { HotKey } from './warming/hot-keys.ts';
import type { ResultDocument } from './result-document.ts';

/**
 * How a result was obtained. HIT: from the cache, fresh. STALE: from the cache, no longer fresh, because the engine
 * fails. MISS: computed for this caller. SHARED: computed for an earlier caller that was still waiting. BYPASS: computed
 * because no cached result was accepted.
 */
const cacheStatuses = ['HIT', 'STALE', 'MISS', 'SHARED', 'BYPASS'] as const;

export type CacheStatus = (typeof cacheStatuses)[number];

/** The rows of one bound query, with what a response says about their caching. */
export interface CachedResult {
  readonly document: ResultDocument;
  readonly caching: CachePolicy | 'disabled';
  readonly cacheStatus: CacheStatus;
  /** When it was found in memory, or its run had ended. By `elapsedMs`, like the time below. */
  readonly obtainedAt: number;
  /** From then on an equal request has another result, for a default is relative to the time. */
  readonly defaultsUntil?: number;
}

/** A result that a caller has got. */
export interface ObtainedResult {
  /** The saved query, as `bound.query`, and its effective parameters. */
  readonly bound: BoundQuery;
  /** Its rows, as `result.document`, what they have cost, as `result.document.metadata.cost`, and whether they come from the cache. */
  readonly result: CachedResult;
}

interface ResultRequest {
  /** Its signal is aborted when the caller disconnects. The getter is read only when there is something to wait for. */
  readonly caller: {
    readonly signal: AbortSignal;
    readonly trace?: RequestTrace | undefined;
    /** Receives the result. */
    readonly results?: ObtainedResult[] | undefined;
  };
  /** True when no cached result is accepted, only that of a run that begins now. */
  readonly noCache: boolean;
  /** True for the first result of a caller who follows the key: it is not kept warm for longer than that. */
  readonly isFollowed?: true | undefined;
  /** The id of the caller's key: a run that this request starts takes the key's turn in the engine's queue. */
  readonly owner?: Owner;
  /** As in `RunOptions`. */
  readonly payer?: Principal | undefined;
}

/**
 * Gets the result of a bound query: from memory, from the shared cache, from a run that is under way, or from the
 * engine, in this order.
 *
 * @returns at most `query.maxRows` rows, in the order of the SQL
 * @throws GatewayError as the engine's `run` does; CANCELLED when the caller disconnects
 * @see spec "Common call shape", "Limits": rows capped at max rows
 */
export type GetResult = (query: BoundQuery, request: ResultRequest) => Promise<CachedResult>;

interface GetResultOptions extends ComputeOptions {
  readonly keyOf: (bound: BoundQuery) => string;
  readonly singleFlight: SingleFlight<RunOutcome>;
}

export function buildGetResult(options: GetResultOptions): GetResult {
  const { engine, keyOf, hotKeys, clock } = options;
  const getResult: GetResult = async (bound, request) => {
    const { caching: policy } = bound.query;
    const { noCache, owner, payer } = request;
    const key = keyOf(bound);
    const dataVersion = engine.dataVersionOf?.(bound.query);
    if (policy === 'disabled')
      return computeUncached(options, runKeyOf({ key, dataVersion }), bound, request);

    const now = clock.elapsedMs();
    const { trace } = request.caller;
    const minBegunAt = noCache ? now : Number.NEGATIVE_INFINITY;
    const query = { key, bound, policy, dataVersion, owner, payer, noCache, trace, minBegunAt };
    // SQL of callers is cached, but not kept warm.
    const isWarmed = bound.sql === undefined && request.isFollowed !== true;
    const hotKey = isWarmed ? hotKeys.touch(key, bound, policy, now) : undefined;
    if (noCache) return refreshNow(options, query, request);
    return (await fromMemory(options, query, now, hotKey)) ?? computeShared(options, query, request);
  };
  return async (bound, request) => {
    const result = await getResult(bound, request);
    if (bound.defaultsUntil === undefined) return result;
    const defaultsUntil = clock.elapsedMs() + bound.defaultsUntil - clock.now().getTime();
    return { ...result, defaultsUntil };
  };
}

/** A query with `caching: disabled`: its result is shared only by callers that wait at the same time. */
async function computeUncached(
  options: GetResultOptions,
  key: string,
  bound: BoundQuery,
  request: ResultRequest,
): Promise<CachedResult> {
  const { document } = await waitForRun(options, key, request, (context) =>
    computeOnce(options, bound, context, {
      owner: request.owner,
      payer: request.payer,
      trace: request.caller.trace,
    }),
  );
  return { document, caching: 'disabled', cacheStatus: 'BYPASS', obtainedAt: options.clock.elapsedMs() };
}

/** A run that begins now, shared only by callers that also sent `no-cache`. */
async function refreshNow(
  options: GetResultOptions,
  query: CacheableQuery,
  request: ResultRequest,
): Promise<CachedResult> {
  const { document } = await waitForRun(options, `no-cache ${runKeyOf(query)}`, request, (context) =>
    computeAndStore(options, query, context),
  );
  return {
    document,
    caching: query.policy,
    cacheStatus: 'BYPASS',
    obtainedAt: options.clock.elapsedMs(),
  };
}

/** A fresh result, or a stale one while the engine is known to fail: no caller waits for it to fail again. */
async function fromMemory(
  options: GetResultOptions,
  query: CacheableQuery,
  now: number,
  hotKey: HotKey | undefined,
): Promise<CachedResult | undefined> {
  const fresh = await fromCache(options, query, 'HIT', now, hotKey);
  if (fresh !== undefined || !options.hotKeys.isFailing(query.key)) return fresh;
  return fromCache(options, query, 'STALE', now);
}

/** The result of one run for all callers of a key; a stale one when that run fails. */
async function computeShared(
  options: GetResultOptions,
  query: CacheableQuery,
  request: ResultRequest,
): Promise<CachedResult> {
  try {
    const { document, source, joined } = await waitForRun(options, runKeyOf(query), request, (context) =>
      computeAndStore(options, query, context),
    );
    const obtainedAt = options.clock.elapsedMs();
    return { document, caching: query.policy, cacheStatus: statusOf(source, joined), obtainedAt };
  } catch (error) {
    const now = options.clock.elapsedMs();
    const stale = mayServeStale(error) ? await fromCache(options, query, 'STALE', now) : undefined;
    if (stale === undefined) throw error;
    return stale;
  }
}

async function fromCache(
  { memory, hotKeys, counters }: GetResultOptions,
  { key, policy, dataVersion }: CacheableQuery,
  cacheStatus: 'HIT' | 'STALE',
  now: number,
  hotKey?: HotKey,
): Promise<CachedResult | undefined> {
  const document = await memory.get(key);
  if (document === undefined) return undefined;
  // The key may have become hot only now, after its result was stored.
  if (hotKey?.begunAt !== document.begunAt)
    hotKeys.recordKnown(key, document.begunAt, document.metadata.cost?.bytesBilled);
  const isOfData = document.metadata.dataVersion === dataVersion;
  const freshness = freshnessOf(document, policy, now);
  if (!isOfData && cacheStatus === 'HIT') return undefined;
  if (freshness === 'expired' || (freshness === 'stale' && cacheStatus === 'HIT')) return undefined;
  counters[cacheStatus === 'HIT' ? 'hits' : 'stale'] += 1;
  return { document, caching: policy, cacheStatus, obtainedAt: now };
}

async function waitForRun(
  { singleFlight, counters }: GetResultOptions,
  key: string,
  { caller, payer }: ResultRequest,
  run: Run<RunOutcome>,
): Promise<RunOutcome & { readonly joined: boolean }> {
  const isOfOther = (error: unknown) =>
    error instanceof GatewayError && error.onlyFor !== undefined && error.onlyFor !== payer?.id;
  const { outcome, joined } = await singleFlight.wait(key, caller.signal, run, isOfOther);
  if (joined || outcome.source === 'other gateway') counters.sharedRuns += 1;
  counters[outcome.source === 'shared cache' ? 'hits' : 'misses'] += 1;
  return { ...outcome, joined };
}

function statusOf(source: RunOutcome['source'], joined: boolean): CacheStatus {
  if (source === 'shared cache') return 'HIT';
  return source === 'engine' && !joined ? 'MISS' : 'SHARED';
}
