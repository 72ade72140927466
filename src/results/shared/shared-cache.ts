import type { ResultDocument } from '../result-document.ts';
import type { Clock, Timeline } from '../../concurrency/clock.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { LeaderFailure } from './leader-failure.ts';
import type { SharedClock } from './shared-clock.ts';

/**
 * The right to compute the result of a key, for a limited time. Its fencing token rises with every lease of a key, and is its
 * beginning in µs since the epoch: a result with a lower token never replaces one with a higher token.
 *
 * @see https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html
 */
export interface Lease {
  /** leader: we hold the lease. follower: another gateway holds it. */
  readonly role: 'leader' | 'follower';
  /** Of the leader's lease, for a follower too. */
  readonly fencingToken: string;
}

/** The state of a key's leader, as the lease says it. */
export type LeaderState =
  | { readonly state: 'working'; readonly fencingToken: string }
  | { readonly state: 'failed'; readonly fencingToken: string; readonly failure: LeaderFailure };

/**
 * The cache that gateways share. No method rejects, and each has a deadline: when the shared cache does not respond, or
 * holds foreign data, the result is `undefined`, and the caller goes on without it.
 *
 * All times are those of `elapsedMs`. An entry from the future counts as absent: the clock of the gateway that wrote
 * it, or ours, is wrong, so that its age is not known.
 */
export interface SharedCache {
  /** Resolves when the first attempt to connect has succeeded or failed, within about a second. */
  readonly ready: Promise<void>;
  /** True while it is connected, and has rejected nothing for a minute. */
  isUp(): boolean;
  /** @param maxRows of the query of the key */
  get(key: string, maxRows: number): Promise<ResultDocument | undefined>;
  /** @param options.preempt takes the lease from its leader, whose result is then refused */
  acquire(key: string, options: { readonly preempt: boolean }): Promise<Lease | undefined>;
  /**
   * Extends a lease, and restores one that has expired, unless another gateway holds it. @returns whether others wait
   * for its result
   */
  renew(key: string, fencingToken: string): Promise<boolean>;
  /**
   * Reads the state of the leader, and marks its result as awaited.
   *
   * @returns undefined also without a lease: the leader has published, released, or died
   */
  watch(key: string): Promise<LeaderState | undefined>;
  /**
   * Stores a result, unless there is one with a higher token; one that is too large to be shared is only kept in memory.
   *
   * @param announcedAs the key that listeners have, if it is another one
   * @returns false when the shared cache does not respond or is full
   */
  publish(
    key: string,
    fencingToken: string,
    document: ResultDocument,
    keepMs: number,
    announcedAs?: string,
  ): Promise<boolean>;
  /** Releases a lease. With a failure, its followers fail with the same code; without, they go on. */
  release(key: string, fencingToken: string, failure: LeaderFailure | undefined): Promise<void>;
  /**
   * Listens for results of a key that gateways store. A listener may miss one.
   *
   * @param onPublished called with the time at which its run began
   * @returns calls it off
   */
  listen(key: string, onPublished: (begunAt: number) => void): () => void;
  /** Records when keys were last requested. */
  recordDemand(requestedAt: ReadonlyMap<string, number>): Promise<void>;
  /** The keys that were requested since then, the latest first, each with its time. */
  demandSince(elapsedMs: number): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** Converts the moments that gateways exchange, and takes notice of the time of the store. */
export interface SharedTime extends Pick<Clock, 'elapsedMs'>, Timeline {
  /** As that of `SharedClock`. */
  readonly note?: SharedClock['note'];
}

/** A leader that has not renewed its lease for this long is considered dead; a follower takes over. */
export const leaseMs = 3_000;

/** Demand older than a day is not read. */
export const longestDemandMs = 24 * 60 * 60 * 1000;

/** Who uses a shared cache. */
export interface SharedUse {
  /** The data that the keys are over, as `Engine` has it: their demand is apart from that over other data. */
  readonly source: string;
  /** Large results are encoded and decoded in turns with other long work of the process. */
  readonly turns: LoopTurns;
}

/** @param onConnected called each time that the shared cache has been connected or reconnected */
export type OpenSharedCache = (onConnected: () => void, time: SharedTime, use: SharedUse) => SharedCache;
