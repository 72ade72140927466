import type { BoundQuery } from '../../catalog/binding/bind.ts';
import { getOrAdd } from '../../get-or-add.ts';
import type { Follow } from '../../results/followers.ts';
import type { ResultDocument } from '../../results/result-document.ts';
import type { Feed, Watched } from './stream.ts';
import type { Variant } from './variant.ts';
import { Watch } from './watch.ts';

interface WatchesOptions {
  readonly follow: Follow;
  readonly newFeed: (watch: Watch, variant: Variant) => Feed;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
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
   * @param document the result as it is known
   * @param base the result of an earlier key of the same request
   */
  of(bound: BoundQuery, document: ResultDocument | undefined, base?: ResultDocument): Watch {
    const { caching: policy } = bound.query;
    if (policy === 'disabled') throw new Error(`${bound.query.name} is not cached`);
    const key = this.#options.follow.keyOf(bound);
    const watch = getOrAdd(this.#byKey, key, () => new Watch({ ...this.#options, key, bound, policy, base }));
    if (document !== undefined) watch.onResult(document);
    return watch;
  }

  closeIfUnused({ key }: Pick<Watched, 'key'>): void {
    const watch = this.#byKey.get(key);
    if (watch?.isUnused !== true) return;
    this.#byKey.delete(key);
    watch.close();
  }

  /** Those whose clients are to follow other keys now. */
  outdated(): readonly Watch[] {
    const now = this.#options.now();
    return [...this.#byKey.values()].filter((watch) => watch.isOutdated(now));
  }

  /** Lets all who wait for another result go on. */
  wake(): void {
    for (const { waiting } of this.#byKey.values()) for (const resolve of waiting) resolve();
  }

  close(): void {
    for (const watch of this.#byKey.values()) watch.close();
    this.#byKey.clear();
  }
}
