import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { FairShare, Holding, Owner } from '../../concurrency/fair-share.ts';
import { GatewayError } from '../../errors.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { getOrAdd } from '../../get-or-add.ts';
import type { Follow } from '../../results/followers.ts';
import { type ResultDocument, sizeOf } from '../../results/result-document.ts';
import type { Followed } from './followed.ts';
import { type Feed, type FollowRequest, frameBytes, type Watched } from './stream.ts';
import type { Variant } from './events/variant.ts';
import { Watch } from './watch.ts';

interface WatchesOptions {
  readonly follow: Follow;
  readonly newFeed: (watch: Watch, variant: Variant, holding: Holding) => Feed;
  /** True for a query of the catalog that is served. */
  readonly isCurrent: (query: SavedQuery) => boolean;
  readonly clock: PluginHost['clock'];
  /** Bytes of all results that are followed, and of their frames, by the keys that followed each first. */
  readonly memory: FairShare;
}

/** A query that is about to be followed; without a variant, a request only waits for it. */
export interface Beginning extends Pick<Followed, 'call' | 'document'> {
  readonly request: Partial<Pick<FollowRequest, 'variant'>>;
}

/** The results that clients follow, by their cache keys. */
export class Watches {
  readonly #options: WatchesOptions;
  readonly #byKey = new Map<string, Watch>();

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /**
   * The watch of a bound query, which is opened if it is not yet.
   *
   * @param owner who follows it
   * @param document the result as it is known
   * @param base the result of an earlier key of the same request
   */
  of(bound: BoundQuery, owner: Owner, document: ResultDocument | undefined, base?: ResultDocument): Watch {
    const key = this.#options.follow.keyOf(bound);
    const watch = getOrAdd(this.#byKey, key, () => new Watch({ ...this.#options, key, bound, base, owner }));
    // A reload may have changed how often the same result is computed.
    if (watch.bound.query === bound.query || this.#options.isCurrent(bound.query)) watch.renew(bound);
    if (document !== undefined) watch.onResult(document);
    return watch;
  }

  /**
   * Opens the watches and feeds of streams that are about to begin. Results that are followed stay in memory; one that others
   * follow already, in the same variant, takes no more of it.
   *
   * @returns to be called when they have begun, or will not
   * @throws GatewayError OVERLOADED if these results are too large beside those that are followed
   */
  prepare(owner: Owner, queries: readonly Beginning[]): () => void {
    this.#requireRoom(owner, queries);
    const opened = queries.map(({ call: { bound }, document, request: { variant } }) => {
      const watch = this.of(bound, owner, document);
      return { watch, feed: variant && watch.feed(variant, owner) };
    });
    for (const { watch, feed } of opened) {
      watch.beginning += 1;
      if (feed !== undefined) feed.beginning += 1;
    }
    return () => {
      for (const { watch, feed } of opened) {
        watch.beginning -= 1;
        if (feed !== undefined) feed.beginning -= 1;
        this.closeIfUnused(watch, feed);
      }
    };
  }

  closeIfUnused({ key, feeds }: Pick<Watched, 'key' | 'feeds'>, feed?: Feed): void {
    if (feed?.isUnused) {
      feeds.delete(feed.variant.id);
      feed.close();
    }
    const watch = this.#byKey.get(key);
    if (watch?.isUnused !== true) return;
    this.#byKey.delete(key);
    watch.close();
  }

  /** Those whose clients are to follow other keys now. */
  outdated(): readonly Watch[] {
    return [...this.#byKey.values()].filter((watch) => watch.isOutdated());
  }

  /** Lets all who wait for another result go on. */
  wake(): void {
    for (const { waiting } of this.#byKey.values()) for (const resolve of waiting) resolve();
  }

  close(): void {
    for (const watch of this.#byKey.values()) watch.close();
    this.#byKey.clear();
  }

  #requireRoom(owner: Owner, queries: readonly Beginning[]): void {
    const { follow, memory } = this.#options;
    const sizes = new Map<string, number>();
    for (const { call, document, request } of queries) {
      const key = follow.keyOf(call.bound);
      const watch = this.#byKey.get(key);
      if (watch === undefined) sizes.set(key, sizeOf(document));
      const { id } = request.variant ?? {};
      if (id !== undefined && watch?.feeds.has(id) !== true) sizes.set(`${id} ${key}`, frameBytes(document));
    }
    const added = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    // None is refused for its size alone.
    if (added === 0 || memory.used === 0 || memory.mayTake(owner, added)) return;
    throw new GatewayError(
      'OVERLOADED',
      'The results that are followed, with this key or in all, take too much memory; follow fewer or smaller ones, or try again later',
      { retryAfterSeconds: 5 },
    );
  }
}
