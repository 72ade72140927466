import { LRUCache } from 'lru-cache';
import type { Refusal } from '../errors.ts';
import { keyShape } from './key-text.ts';
import type { FindRequest, OpenKeys, Verified } from './key-source.ts';
import type { EndpointNames, Principal } from './principal.ts';

/** All sources of a gateway as one. */
export interface Callers {
  /** True if `find` reads more of a request than the text and the address. */
  readonly readsRequest: boolean;
  /** False if functions of the program alone find callers: by what, the gateway does not know. */
  readonly takesKeys: boolean;
  find(text: string | undefined, request: FindRequest): Principal | Promise<Verified> | undefined;
  /** Why `find` gave none, for the log. */
  explain(text: string): Refusal;
  isKeyText(text: string): boolean;
  watch(): void;
  replaceQueries(queries: EndpointNames): void;
}

/** Characters of the keys whose source is remembered: to ask a source that does not know a key takes time. */
const maxRememberedLength = 2_000_000;

/** The first source that knows a request decides. */
export function joinSources(sources: readonly OpenKeys[]): Callers {
  const [only] = sources;
  const find = only !== undefined && sources.length === 1 ? only.find : findInTurn(sources);
  const takesKeys = sources.some(
    ({ readsRequest, explain }) => readsRequest !== true || explain !== undefined,
  );
  return {
    takesKeys,
    readsRequest: sources.some((source) => source.readsRequest),
    find,
    explain(text) {
      for (const source of sources) {
        const refusal = source.explain?.(text);
        if (refusal !== undefined) return refusal;
      }
      return { reason: takesKeys ? 'unknown' : 'unknown caller' };
    },
    isKeyText: (text) => keyShape.test(text) || sources.some((source) => source.isKeyText?.(text)),
    watch() {
      for (const source of sources) source.watch?.();
    },
    replaceQueries(queries) {
      for (const source of sources) source.replaceQueries?.(queries);
    },
  };
}

/** Which source knew a text when the earlier ones, as they were then, did not. */
interface Remembered {
  readonly at: number;
  /** A key may be bound to addresses. */
  readonly address: string | undefined;
  readonly generation: number;
}

function findInTurn(sources: readonly OpenKeys[]): Callers['find'] {
  const latest = new LRUCache<string, Remembered>({
    maxSize: maxRememberedLength,
    sizeCalculation: (_, text) => text.length,
  });
  // Another part of the request may make it one of an earlier source that reads more than the text.
  const readsMore = sources.findIndex((source) => source.readsRequest || source.generation === undefined);
  const lastRemembered = readsMore < 0 ? sources.length : readsMore;
  const generationBefore = (end: number) => {
    let sum = 0;
    for (let at = 0; at < end; at += 1) sum += sources[at]?.generation?.() ?? 0;
    return sum;
  };
  const findFrom = (
    at: number,
    text: string | undefined,
    request: FindRequest,
  ): Principal | Promise<Verified> | undefined => {
    for (const [index, source] of sources.entries()) {
      if (index < at) continue;
      const found = source.find(text, request);
      if (found === undefined) continue;
      if (!(found instanceof Promise)) {
        const { address } = request;
        if (text && index <= lastRemembered)
          latest.set(text, { at: index, address, generation: generationBefore(index) });
        return found;
      }
      return found.then(async (verified) => {
        if ('principal' in verified) return verified;
        const next = await findFrom(index + 1, text, request);
        if (next === undefined) return verified;
        return 'id' in next ? { principal: next } : next;
      });
    }
    return undefined;
  };
  const remembered = (text: string, request: FindRequest) => {
    const last = latest.get(text);
    const isCurrent =
      last?.address === request.address && last?.generation === generationBefore(last?.at ?? 0);
    return isCurrent ? sources[last.at]?.find(text, request) : undefined;
  };
  return (text, request) => {
    const found = text === undefined ? undefined : remembered(text, request);
    // A text that must be verified again is given to all in turn: another source may know it.
    return found === undefined || found instanceof Promise ? findFrom(0, text, request) : found;
  };
}
