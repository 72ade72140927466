import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { type CachePolicy, followSeconds } from '../../catalog/model/saved-query.ts';
import type { FairShare, Owner } from '../../concurrency/fair-share.ts';
import { mayServeStale } from '../../results/compute.ts';
import type { Follow, Follower } from '../../results/followers.ts';
import { keepMs, ageMs } from '../../results/freshness.ts';
import { type ResultDocument, sizeOf } from '../../results/result-document.ts';
import { GatewayError } from '../../errors.ts';
import type { Feed, Watched } from './stream.ts';
import type { Variant } from './variant.ts';

interface WatchOptions {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  /** What clients have that followed an earlier key of the same request. */
  readonly base: ResultDocument | undefined;
  readonly follow: Follow;
  readonly newFeed: (watch: Watch, variant: Variant) => Feed;
  readonly now: () => number;
  /** Bytes of all results that are followed, by the keys that followed each first. */
  readonly memory: FairShare;
  readonly owner: Owner;
}

/** One result while clients follow it. */
export class Watch implements Follower, Watched {
  readonly key: string;
  readonly policy: CachePolicy;
  readonly base: ResultDocument | undefined;
  readonly feeds = new Map<string, Feed>();
  bound: BoundQuery;
  document: ResultDocument | undefined;
  /** Why there is no newer result, once the latest one has expired. */
  failure: GatewayError | undefined;
  /** Who waits for another result, each once. */
  readonly waiting = new Set<() => void>();
  /** Streams that are about to begin. */
  beginning = 0;
  readonly #options: WatchOptions;
  #bytes = 0;
  #unfollow: () => void;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.key = options.key;
    this.bound = options.bound;
    this.policy = options.policy;
    this.base = options.base;
    this.document = options.follow.latest(options.key);
    this.#unfollow = options.follow.follow(options.bound, this);
    this.countBytes();
  }

  /** The feed of a variant. */
  feed(variant: Variant): Feed {
    const known = this.feeds.get(variant.id);
    if (known !== undefined) return known;
    const feed = this.#options.newFeed(this, variant);
    this.feeds.set(variant.id, feed);
    return feed;
  }

  get isUnused(): boolean {
    return this.feeds.size === 0 && this.waiting.size === 0 && this.beginning === 0;
  }

  onResult(document: ResultDocument): void {
    const before = this.document;
    if (before !== undefined && document.computedAt < before.computedAt) return;
    this.document = document;
    this.countBytes();
    if (before?.digest === document.digest && this.failure === undefined) {
      for (const feed of this.feeds.values()) if (feed.isBehind) feed.update();
      return;
    }
    this.failure = undefined;
    this.#update();
  }

  onFailure(error: unknown): void {
    const failure = error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'Internal error');
    if (failure.code === 'CANCELLED' || this.failure?.code === failure.code) return;
    const { document, policy } = this;
    const isUsable = document !== undefined && ageMs(document, this.#options.now()) < keepMs(policy);
    if (mayServeStale(error) && isUsable) return;
    this.failure = failure;
    this.#update();
  }

  /** Whether its relative values have changed, and its next refresh is due. */
  isOutdated(now: number): boolean {
    const { validUntil = Number.POSITIVE_INFINITY } = this.bound;
    if (now < validUntil) return false;
    const refreshMs = (followSeconds(this.policy) ?? 0) * 1000;
    return now >= (this.document?.computedAt ?? 0) + refreshMs;
  }

  rebind(bound: BoundQuery): void {
    this.bound = bound;
    this.#unfollow();
    this.#unfollow = this.#options.follow.follow(bound, this);
  }

  /** To be called when what it has in memory has changed. */
  countBytes(): void {
    const ofDocument = this.document === undefined ? 0 : sizeOf(this.document);
    this.#count([...this.feeds.values()].reduce((sum, { bytes }) => sum + bytes, ofDocument));
  }

  close(): void {
    this.#unfollow();
    this.#count(0);
  }

  #count(bytes: number): void {
    const { memory, owner } = this.#options;
    memory.take(owner, bytes - this.#bytes);
    this.#bytes = bytes;
  }

  #update(): void {
    for (const feed of this.feeds.values()) feed.update();
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
