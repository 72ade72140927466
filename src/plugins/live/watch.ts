import { type BoundQuery, isOutdated } from '../../catalog/binding/bind.ts';
import { followSeconds } from '../../catalog/model/saved-query.ts';
import { type FairShare, Holding, type Owner } from '../../concurrency/fair-share.ts';
import type { Follow, Follower } from '../../results/followers.ts';
import { type ResultDocument, sizeOf } from '../../results/result-document.ts';
import { GatewayError } from '../../errors.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';
import type { Feed, Watched } from './stream.ts';
import type { Variant } from './events/variant.ts';

interface WatchOptions {
  readonly key: string;
  readonly bound: BoundQuery;
  /** The result of clients that followed an earlier key of the same request. */
  readonly base: ResultDocument | undefined;
  readonly follow: Follow;
  readonly newFeed: (watch: Watch, variant: Variant, holding: Holding) => Feed;
  readonly clock: PluginHost['clock'];
  /** Bytes of all results that are followed, and of their frames, by the keys that followed each first. */
  readonly memory: FairShare;
  readonly owner: Owner;
}

/** One result while clients follow it. */
export class Watch implements Follower, Watched {
  readonly key: string;
  readonly base: ResultDocument | undefined;
  readonly feeds = new Map<string, Feed>();
  bound: BoundQuery;
  document: ResultDocument | undefined;
  /** The reason for having no newer result, once the latest one has expired. */
  failure: GatewayError | undefined;
  /** Functions of those who wait for another result, each called once. */
  readonly waiting = new Set<() => void>();
  /** Streams that are about to begin. */
  beginning = 0;
  readonly #options: WatchOptions;
  readonly #holding: Holding;
  #unfollow: () => void;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.key = options.key;
    this.bound = options.bound;
    this.base = options.base;
    this.document = options.follow.latest(options.key);
    this.#unfollow = options.follow.follow(options.bound, this);
    this.#holding = new Holding(options.memory, options.owner);
    if (this.document !== undefined) this.#holding.set(sizeOf(this.document));
  }

  /** The feed of a variant. @param owner who follows it */
  feed(variant: Variant, owner: Owner): Feed {
    const { newFeed, memory } = this.#options;
    return getOrAdd(this.feeds, variant.id, () => newFeed(this, variant, new Holding(memory, owner)));
  }

  get isUnused(): boolean {
    return this.feeds.size === 0 && this.waiting.size === 0 && this.beginning === 0;
  }

  onResult(document: ResultDocument): void {
    const before = this.document;
    if (before !== undefined && document.begunAt < before.begunAt) return;
    this.document = document;
    this.#holding.set(sizeOf(document));
    if (before?.digest === document.digest && this.failure === undefined) {
      for (const feed of this.feeds.values()) if (feed.state === 'behind') feed.update();
      return;
    }
    this.failure = undefined;
    this.#update();
  }

  onFailure(error: unknown, mayServe: (document: ResultDocument) => boolean): void {
    const failure = error instanceof GatewayError ? error : new GatewayError('INTERNAL', 'Internal error');
    if (failure.code === 'CANCELLED' || this.failure?.code === failure.code) return;
    if (this.document !== undefined && mayServe(this.document)) return;
    this.failure = failure;
    this.#update();
  }

  /** True if its relative values have changed, and its next refresh is due. */
  isOutdated(): boolean {
    const { clock } = this.#options;
    if (!isOutdated(this.bound, clock.now().getTime())) return false;
    const refreshMs = (followSeconds(this.bound.query.caching) ?? 0) * 1000;
    return clock.elapsedMs() >= (this.document?.begunAt ?? Number.NEGATIVE_INFINITY) + refreshMs;
  }

  renew(bound: BoundQuery): void {
    const moment = this.#options.clock.now().getTime();
    if (bound.query === this.bound.query && !isOutdated(this.bound, moment)) return;
    this.bound = bound;
    this.#unfollow();
    this.#unfollow = this.#options.follow.follow(bound, this);
  }

  close(): void {
    this.#unfollow();
    this.#holding.close();
    for (const feed of this.feeds.values()) feed.close();
  }

  #update(): void {
    for (const feed of this.feeds.values()) feed.update();
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}
