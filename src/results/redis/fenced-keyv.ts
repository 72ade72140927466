import KeyvRedis from '@keyv/redis';
import { Keyv } from 'keyv';
import type { Client } from './circuit-breaker.ts';
import { put } from './scripts.ts';

/** Keyv over Redis for texts that begin with the number of their format and a fence, as `storedText` writes them. */
export function fencedKeyv(client: Client): Keyv<string> {
  const keyv = new Keyv<string>(new FencedRedis(client, { throwOnErrors: true }), {
    useKeyPrefix: false,
    throwOnErrors: true,
  });
  keyv.namespace = undefined;
  // The texts are complete: Keyv would wrap them in JSON, with an expiry by the writer's clock.
  keyv.serialize = ({ value }) => String(value);
  keyv.deserialize = <Value>(text: string) => ({ value: text as Value, expires: undefined });
  // Errors are thrown to the caller too; without a listener they would end the process.
  keyv.on('error', () => {});
  return keyv;
}

/** Writes only where no later text stands: a leader that was slow must not undo what its successor did. */
class FencedRedis extends KeyvRedis<string> {
  readonly #client: Client;

  constructor(client: Client, options: ConstructorParameters<typeof KeyvRedis>[1]) {
    super(client, options);
    this.#client = client;
  }

  override async set(key: string, text: string, keepMs = 0): Promise<void> {
    await this.#client.eval(put, { keys: [key], arguments: [text, String(keepMs)] });
  }
}
