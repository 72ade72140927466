import KeyvRedis from '@keyv/redis';
import { type DeserializedData, Keyv } from 'keyv';
import type { Client } from '../../redis/connection.ts';
import { maxEntryLength } from './entry-codec.ts';
import { put } from './scripts.ts';

/** Keyv over Redis for the texts of `encodeEntry`, which begin with a format and a fencing token. */
export function buildFencedKeyv(client: Client): Keyv<Buffer> {
  const keyv = new Keyv<Buffer>(new FencedRedis(client, { throwOnErrors: true }), {
    useKeyPrefix: false,
    throwOnErrors: true,
  });
  keyv.namespace = undefined;
  // Keyv would wrap the texts in JSON, with an expiry by the clock of the gateway that writes them.
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  // Errors are thrown to the caller as well; without a listener they would end the process.
  keyv.on('error', () => {});
  return keyv;
}

/** The byte that a text begins with in a reply of Redis, by which its client names the type: `$`. */
const bulkString = 36;

/** Never replaces a later text: a leader that was slow must not undo what its successor has published. */
class FencedRedis extends KeyvRedis<Buffer> {
  readonly #client: Client;

  constructor(client: Client, options: ConstructorParameters<typeof KeyvRedis>[1]) {
    super(client, options);
    this.#client = client;
  }

  /** Not more than the longest entry: whatever is stored, reading it must not take more memory. */
  override async get<T>(key: string): Promise<T | undefined> {
    // A long string would be decoded in one step.
    const asBytes = this.#client.withTypeMapping({ [bulkString]: Buffer });
    const value: unknown = await asBytes.getRange(key, 0, maxEntryLength(Number.POSITIVE_INFINITY));
    return Buffer.isBuffer(value) && value.byteLength > 0 ? ({ value } as T) : undefined;
  }

  /** @returns a boolean, which Keyv returns, although its type does not say so: false if a later text has stayed */
  override async set(key: string, entry: unknown, keepMs = 0): Promise<never> {
    const { value } = entry as DeserializedData<Buffer>;
    const args = [value ?? '', String(keepMs)];
    // The types of the client have only texts, which it sends as it does bytes.
    const reply = await this.#client.eval(put, { keys: [key], arguments: args as string[] });
    return (reply === 1) as never;
  }
}
