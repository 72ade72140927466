import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import type { Clock, Timeline } from '../concurrency/clock.ts';
import { keyOf, type Owner } from '../concurrency/fair-share.ts';
import type { LoopTurns } from '../concurrency/loop-turns.ts';
import type { Slots } from '../concurrency/slots.ts';
import type { RunContext } from '../concurrency/single-flight.ts';
import type { Cost, EarlierRows, Engine, Refresh, RunOptions, Wave } from '../engine-contract/engine.ts';
import { rowCountOf } from '../engine-contract/rows-document.ts';
import { GatewayError } from '../errors.ts';
import { type RequestTrace, withSpan } from '../trace/span.ts';
import { type CacheableQuery, isNewEnough, type RunOutcome, runKeyOf } from './cacheable-query.ts';
import type { Counters } from './counters.ts';
import type { Followers } from './followers.ts';
import { freshnessOf } from './freshness.ts';
import type { HotKeys } from './warming/hot-keys.ts';
import type { ResultStore } from './result-store.ts';
import { buildDocument, type ResultDocument, type RunTime } from './result-document.ts';
import { runUnderLease } from './shared/lease.ts';
import type { SharedCache } from './shared/shared-cache.ts';

export interface ComputeOptions {
  readonly engine: Engine;
  /** How long one query may take: a run at another gateway is not waited for any longer. */
  readonly engineTimeoutMs: number;
  /** True if it is a service, the same one for all gateways: they have its failures in common. */
  readonly isOneEngine: boolean;
  readonly memory: ResultStore;
  readonly shared: SharedCache | undefined;
  readonly hotKeys: HotKeys;
  readonly followers: Followers;
  readonly counters: Counters;
  readonly clock: Clock;
  readonly timeline: Timeline;
  readonly log: Logger;
  /** For results from the moment when the engine begins to read their rows until they are compressed. */
  readonly slots: Slots;
  /** Large documents are put together in turns. */
  readonly turns: LoopTurns;
  /** Receives the cost of each run of our engine, by endpoint. */
  readonly onCost: OnCost;
  /** False if another gateway refreshes the query now. */
  readonly mayRefresh: MayRefresh;
}

/** As `GatewayPlugin.mayRefresh`. */
export type MayRefresh = (bound: BoundQuery, refresh: Refresh) => boolean | Promise<boolean>;

/** @param trace the request for which the query was run; undefined for a refresh */
export type OnCost = (endpoint: string, cost: Cost, trace: RequestTrace | undefined) => void;

/** For whom a query is run. */
interface Runner {
  readonly owner: Owner;
  readonly payer: RunOptions['payer'];
  readonly trace: RequestTrace | undefined;
  readonly wave?: Wave | undefined;
  readonly refresh?: Refresh | undefined;
  /** The result that the new one replaces: it is looked up when there are rows, so that a run does not keep it in memory. */
  readonly before?: (() => ResultDocument | undefined) | undefined;
  /** True if nothing of that result may be used for the new one. */
  readonly noCache?: boolean;
}

/**
 * Gets a result that memory does not have, from the shared cache, another gateway's run or the engine, and stores it in
 * memory.
 *
 * @returns undefined when another gateway computes it and no caller waits here
 */
export function computeAndStore(
  options: ComputeOptions,
  query: CacheableQuery,
  context: RunContext,
): Promise<RunOutcome | undefined> {
  return withSpan(query.trace?.span, 'cache', async (span) => {
    const trace = query.trace && { requestId: query.trace.requestId, span };
    const outcome = await compute(options, { ...query, trace }, context);
    span?.set({ 'querygate.source': outcome?.source });
    return outcome;
  });
}

async function compute(
  options: ComputeOptions,
  query: CacheableQuery,
  context: RunContext,
): Promise<RunOutcome | undefined> {
  const { shared, memory, hotKeys, clock, engineTimeoutMs, isOneEngine } = options;
  const { key, bound, owner, payer, noCache, trace, wave, refresh } = query;
  const take = shared && (() => takeShared(options, shared, query));
  const cached = noCache || !take ? undefined : await withSpan(trace?.span, 'shared cache', take);
  if (cached !== undefined && isNewEnough(query, cached, clock.elapsedMs())) {
    return { document: cached, source: 'shared cache' };
  }
  if (refresh !== undefined && context.callers() === 0) {
    const allowed = options.mayRefresh(bound, refresh);
    let may: boolean | undefined;
    // A caller does not wait for other gateways, unless it leaves.
    while (may === undefined && context.callers() === 0)
      may = await Promise.race([allowed, context.called().then(() => undefined)]);
    if (may === false) return undefined;
  }
  try {
    const run = (signal: AbortSignal) =>
      runEngine(options, bound, signal, {
        ...{ owner, payer, trace, wave, refresh, noCache },
        before: () => memory.peek(key),
      });
    const outcome: RunOutcome | undefined =
      shared === undefined
        ? { document: await run(context.signal), source: 'engine' }
        : await runUnderLease({ shared, clock, run, isOneEngine, followMs: engineTimeoutMs }, query, context);
    if (outcome !== undefined) await store(options, key, outcome.document);
    return outcome;
  } catch (error) {
    if (mayServeStale(error) && !isOverBudget(error)) {
      const { retryAfterSeconds } = error instanceof GatewayError ? error : {};
      hotKeys.recordFailure(key, clock.elapsedMs(), retryAfterSeconds);
    }
    throw error;
  }
}

/** Stores in memory what the shared cache has. */
export async function takeShared(
  options: ComputeOptions,
  shared: SharedCache,
  query: Pick<CacheableQuery, 'key' | 'bound' | 'policy' | 'dataVersion'>,
): Promise<ResultDocument | undefined> {
  const { key, bound, policy } = query;
  const cached = await shared.get(runKeyOf(query), bound.query.maxRows);
  // One that is too old for this caller may be returned when the engine fails; and an incremental run begins with any.
  if (cached !== undefined && freshnessOf(cached, policy, options.clock.elapsedMs()) === 'expired')
    await options.memory.put(key, cached);
  else if (cached !== undefined) await store(options, key, cached);
  return cached;
}

/** Runs the query for the callers that wait now, and stores nothing. */
export async function computeOnce(
  options: ComputeOptions,
  bound: BoundQuery,
  { signal }: RunContext,
  runner: Runner,
): Promise<RunOutcome> {
  return { document: await runEngine(options, bound, signal, runner), source: 'engine' };
}

async function store(
  { memory, hotKeys, followers }: ComputeOptions,
  key: string,
  document: ResultDocument,
): Promise<void> {
  await memory.put(key, document);
  hotKeys.recordResult(key, document.begunAt, document.metadata.cost?.bytesBilled);
  followers.get(key)?.onResult(document);
}

function runEngine(
  options: ComputeOptions,
  bound: BoundQuery,
  signal: AbortSignal,
  { owner, payer, trace, wave, refresh, before, noCache }: Runner,
): Promise<ResultDocument> {
  const queuedAt = performance.now();
  return withSpan(trace?.span, 'engine', (span) => {
    const onStart = span && (() => span.set({ 'querygate.queue_ms': performance.now() - queuedAt }));
    const earlier = noCache ? undefined : () => earlierRows(before?.());
    const run = { signal, owner, payer, wave, refresh, before: earlier, onStart, span };
    return runQuery(options, bound, run, { trace, before });
  });
}

async function runQuery(
  { engine, counters, clock, timeline, log, onCost, slots, turns }: ComputeOptions,
  bound: BoundQuery,
  run: RunOptions,
  { trace, before }: Pick<Runner, 'trace' | 'before'>,
): Promise<ResultDocument> {
  const startedAt = clock.elapsedMs();
  const startMoment = timeline.momentAt(startedAt);
  const begunAt = run.wave?.moment ?? clock.now().getTime();
  counters.runs += 1;
  log.debug({ requestId: trace?.requestId, endpoint: bound.query.name }, 'the engine runs a query');
  if (bound.sql !== undefined) noteCallerSql(log, bound.query, bound.sql, run.owner, trace);
  const slot = slots.slotFor(run.owner);
  const beforeRows = (signal: AbortSignal) => slot.take(signal);
  try {
    // A variable of an async function would keep the rows in memory while the document is compressed.
    return await engine.run(bound, { ...run, beforeRows }).then((rows) => {
      if (rows.cost !== undefined) onCost(bound.query.name, rows.cost, trace);
      const time = runTime(timeline, rows.computedAt ?? begunAt, { startedAt, startMoment });
      run.span?.set({ 'querygate.rows': rowCountOf(rows), 'querygate.bytes_billed': rows.cost?.bytesBilled });
      return slot.take(run.signal).then(() => buildDocument(rows, time, turns, run.owner, before?.()));
    });
  } catch (error) {
    if (mayServeStale(error)) counters.failures += 1;
    throw error;
  } finally {
    slot.giveBack();
  }
}

interface RunStart {
  /** By `elapsedMs`. */
  readonly startedAt: number;
  /** The same time, as it was converted then. */
  readonly startMoment: number;
}

/** The time of a result, as it is found when the result comes back from other gateways. */
function runTime(timeline: Timeline, computedAt: number, { startedAt, startMoment }: RunStart): RunTime {
  const moment = timeline.momentAt(startedAt);
  // The clock has been set back during the run: the result would be fresh for that much longer.
  const time = Math.floor(moment < startMoment ? Math.min(computedAt, moment) : computedAt);
  return { computedAt: time, begunAt: timeline.elapsedAt(time) };
}

function earlierRows(document: ResultDocument | undefined): EarlierRows | undefined {
  if (document === undefined) return undefined;
  const { state, truncated, rowCount } = document.metadata;
  return { state, truncated, rowCount, document: document.encodings.identity };
}

/** Written at once: a text that ends the process can be found, and who sent it. */
function noteCallerSql(
  log: Logger,
  { name: endpoint }: SavedQuery,
  sql: string,
  owner: Owner,
  trace: RequestTrace | undefined,
): void {
  const key = owner === undefined ? {} : { key: keyOf(owner) };
  const requestId = trace && { requestId: trace.requestId };
  log.info({ ...requestId, ...key, endpoint, sql_sha256: hash('sha256', sql) }, 'SQL of a caller runs');
  log.flush();
}

const staleInstead: ReadonlySet<string> = new Set(['QUERY_TOO_EXPENSIVE', 'BUDGET_EXCEEDED']);

/** True for errors that the caller did not cause: an older result is better than such an error. */
export function mayServeStale(error: unknown): boolean {
  // QUERY_TOO_EXPENSIVE: the same query was cheap enough before, but its data has grown.
  return !(error instanceof GatewayError) || error.status >= 500 || staleInstead.has(error.code);
}

/** True if a budget refuses a run, which is no failure of the engine. */
const isOverBudget = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'BUDGET_EXCEEDED';
