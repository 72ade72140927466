import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import type { Counters } from './counters.ts';
import { type ResultDocument, sizeOf } from './result-document.ts';

/** Results in the memory of this process, bounded in bytes; the least recently used are evicted first. */
export interface MemoryStore {
  get(key: string): Promise<ResultDocument | undefined>;
  /** An older result never replaces a newer one. */
  put(key: string, document: ResultDocument): Promise<void>;
}

/** A document as Keyv wraps it. */
interface Entry {
  readonly value: ResultDocument;
}

/** Measured: the memory of an entry besides its document and key, for objects, buffer headers and the LRU's lists. */
const entryBytes = 1_024;

export function openMemoryStore(limitBytes: number, counters: Counters): MemoryStore {
  const lru = new LRUCache<string, Entry>({
    maxSize: limitBytes,
    sizeCalculation: ({ value }, key) => sizeOf(value) + 2 * key.length + entryBytes,
    dispose: (_value, _key, reason) => {
      if (reason === 'evict') counters.evictions += 1;
    },
  });
  const store: Pick<Map<string, Entry>, 'get' | 'delete' | 'clear'> & {
    set(key: string, entry: Entry): void;
  } = {
    get: (key) => lru.get(key),
    set: (key, entry) => {
      lru.set(key, entry);
      counters.entries = lru.size;
      counters.bytes = lru.calculatedSize;
    },
    delete: (key) => lru.delete(key),
    clear: () => lru.clear(),
  };
  const keyv = new Keyv<ResultDocument>(store as Map<string, Entry>, { useKeyPrefix: false });
  // With Keyv's serializer every hit would copy the document, which takes milliseconds.
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  return {
    get: (key) => keyv.get(key),
    async put(key, document) {
      const stored = lru.peek(key)?.value;
      if (stored === undefined || stored.computedAt <= document.computedAt) await keyv.set(key, document);
    },
  };
}
