import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../call/caller.ts';
import { labelsHeader } from '../call/gate.ts';
import { userOf } from '../catalog/binding/session-user.ts';
import type { CurrentResults, UsedResult } from '../results/current-results.ts';
import type { ObtainedResult } from '../results/get-result.ts';
import type { DerivedStore } from '../results/result-store.ts';
import type { ResultDocument } from '../results/result-document.ts';
import type { Span } from '../trace/span.ts';
import { rightsOf, rightsOfKey } from './rights.ts';

/** An answer that was found, with the results that it is made of as its caller gets them now, in the order they were obtained. */
export interface FoundAnswer<T> {
  readonly value: T;
  readonly results: readonly ObtainedResult[];
}

/** An answer to be kept. */
export interface NewAnswer<T> {
  readonly value: T;
  /** Its size in memory, without the results. */
  readonly bytes: number;
  /** Set if it may be sent without its one result in memory: what plug-ins see of that then. */
  readonly standIn?: ResultDocument | undefined;
}

/**
 * Finished answers to the requests of one version of the catalog. One is found by its request and the rights of its caller, as
 * long as every result that it is made of is the current one: neither binding, nor an executor, nor a renderer is needed.
 */
export interface Answers<T extends object> {
  /**
   * The answer to a request, which counts as a hit of each of its results. They are shown to the plug-ins.
   *
   * @param key all of the request that decides its answer, beside what its caller may read, and labels
   * @returns undefined without one that may be sent now; the request then goes its usual way, which also has the reason
   */
  find(key: string, caller: Caller): FoundAnswer<T> | undefined;
  /**
   * Keeps an answer from the second time on that it is made: most requests that are new are sent once. One of the same results
   * that is kept already stays.
   *
   * @param make is called if it is kept
   * @param isCostly it is kept from its first time on
   */
  keep(key: string, caller: Caller, make: () => NewAnswer<T>, isCostly?: boolean): void;
  /** Notes that an answer that was found takes more memory. */
  grow(key: string, caller: Caller, answer: NewAnswer<T>): void;
}

/** Opens a part of the store, in which nothing else finds or keeps an answer: for one version of the catalog. */
export type OpenAnswers = <T extends object>() => Answers<T>;

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

/** Characters of the requests that are remembered because they were answered once; longer ago counts as never. */
const maxAnsweredOnce = 400_000;

/** Estimated: what an entry takes for objects beside its value, and what each of its results takes. */
const entryBytes = 512;

export function buildAnswers(options: AnswersOptions): OpenAnswers {
  const answeredOnce = new LRUCache<string, true>({
    maxSize: maxAnsweredOnce,
    sizeCalculation: (_, name) => name.length,
  });
  let parts = 0;
  return <T extends object>() => {
    parts += 1;
    return new PartAnswers(options, answeredOnce, `answer ${parts} `) as Answers<T>;
  };
}

class PartAnswers implements Answers<object> {
  readonly #options: AnswersOptions;
  readonly #answeredOnce: LRUCache<string, true>;
  readonly #prefix: string;

  constructor(options: AnswersOptions, answeredOnce: LRUCache<string, true>, prefix: string) {
    this.#options = options;
    this.#answeredOnce = answeredOnce;
    this.#prefix = prefix;
  }

  find(key: string, { head, admission }: Caller): FoundAnswer<object> | undefined {
    const { principal, noCache } = admission;
    // A key whose concurrent queries all run gets no cached result either.
    if (noCache || principal.concurrencyLimiter?.isFull) return undefined;
    const { store, current, showResult } = this.#options;
    const { [labelsName]: labels } = head.headers;
    const request = labels === undefined ? `\n${key}` : `${labelsOf(labels)}\n${key}`;
    const kept = (store.get(`${this.#prefix}${rightsOf(principal)}${request}`) ??
      store.get(`${this.#prefix}${rightsOfKey(principal)}${request}`)) as KeptAnswer | undefined;
    if (kept === undefined) return undefined;
    const results = current.current(kept.used);
    if (results === undefined) return undefined;
    const shownBefore = head.results?.length ?? 0;
    try {
      for (const obtained of results) showResult(obtained, head);
    } catch {
      // A plug-in refuses it.
      head.results?.splice(shownBefore);
      return undefined;
    }
    current.countHits(kept.used);
    if (head.trace?.span !== undefined) traceHits(head.trace.span, results);
    return { value: kept.value, results };
  }

  keep(key: string, caller: Caller, make: () => NewAnswer<object>, isCostly = false): void {
    const name = this.#nameOf(key, caller);
    if (name === undefined) return;
    const known = this.#options.store.get(name) as KeptAnswer | undefined;
    if (known === undefined && !isCostly && !this.#isRepeated(name)) return;
    const used = this.#usedOf(caller);
    if (used !== undefined && (known === undefined || !areSame(known.used, used)))
      this.#set(name, used, make());
  }

  grow(key: string, caller: Caller, answer: NewAnswer<object>): void {
    const name = this.#nameOf(key, caller);
    const used = this.#usedOf(caller);
    if (name !== undefined && used !== undefined) this.#set(name, used, answer);
  }

  /** @returns undefined if no answer to this request is kept */
  #nameOf(key: string, { head, admission }: Caller): string | undefined {
    const { principal, noCache } = admission;
    if (noCache || head.results === undefined) return undefined;
    // No other key may find what a query has made of the key's id.
    const hasUser = head.results.some(({ bound }) => userOf(bound).length > 0);
    const rights = hasUser ? rightsOfKey(principal) : rightsOf(principal);
    const { [labelsName]: labels } = head.headers;
    return `${this.#prefix}${rights}${labels === undefined ? '' : labelsOf(labels)}\n${key}`;
  }

  #set(name: string, used: readonly UsedResult[], { value, bytes, standIn }: NewAnswer<object>): void {
    const ofResults = used.reduce((sum, one) => sum + entryBytes + 2 * one.key.length, entryBytes);
    const [only] = used;
    const isOfIt = used.length === 1 && only?.documentId === standIn?.id;
    this.#options.store.set(
      name,
      { value, used: isOfIt && only ? [{ ...only, standIn }] : used },
      bytes + ofResults,
    );
  }

  #isRepeated(name: string): boolean {
    if (this.#answeredOnce.has(name)) return true;
    this.#answeredOnce.set(name, true);
    return false;
  }

  /** @returns undefined if one of the results of a request is not the current one */
  #usedOf({ head: { results = [] } }: Caller): readonly UsedResult[] | undefined {
    const used: UsedResult[] = [];
    for (const one of results) {
      const use = this.#options.current.use(one);
      if (use === undefined) return undefined;
      used.push(use);
    }
    return used;
  }
}

const areSame = (a: readonly UsedResult[], b: readonly UsedResult[]): boolean =>
  a.length === b.length && a.every(({ documentId }, at) => documentId === b[at]?.documentId);

const labelsName = labelsHeader.toLowerCase();

/** Wrong labels are refused, and others are in what plug-ins see of a result, and on the bill of what refreshes it. */
const labelsOf = (labels: string): string => hash('sha256', labels, 'base64url');

/** As results have a span that are obtained. */
function traceHits(ofRequest: Span, results: readonly ObtainedResult[]): void {
  for (const { bound } of results) {
    const span = ofRequest.start('result', { 'querygate.endpoint': bound.query.name });
    span.set({ 'querygate.cache': 'hit' });
    span.end();
  }
}
