import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import type { Counters } from './counters.ts';
import { type ResultDocument, sizeOf } from './result-document.ts';

/** Answers in this process, bounded in bytes; the ones that were used least recently go first. */
export interface MemoryStore {
  get(key: string): Promise<ResultDocument | undefined>;
  /** An older content never takes the place of a newer one. */
  put(key: string, content: ResultDocument): Promise<void>;
}

/** A content as Keyv wraps it. */
interface Entry {
  readonly value: ResultDocument;
}

/** What an entry takes besides its bytes and its key: objects, buffers' headers, the cache's own lists. Measured. */
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
  // Without its serialiser Keyv hands the bytes on; with it every hit would cost milliseconds.
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  return {
    get: (key) => keyv.get(key),
    async put(key, content) {
      const kept = lru.peek(key)?.value;
      if (kept === undefined || kept.computedAt <= content.computedAt) await keyv.set(key, content);
    },
  };
}
