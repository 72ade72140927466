import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import type { Client } from '../../redis/connection.ts';
import { maxEntryLength } from './entry-codec.ts';
import { put } from './scripts.ts';

/** Keyv over Redis for the texts of `encodeEntry`, which begin with a format and a fencing token. */
export function buildFencedKeyv(client: Client): Keyv<string> {
  const keyv = new Keyv<string>(new FencedRedis(client, { throwOnErrors: true }), {
    useKeyPrefix: false,
    throwOnErrors: true,
  });
  keyv.namespace = undefined;
  // Keyv would wrap the texts in JSON, with an expiry by the clock of the gateway that writes them.
  keyv.serialize = ({ value }) => String(value);
  keyv.deserialize = <Value>(text: string) => ({ value: text as Value, expires: undefined });
  // Errors are thrown to the caller as well; without a listener they would end the process.
  keyv.on('error', () => {});
  return keyv;
}

/** Never replaces a later text: a leader that was slow must not undo what its successor has published. */
class FencedRedis extends KeyvRedis<string> {
  readonly #client: Client;

  constructor(client: Client, options: ConstructorParameters<typeof KeyvRedis>[1]) {
    super(client, options);
    this.#client = client;
  }

  /** Not more than the longest entry: whatever is stored, reading it must not take more memory. */
  override async get<T>(key: string): Promise<T | undefined> {
    const text = await this.#client.getRange(key, 0, maxEntryLength(Number.POSITIVE_INFINITY));
    return text === '' ? undefined : (text as T);
  }

  override async set(key: string, text: string, keepMs = 0): Promise<void> {
    await this.#client.eval(put, { keys: [key], arguments: [text, String(keepMs)] });
  }
}
