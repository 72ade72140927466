import { LRUCache } from 'lru-cache';
import type { BoundQuery } from '../catalog/binding/bind.ts';
import type { CachePolicy } from '../catalog/saved-query.ts';

/** A key that somebody asks for, and what is known of its answer. Moments are milliseconds since the epoch. */
export interface HotKey {
  readonly key: string;
  readonly bound: BoundQuery;
  readonly policy: CachePolicy;
  /** True where the query's header asks for it, whoever else does. */
  readonly pinned: boolean;
  askedAt: number;
  /** Up to when other gateways know that it is asked for. */
  toldAt: number;
  /** When the newest answer was computed; undefined where nobody has looked yet. */
  computedAt: number | undefined;
  /** Failed attempts since that answer. */
  failures: number;
  /** When it is refreshed, or tried again. */
  nextAt: number;
}

/** How many keys are kept warm; beyond that, those that were asked for least recently go first. */
export const hotKeyLimit = 1_000;

/** A longer key is answered like any other, but not kept warm: it would take memory, and nobody asks it twice. */
const longestKey = 2_048;

/** After a failure it is tried again soon, and then less and less often. */
const firstRetryMs = 1_000;
const lastRetryMs = 15_000;

/** Which keys are asked for, and when each answer is due. */
export class HotKeys {
  readonly #pinned = new Map<string, HotKey>();
  readonly #asked = new LRUCache<string, HotKey>({ max: hotKeyLimit });

  get size(): number {
    return this.#pinned.size + this.#asked.size;
  }

  /** Keeps a key warm from now on, whether it is asked for or not. */
  pin(key: string, bound: BoundQuery, policy: CachePolicy, now: number): void {
    this.#pinned.set(key, { ...newWanted(key, bound, policy, now), pinned: true, nextAt: now });
  }

  /** Somebody asks for a key here. */
  note(key: string, bound: BoundQuery, policy: CachePolicy, now: number): void {
    const known = this.#pinned.get(key) ?? this.#asked.get(key);
    if (known !== undefined) known.askedAt = now;
    else if (key.length <= longestKey) this.#asked.set(key, newWanted(key, bound, policy, now));
  }

  /** A known key was asked for elsewhere. @returns false where it is not known */
  hear(key: string, askedAt: number): boolean {
    const known = this.#peek(key);
    if (known === undefined) return false;
    known.askedAt = Math.max(known.askedAt, askedAt);
    return true;
  }

  /** A new key was asked for elsewhere, or before the start: its answer is to be looked for. */
  adopt(key: string, bound: BoundQuery, policy: CachePolicy, askedAt: number): void {
    if (policy.warmingSeconds === undefined || this.#asked.size >= hotKeyLimit) return;
    this.#asked.set(key, { ...newWanted(key, bound, policy, askedAt), toldAt: askedAt, nextAt: askedAt });
  }

  /** An answer is known, of a run that began at a moment. */
  learn(key: string, computedAt: number): void {
    const wanted = this.#peek(key);
    if (wanted === undefined || computedAt <= (wanted.computedAt ?? -1)) return;
    const { warmingSeconds } = wanted.policy;
    wanted.computedAt = computedAt;
    wanted.failures = 0;
    // A little early, and not all together.
    const waitMs = (warmingSeconds ?? Number.POSITIVE_INFINITY) * 1000 * (0.9 + 0.1 * Math.random());
    wanted.nextAt = computedAt + waitMs;
  }

  fail(key: string, now: number): void {
    const wanted = this.#peek(key);
    // A question that never had an answer is not asked again by itself.
    if (wanted === undefined || (wanted.computedAt === undefined && !wanted.pinned)) return;
    wanted.failures += 1;
    const waitMs = Math.min(firstRetryMs * 2 ** (wanted.failures - 1), lastRetryMs);
    wanted.nextAt = now + waitMs * (0.5 + 0.5 * Math.random());
  }

  /** True where the engine has failed since the newest answer: nobody need wait to see it fail again. */
  isFailing(key: string): boolean {
    return (this.#peek(key)?.failures ?? 0) > 0;
  }

  /** What is to be refreshed now, the longest overdue first. What nobody asks for any longer is forgotten. */
  due(now: number): readonly HotKey[] {
    for (const [key, { askedAt, policy }] of [...this.#asked.entries()]) {
      if (askedAt + policy.ttlSeconds * 1000 < now) this.#asked.delete(key);
    }
    return this.#all()
      .filter(({ nextAt }) => nextAt <= now)
      .sort((a, b) => a.nextAt - b.nextAt);
  }

  /** What other gateways have not been told yet; they have been, from now on. */
  takeNews(): ReadonlyMap<string, number> {
    const news = this.#all().filter(
      ({ askedAt, toldAt, policy }) => askedAt > toldAt && policy.warmingSeconds !== undefined,
    );
    for (const wanted of news) wanted.toldAt = wanted.askedAt;
    return new Map(news.map(({ key, askedAt }) => [key, askedAt]));
  }

  #all(): readonly HotKey[] {
    return [...this.#pinned.values(), ...this.#asked.values()];
  }

  #peek(key: string): HotKey | undefined {
    return this.#pinned.get(key) ?? this.#asked.peek(key);
  }
}

function newWanted(key: string, asked: BoundQuery, policy: CachePolicy, askedAt: number): HotKey {
  // Labels are of one request: what is run for all is not on its bill.
  const { labels: _, ...bound } = asked;
  return {
    key,
    bound,
    policy,
    pinned: false,
    askedAt,
    toldAt: 0,
    computedAt: undefined,
    failures: 0,
    nextAt: Number.POSITIVE_INFINITY,
  };
}
