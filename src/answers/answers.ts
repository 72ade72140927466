import { LRUCache } from 'lru-cache';
import type { Caller } from '../call/caller.ts';
import { userOf } from '../catalog/binding/session-user.ts';
import type { CurrentResults, UsedResult } from '../results/current-results.ts';
import type { CachedResult, ObtainedResult } from '../results/get-result.ts';
import type { DerivedStore } from '../results/memory-store.ts';
import { rightsOf, rightsOfKey } from './rights.ts';

/** An answer that was found, with the results that it is made of as its caller gets them now, in the order they were obtained. */
export interface FoundAnswer<T> {
  readonly value: T;
  readonly results: readonly CachedResult[];
}

/** An answer to be kept. */
export interface NewAnswer<T> {
  readonly value: T;
  /** What it takes in memory beside the results. */
  readonly bytes: number;
}

/**
 * Finished answers to the requests of one version of the catalog. One is found by its request and the rights of its caller, as
 * long as every result that it is made of is the current one: neither binding, nor an executor, nor a renderer is needed.
 */
export interface Answers<T extends object> {
  /**
   * The answer to a request, which counts as a hit of each of its results. They are shown to the plug-ins.
   *
   * @param key all of the request that decides its answer, beside what its caller may read
   * @returns undefined without one that may be sent now; the request then goes its usual way, which also has the reason
   */
  find(key: string, caller: Caller): FoundAnswer<T> | undefined;
  /**
   * Keeps an answer from the second time on that it is made: most requests that are new are sent once.
   *
   * @param make is called if it is kept
   * @param isCostly it is kept from its first time on
   */
  keep(key: string, caller: Caller, make: () => NewAnswer<T>, isCostly?: boolean): void;
}

/** Opens a part of the store for one version of the catalog. @param kind distinguishes parts of one version */
export type AnswersOf = <T extends object>(kind: string) => Answers<T>;

interface AnswersOptions {
  /** The memory of results. */
  readonly store: DerivedStore;
  readonly current: CurrentResults;
  /** @throws GatewayError to refuse a result */
  readonly showResult: (obtained: ObtainedResult, head: Pick<Caller['head'], 'results'>) => void;
}

interface KeptAnswer {
  readonly value: object;
  readonly used: readonly UsedResult[];
}

/** How many requests are remembered that were answered once; longer ago counts as never. */
const maxAnsweredOnce = 1_000;

/** Estimated: what an entry takes for objects beside its value, and what each of its results takes. */
const entryBytes = 512;

/** @returns for each version of the catalog what opens its parts of the store */
export function buildAnswers(options: AnswersOptions): () => AnswersOf {
  const answeredOnce = new LRUCache<string, true>({ max: maxAnsweredOnce });
  let versions = 0;
  return () => {
    versions += 1;
    const version = versions;
    return <T extends object>(kind: string) =>
      new VersionAnswers(options, answeredOnce, `answer ${version} ${kind} `) as Answers<T>;
  };
}

class VersionAnswers implements Answers<object> {
  readonly #options: AnswersOptions;
  readonly #answeredOnce: LRUCache<string, true>;
  readonly #prefix: string;

  constructor(options: AnswersOptions, answeredOnce: LRUCache<string, true>, prefix: string) {
    this.#options = options;
    this.#answeredOnce = answeredOnce;
    this.#prefix = prefix;
  }

  find(key: string, caller: Caller): FoundAnswer<object> | undefined {
    const { principal, noCache } = caller.admission;
    // A key whose concurrent queries all run gets no cached result either.
    if (noCache || principal.concurrencyLimiter?.isFull) return undefined;
    const kept = this.#get(rightsOf(principal), key) ?? this.#get(rightsOfKey(principal), key);
    if (kept === undefined) return undefined;
    const { used, value } = kept;
    const results = this.#currentOf(used);
    if (results === undefined || !this.#show(used, results, caller)) return undefined;
    return { value, results };
  }

  keep(key: string, caller: Caller, make: () => NewAnswer<object>, isCostly = false): void {
    const { principal, noCache } = caller.admission;
    const used = noCache ? undefined : this.#usedOf(caller.head.results);
    if (used === undefined) return;
    // No other key may find what a query has made of the key's id.
    const rights = used.some(({ bound }) => userOf(bound).length > 0)
      ? rightsOfKey(principal)
      : rightsOf(principal);
    const name = `${this.#prefix}${rights}${key}`;
    const { store } = this.#options;
    if (!isCostly && store.get(name) === undefined && !this.#isRepeated(name)) return;
    const { value, bytes } = make();
    const ofResults = used.reduce((sum, one) => sum + entryBytes + 2 * one.key.length, entryBytes);
    store.set(name, { value, used }, bytes + ofResults);
  }

  #get(rights: string, key: string): KeptAnswer | undefined {
    return this.#options.store.get(`${this.#prefix}${rights}${key}`) as KeptAnswer | undefined;
  }

  #isRepeated(name: string): boolean {
    if (this.#answeredOnce.has(name)) return true;
    this.#answeredOnce.set(name, true);
    return false;
  }

  #usedOf(obtained: readonly ObtainedResult[] | undefined): readonly UsedResult[] | undefined {
    if (obtained === undefined) return undefined;
    const used: UsedResult[] = [];
    for (const one of obtained) {
      const use = this.#options.current.use(one);
      if (use === undefined) return undefined;
      used.push(use);
    }
    return used;
  }

  #currentOf(used: readonly UsedResult[]): readonly CachedResult[] | undefined {
    const results: CachedResult[] = [];
    for (const one of used) {
      const result = this.#options.current.current(one);
      if (result === undefined) return undefined;
      results.push(result);
    }
    return results;
  }

  /** @returns false if a plug-in refuses one of them */
  #show(used: readonly UsedResult[], results: readonly CachedResult[], { head }: Caller): boolean {
    const { current, showResult } = this.#options;
    const shownBefore = head.results?.length ?? 0;
    try {
      for (const [at, { bound }] of used.entries()) {
        const result = results[at];
        if (result !== undefined) showResult({ bound, result }, head);
      }
    } catch {
      head.results?.splice(shownBefore);
      return false;
    }
    for (const [at, one] of used.entries()) {
      const result = results[at];
      if (result === undefined) continue;
      current.countHit(one, result);
      traceHit(head, one);
    }
    return true;
  }
}

/** As results have a span that are obtained. */
function traceHit({ trace }: Caller['head'], { bound }: UsedResult): void {
  const span = trace?.span?.start('result', { 'querygate.endpoint': bound.query.name });
  span?.set({ 'querygate.cache': 'hit' });
  span?.end();
}
