import type { Keyv } from 'keyv';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { CircuitBreaker } from '../../redis/circuit-breaker.ts';
import type { Client } from '../../redis/connection.ts';
import { sizeOf } from '../result-document.ts';
import type { SharedCache } from '../shared/shared-cache.ts';
import type { Announcements } from './announcements.ts';
import type { CacheCrypto } from './cache-crypto.ts';
import { encodeEntry } from './entry-codec.ts';

export type CacheConnection = CircuitBreaker<{ readonly client: Client; readonly results: Keyv<Buffer> }>;

interface PublisherOptions {
  /** The connection of everything that is not large. */
  readonly connection: CacheConnection;
  readonly openLarge: () => CacheConnection;
  readonly announcements: Announcements;
  readonly crypto: CacheCrypto;
  readonly turns: LoopTurns;
}

/** Stores results, and announces them. */
export interface Publisher extends Pick<SharedCache, 'publish'> {
  /** As that of `Announcements`. */
  renew(): void;
  close(): Promise<void>;
}

/** Longer entries have a connection of their own: leases and other results do not wait while one is sent. */
const largeBytes = 100_000;

/** Results that are being sent stay in memory: while there are more bytes of them, no other is shared. */
const maxSendingBytes = 64 * 1024 * 1024;

export function openPublisher({
  connection,
  openLarge,
  announcements,
  crypto,
  turns,
}: PublisherOptions): Publisher {
  let large: CacheConnection | undefined;
  let sendingBytes = 0;
  const connectionFor = async (bytes: number) => {
    if (bytes <= largeBytes) return connection;
    large ??= openLarge();
    await large.ready.catch(() => {});
    return large;
  };

  const send: SharedCache['publish'] = async (key, fencingToken, document, keepMs, announcedAs = key) => {
    const entry = await turns.compute(undefined, encodeEntry(key, document, fencingToken, crypto));
    if (entry === undefined) return true;
    const sentBytes = entry.byteLength;
    const { call } = await connectionFor(sentBytes);
    const name = crypto.nameOf('result', key);
    const isStored = await call(({ results }) => results.set(name, entry, Math.ceil(keepMs)), { sentBytes });
    if (isStored === true) {
      const message = announcements.messageOf(announcedAs, document);
      await connection.call(({ client }) => client.publish(announcements.channel, message));
    }
    // One that was refused need not be published again.
    return isStored !== undefined;
  };

  return {
    async publish(key, fencingToken, document, ...more) {
      if (!connection.isUp() || sendingBytes > maxSendingBytes) return false;
      const bytes = sizeOf(document);
      sendingBytes += bytes;
      try {
        return await send(key, fencingToken, document, ...more);
      } finally {
        sendingBytes -= bytes;
      }
    },
    renew: () => large?.renew(),
    async close() {
      await large?.close();
    },
  };
}
