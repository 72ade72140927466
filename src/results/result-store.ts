import { EventEmitter } from 'node:events';
import { type DeserializedData, Keyv, type KeyvStoreAdapter } from 'keyv';
import { LRUCache } from 'lru-cache';
import type { Counters } from './counters.ts';
import { type ResultDocument, sizeOf } from './result-document.ts';

/**
 * Results are kept in a Keyv: here in the memory of the process, and for gateways that share them in one over Redis, which
 * `redis/fenced-keyv.ts` opens in the same way. Both are read and written by Keyv's own methods.
 */
export interface ResultStore {
  get(key: string): Promise<ResultDocument | undefined>;
  /** An older result never replaces a newer one. */
  put(key: string, document: ResultDocument): Promise<void>;
  /** The same as `get`, at once: for an answer that was made of a result and is sent again only if it is still the one here. */
  peek(key: string): ResultDocument | undefined;
  /** The same, without keeping it in memory for longer. */
  look(key: string): ResultDocument | undefined;
  /** True if a document is the newest known one of its key. A large one counts also if it has no room in memory. */
  isNewest(key: string, id: ResultDocument['id']): boolean;
  readonly derived: DerivedStore;
}

/** Objects made of results to answer faster. They share the results' memory, and are evicted with them. */
export interface DerivedStore {
  get(key: string): object | undefined;
  /** @param bytes what the value takes; also called when a value has grown */
  set(key: string, value: object, bytes: number): void;
}

/** @param limitBytes of results and what was made of them; the least recently used are evicted first */
export function openResultStore(limitBytes: number, counters: Counters): ResultStore {
  const memory = new BoundedMemory(limitBytes, counters);
  const keyv = new Keyv<ResultDocument>(memory, { useKeyPrefix: false });
  // With Keyv's serializer every write would copy the document, which takes milliseconds.
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  return {
    get: (key) => keyv.get(key),
    async put(key, document) {
      const known = memory.newest(key);
      if (known !== undefined && known.begunAt > document.begunAt) return;
      await keyv.set(key, document);
    },
    isNewest: (key, id) => memory.newest(key)?.id === id,
    peek: (key) => memory.peek(key),
    look: (key) => memory.look(key),
    derived: memory.derived,
  };
}

/** A result as Keyv wraps it. */
type KeptResult = DeserializedData<ResultDocument>;

/** Something that was made of results. */
class Derived {
  readonly made: object;
  readonly bytes: number;

  constructor(made: object, bytes: number) {
    this.made = made;
    this.bytes = bytes;
  }
}

/** The remains of a large result that has no room. */
class Newest {
  readonly id: ResultDocument['id'];
  readonly begunAt: number;

  constructor({ id, begunAt }: ResultDocument) {
    this.id = id;
    this.begunAt = begunAt;
  }
}

/** Only a result itself has a value. */
type Entry = KeptResult | Derived | Newest;

/** Bytes of a result that is expensive to compute: what was made of it is worth keeping without it. */
const largeBytes = 4_000_000;

/** Measured: what an entry takes besides its document and key, for objects, buffer headers and the LRU's own lists. */
const entryBytes = 1_024;

/** The memory of a process as a store of Keyv, bounded in bytes. */
class BoundedMemory extends EventEmitter implements KeyvStoreAdapter {
  readonly opts = {};
  readonly #entries: LRUCache<string, Entry>;
  readonly #counters: Counters;

  constructor(limitBytes: number, counters: Counters) {
    super();
    this.#counters = counters;
    this.#entries = new LRUCache({
      maxSize: limitBytes,
      sizeCalculation: (entry, key) => bytesOf(entry) + 2 * key.length + entryBytes,
      dispose: (entry, _key, reason) => {
        if (!('value' in entry)) return;
        counters.entries -= 1;
        if (reason === 'evict') counters.evictions += 1;
      },
      disposeAfter: (entry, key, reason) => {
        if (reason === 'evict' && 'value' in entry) this.#note(key, entry.value);
      },
    });
  }

  /** Objects made of results, under keys of their own: keys of results begin with JSON text. */
  readonly derived: DerivedStore = {
    get: (key) => {
      const entry = this.#entries.get(`derived ${key}`);
      return entry instanceof Derived ? entry.made : undefined;
    },
    set: (key, value, bytes) => this.#set(`derived ${key}`, new Derived(value, bytes)),
  };

  peek(key: string): ResultDocument | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && 'value' in entry ? entry.value : undefined;
  }

  look(key: string): ResultDocument | undefined {
    const entry = this.#entries.peek(key);
    return entry !== undefined && 'value' in entry ? entry.value : undefined;
  }

  newest(key: string): Pick<ResultDocument, 'id' | 'begunAt'> | undefined {
    const entry = this.#entries.get(key);
    return entry instanceof Newest ? entry : this.peek(key);
  }

  async get<Value>(key: string): Promise<DeserializedData<Value> | undefined> {
    const entry = this.#entries.get(key);
    return entry !== undefined && 'value' in entry ? (entry as DeserializedData<Value>) : undefined;
  }

  async set(key: string, entry: KeptResult): Promise<void> {
    this.#set(key, entry);
    if (this.#entries.peek(key) === entry) this.#counters.entries += 1;
    // One that is larger than the whole memory is not stored.
    else this.#note(key, entry.value);
  }

  async delete(key: string): Promise<boolean> {
    return this.#entries.delete(key);
  }

  async clear(): Promise<void> {
    this.#entries.clear();
  }

  #note(key: string, document: ResultDocument | undefined): void {
    if (document !== undefined && document.encodings.identity.byteLength > largeBytes)
      this.#set(key, new Newest(document));
  }

  #set(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#counters.bytes = this.#entries.calculatedSize;
  }
}

function bytesOf(entry: Entry): number {
  if (entry instanceof Derived) return entry.bytes;
  return 'value' in entry && entry.value !== undefined ? sizeOf(entry.value) : 0;
}
