import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { type Clock, sleep } from '../../concurrency/clock.ts';
import { openRepeat } from '../../concurrency/repeat.ts';
import type { RunContext } from '../../concurrency/single-flight.ts';
import { deadlineExceeded } from '../../engine-contract/engine-errors.ts';
import { callerDisconnected } from '../../errors.ts';
import { type CacheableQuery, isNewEnough, type RunOutcome, runKeyOf } from '../cacheable-query.ts';
import { keepMs } from '../freshness.ts';
import type { ResultDocument } from '../result-document.ts';
import { type LeaderFailure, leaderFailed, leaderFailureOf } from './leader-failure.ts';
import { type Lease, leaseMs, type SharedCache } from './shared-cache.ts';

interface LeaseOptions {
  readonly shared: SharedCache;
  readonly clock: Clock;
  readonly run: (signal: AbortSignal) => Promise<ResultDocument>;
  /** As in `ComputeOptions`. */
  readonly isOneEngine: boolean;
  /** How long a follower waits for its leaders, all together. */
  readonly followMs: number;
}

/** How often a follower checks its leader: at first often, for queries that are quick. */
const firstWatchMs = 15;
const longestWatchMs = 100;

/**
 * Pause before a second attempt: to watch a leader whose lease cannot be read, and to publish a result that could not be
 * stored. A lost connection is usually restored in much less. And after a pause of the whole machine every lease has
 * expired although no leader has died; each leader restores its own as soon as it runs again.
 */
const secondTryMs = 300;

/**
 * One run per key among all gateways that share a cache. The leader runs the query under a lease, which it renews; the
 * followers wait, take its result, and take over when it dies. While the shared cache is down, each gateway runs its own.
 *
 * @returns undefined when another gateway runs the query and no caller waits here
 */
export async function runUnderLease(
  options: LeaseOptions,
  query: CacheableQuery,
  context: RunContext,
): Promise<RunOutcome | undefined> {
  const { shared, clock } = options;
  const { bound, noCache } = query;
  const key = runKeyOf(query);
  const followUntil = clock.elapsedMs() + options.followMs;
  let lease = await shared.acquire(key, { preempt: noCache });
  while (lease?.role === 'follower') {
    // A background refresh need not watch another gateway do it.
    if (context.callers() === 0) return undefined;
    const followed = await follow(options, query, lease, { signal: context.signal, until: followUntil });
    if (followed !== undefined) return { document: followed, source: 'other gateway' };
    lease = await shared.acquire(key, { preempt: false });
  }
  if (lease === undefined) return runWithoutLease(options, query, context);
  // Another gateway may have published between our read of the cache and our lease.
  const published = noCache ? undefined : await shared.get(key, bound.query.maxRows);
  if (published === undefined || !isNewEnough(query, published, clock.elapsedMs())) {
    return lead(options, query, context, lease);
  }
  // Not awaited: it may have to wait for the transfer of large results.
  shared.release(key, lease.fencingToken, undefined);
  return { document: published, source: 'other gateway' };
}

/** It nevertheless publishes its result, under the token of a lease of when its run began: the cache may be back by then. */
async function runWithoutLease(
  options: LeaseOptions,
  query: CacheableQuery,
  { signal }: RunContext,
): Promise<RunOutcome> {
  const document = await options.run(signal);
  publish(options, query, String(document.computedAt * 1000), document);
  return { document, source: 'engine' };
}

async function lead(
  options: LeaseOptions,
  query: CacheableQuery,
  context: RunContext,
  { fencingToken }: Lease,
): Promise<RunOutcome> {
  const { shared, clock } = options;
  const key = runKeyOf(query);
  const renew = () => shared.renew(key, fencingToken);
  context.isAwaitedElsewhere = renew;
  const renewal = openRepeat({
    clock,
    everyMs: leaseMs / 3,
    work: async () => void renew(),
    onError: () => {},
  });
  const end = (failure?: LeaderFailure) => {
    // A renewal after the release would restore the lease.
    renewal.close();
    shared.release(key, fencingToken, failure);
  };
  try {
    const document = await options.run(context.signal);
    // Not awaited: our own callers need not wait until the others can read it, who follow us until then.
    publish(options, query, fencingToken, document).finally(end);
    return { document, source: 'engine' };
  } catch (error) {
    end(leaderFailureOf(error, options.isOneEngine));
    throw error;
  } finally {
    context.isAwaitedElsewhere = undefined;
  }
}

async function publish(
  { shared, clock }: LeaseOptions,
  query: CacheableQuery,
  fencingToken: string,
  document: ResultDocument,
): Promise<void> {
  const { key, policy, bound } = query;
  // A run after a pause of all gateways reads what has changed since then, until all is read anyway.
  const incrementalMs = (bound.query.incremental?.reconcileSeconds ?? 0) * 1000;
  const keptMs = Math.max(keepMs(policy), incrementalMs);
  const store = () => shared.publish(runKeyOf(query), fencingToken, document, keptMs, key);
  if (await store()) return;
  await sleep(clock, secondTryMs);
  await store();
}

/**
 * @returns the leader's result; undefined when it ended without one
 * @throws GatewayError as the leader's run did; ENGINE_TIMEOUT when it has not ended in time
 */
async function follow(
  { shared, clock, followMs }: LeaseOptions,
  query: CacheableQuery,
  { fencingToken }: Lease,
  { signal, until }: { readonly signal: AbortSignal; readonly until: number },
): Promise<ResultDocument | undefined> {
  const { bound } = query;
  const key = runKeyOf(query);
  let isSecondTry = false;
  for (let waitMs = firstWatchMs; ; waitMs = Math.min(waitMs * 1.5, longestWatchMs)) {
    await sleep(clock, isSecondTry ? secondTryMs : waitMs);
    if (signal.aborted) throw callerDisconnected();
    if (clock.elapsedMs() >= until) throw deadlineExceeded(followMs);
    const leader = await shared.watch(key);
    if (leader?.fencingToken === fencingToken) {
      if (leader.state === 'failed') throw leaderFailed(leader.failure, namesOf(bound));
      isSecondTry = false;
      continue;
    }
    const document = await shared.get(key, bound.query.maxRows);
    if (document !== undefined && isNewEnough(query, document, clock.elapsedMs())) return document;
    if (leader !== undefined || isSecondTry) return undefined;
    isSecondTry = true;
  }
}

const namesOf = ({ query }: BoundQuery) => query.parameters.map(({ name }) => name);
