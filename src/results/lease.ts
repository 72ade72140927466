import { type Clock, sleep } from '../concurrency/clock.ts';
import type { Crew, Landed, Work } from '../concurrency/single-flight.ts';
import { callerGone, GatewayError } from '../errors.ts';
import type { ResultDocument } from './result-document.ts';
import { leaseMs, type SharedCache, type Turn } from './shared-cache.ts';

export interface Task {
  readonly key: string;
  /** How long the answer may be kept, once it is computed. */
  readonly keepMs: number;
  /** True for an answer of another gateway's that makes a run of our own needless. */
  readonly isNewEnough: (content: ResultDocument) => boolean;
  /** True where only a run that begins now will do. */
  readonly forced: boolean;
  readonly run: (signal: AbortSignal) => Promise<ResultDocument>;
}

/** How often followers look at their leader: soon at first, for queries that are quick. */
const firstLookMs = 15;
const lastLookMs = 100;

/**
 * One run per key among all gateways that share a cache: one leads, under a lease that it renews; the others follow, take
 * its answer, and take over when it dies. Without a shared cache it simply runs.
 */
export function buildLead(shared: SharedCache | undefined, clock: Clock): (task: Task) => Work {
  if (shared === undefined) return (task) => async (crew) => ran(await task.run(crew.signal));
  return (task) => async (crew) => {
    let turn = await shared.take(task.key, task.forced);
    while (turn?.role === 'follower') {
      // Whoever refreshes in the background need not watch another gateway do it.
      if (crew.callers() === 0) return undefined;
      const followed = await follow(shared, clock, task, turn.fence, crew.signal);
      if (followed !== undefined) return { content: followed, source: 'followed' };
      turn = await shared.take(task.key, false);
    }
    if (turn === undefined) return ran(await lead(shared, clock, task, crew, { role: 'leader', fence: '0' }));
    // It may have been published between our look and our turn.
    const published = task.forced ? undefined : await shared.get(task.key);
    if (published === undefined || !task.isNewEnough(published)) {
      return ran(await lead(shared, clock, task, crew, turn));
    }
    await shared.giveUp(task.key, turn.fence, undefined);
    return { content: published, source: 'followed' };
  };
}

function ran(content: ResultDocument): Landed {
  return { content, source: 'run' };
}

async function lead(
  shared: SharedCache,
  clock: Clock,
  { key, keepMs, run }: Task,
  crew: Crew,
  { fence }: Turn,
): Promise<ResultDocument> {
  crew.isAwaitedElsewhere = () => shared.renew(key, fence);
  const stop = every(clock, leaseMs / 3, () => shared.renew(key, fence));
  try {
    const content = await run(crew.signal);
    // Nobody here waits until it is told to the others.
    shared.publish(key, fence, content, keepMs);
    return content;
  } catch (error) {
    const isTold = error instanceof GatewayError && error.code !== 'CANCELLED';
    shared.giveUp(key, fence, isTold ? error : undefined);
    throw error;
  } finally {
    stop();
    crew.isAwaitedElsewhere = undefined;
  }
}

/** @returns the leader's answer; undefined where it ended without one */
async function follow(
  shared: SharedCache,
  clock: Clock,
  { key, isNewEnough }: Task,
  fence: string,
  signal: AbortSignal,
): Promise<ResultDocument | undefined> {
  for (let waitMs = firstLookMs; ; waitMs = Math.min(waitMs * 1.5, lastLookMs)) {
    await sleep(clock, waitMs);
    if (signal.aborted) throw callerGone();
    const leader = await shared.watch(key);
    if (leader?.fence === fence) {
      if (leader.doing === 'working') continue;
      throw leader.error;
    }
    const content = await shared.get(key);
    return content !== undefined && isNewEnough(content) ? content : undefined;
  }
}

function every(clock: Clock, ms: number, run: () => void): () => void {
  const again = () => {
    run();
    stop = clock.after(ms, again);
  };
  let stop = clock.after(ms, again);
  return () => stop();
}
