import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import type { Counters } from './counters.ts';
import { type ResultDocument, sizeOf } from './result-document.ts';

/** Results in the memory of this process, bounded in bytes; the least recently used are evicted first. */
export interface MemoryStore {
  /** Not a promise: most requests need nothing else, and a hit should cost no turn of the event loop. */
  get(key: string): ResultDocument | undefined;
  /** Whether a document is the newest of its key, as far as that is known; of a large one, also if it has no room in memory. */
  isNewest(key: string, id: ResultDocument['id']): boolean;
  /** An older result never replaces a newer one. */
  put(key: string, document: ResultDocument): Promise<void>;
  readonly derived: DerivedStore;
}

/** What was made of results to answer faster: it shares their memory, and is evicted with them. */
export interface DerivedStore {
  get(key: string): object | undefined;
  /** @param bytes what the value takes; also called when a value has grown */
  set(key: string, value: object, bytes: number): void;
}

/** A document as Keyv wraps it, what is left of a large one that has no room, or a derived value. */
type Entry =
  | { readonly value: ResultDocument }
  | { readonly newest: Pick<ResultDocument, 'id' | 'begunAt'> }
  | { readonly derived: object; readonly bytes: number };

/** Bytes of a result that is expensive to compute: what was made of it is worth keeping without it. */
const largeBytes = 4_000_000;

/** Measured: what an entry takes besides its document and key, for objects, buffer headers and the LRU's own lists. */
const entryBytes = 1_024;

export function openMemoryStore(limitBytes: number, counters: Counters): MemoryStore {
  const lru = new LRUCache<string, Entry>({
    maxSize: limitBytes,
    sizeCalculation: (entry, key) =>
      ('value' in entry ? sizeOf(entry.value) : 'bytes' in entry ? entry.bytes : 0) +
      2 * key.length +
      entryBytes,
    dispose: (entry, _key, reason) => {
      if (!('value' in entry)) return;
      counters.entries -= 1;
      if (reason === 'evict') counters.evictions += 1;
    },
    disposeAfter: (entry, key, reason) => {
      if (reason === 'evict' && 'value' in entry) noteNewest(key, entry.value);
    },
  });
  const noteNewest = (key: string, { id, begunAt, encodings }: ResultDocument) => {
    if (encodings.identity.byteLength > largeBytes) lru.set(key, { newest: { id, begunAt } });
  };
  const store: Pick<Map<string, Entry>, 'get' | 'delete' | 'clear'> & {
    set(key: string, entry: Entry): void;
  } = {
    get: (key) => lru.get(key),
    set: (key, entry) => {
      lru.set(key, entry);
      // An entry larger than the whole memory is not stored.
      if ('value' in entry && lru.peek(key) === entry) counters.entries += 1;
      counters.bytes = lru.calculatedSize;
    },
    delete: (key) => lru.delete(key),
    clear: () => lru.clear(),
  };
  const keyv = new Keyv<ResultDocument>(store as Map<string, Entry>, { useKeyPrefix: false });
  // With Keyv's serializer every write would copy the document, which takes milliseconds.
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  const documentOf = (entry: Entry | undefined) =>
    entry !== undefined && 'value' in entry ? entry.value : undefined;
  const newestOf = (entry: Entry | undefined) =>
    entry !== undefined && 'newest' in entry ? entry.newest : documentOf(entry);
  return {
    // Keyv's own `get` returns the same, by way of three promises.
    get: (key) => documentOf(lru.get(key)),
    isNewest: (key, id) => newestOf(lru.get(key))?.id === id,
    async put(key, document) {
      const known = newestOf(lru.peek(key));
      if (known !== undefined && known.begunAt > document.begunAt) return;
      await keyv.set(key, document);
      if (lru.peek(key) === undefined) noteNewest(key, document);
    },
    derived: {
      get(key) {
        // Keys of results begin with JSON text.
        const entry = lru.get(`derived ${key}`);
        return entry !== undefined && 'derived' in entry ? entry.derived : undefined;
      },
      set: (key, derived, bytes) => store.set(`derived ${key}`, { derived, bytes }),
    },
  };
}
