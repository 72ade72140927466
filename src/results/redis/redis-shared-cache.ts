import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { openCircuitBreaker } from '../../redis/circuit-breaker.ts';
import { read } from '../../redis/reply-watch.ts';
import type { SharedCache, SharedTime, SharedUse } from '../shared/shared-cache.ts';
import { buildAnnouncements } from './announcements.ts';
import { buildCacheCrypto } from './cache-crypto.ts';
import { buildDemandRecords } from './demand-records.ts';
import { decodeEntry } from './entry-codec.ts';
import { buildFencedKeyv } from './fenced-keyv.ts';
import { buildLeaseCommands, type RunScript } from './lease-commands.ts';
import { type CacheConnection, openPublisher } from './publisher.ts';
import * as scripts from './scripts.ts';

interface RedisOptions extends SharedUse {
  readonly url: string;
  /** The secret that gateways with the same cache share, and other clients of the same Redis do not know. */
  readonly secret: string | undefined;
  readonly log: Logger;
  /** Called each time that Redis has been connected or reconnected. */
  readonly onConnected: () => void;
  readonly time: SharedTime;
  /** How many keys' demand is kept. */
  readonly hotKeyLimit: number;
}

/** How far the clock of the gateway that wrote something may be ahead of ours. */
const maxAheadMs = 5_000;

/** The cache that gateways share, on one Redis or another server that speaks its protocol. */
export function openRedisCache(options: RedisOptions): SharedCache {
  const { url, secret, log, onConnected, time, hotKeyLimit, source, turns } = options;
  const crypto = buildCacheCrypto(secret);
  /** @returns undefined for a moment in the future */
  const elapsedAt = (moment: number) => {
    const elapsedMs = time.elapsedAt(moment);
    return elapsedMs > time.elapsedMs() + maxAheadMs ? undefined : elapsedMs;
  };
  const announcements = buildAnnouncements({ url, crypto, log });

  const connect = (use: { readonly name: string; readonly onConnected?: () => void }): CacheConnection =>
    openCircuitBreaker({
      ...{ ...use, url, log },
      build: (client) => ({ client, results: buildFencedKeyv(client) }),
    });
  const breaker = connect({
    name: 'the shared cache',
    onConnected() {
      announcements.renew();
      publisher.renew();
      readTime().then(onConnected);
    },
  });
  const openLarge = () => connect({ name: 'the large results of the shared cache' });
  const publisher = openPublisher({ connection: breaker, openLarge, announcements, crypto, turns });
  const run: RunScript = (script, keys, args, options) =>
    breaker.call(({ client }) => client.eval(script, { keys, arguments: [...args] }), {
      sentBytes: args.reduce((bytes, { length }) => bytes + length, 0),
      ...options,
    });
  const readTime = async () => {
    const calledAt = time.elapsedMs();
    const micros = await run(scripts.readTime, [], [], read);
    if (micros !== undefined) time.note?.(Number(micros) / 1000, calledAt);
  };
  const leases = buildLeaseCommands(run, crypto, time);
  const demand = buildDemandRecords({ run, crypto, time, elapsedAt, limit: hotKeyLimit, source });
  const { track, allDone } = openWrites();

  return {
    ready: breaker.ready,
    isUp: breaker.isServing,
    async get(key, maxRows) {
      const entry = await breaker.call(({ results }) => results.get(crypto.nameOf('result', key)), read);
      // Decoding takes time of its own, which is not Redis's: it happens outside the deadline.
      const stored = entry && (await decodeEntry(key, entry, maxRows, crypto, turns));
      const begunAt = stored && elapsedAt(stored.computedAt);
      return stored === undefined || begunAt === undefined ? undefined : { ...stored, begunAt };
    },
    acquire: leases.acquire,
    renew: leases.renew,
    watch: leases.watch,
    publish: (...result) => track(publisher.publish(...result)),
    listen: (key, onPublished) =>
      announcements.listen(key, (computedAt) => {
        const begunAt = elapsedAt(computedAt);
        if (begunAt !== undefined) onPublished(begunAt);
      }),
    async release(key, fencingToken, failure) {
      await track(leases.release(key, fencingToken, failure));
    },
    ...demand,
    async close() {
      await allDone();
      await Promise.all([breaker.close(), publisher.close(), announcements.close()]);
    },
  };
}

/** The writes that closing waits for. */
function openWrites() {
  const pending = new Set<Promise<unknown>>();
  return {
    async track<R>(write: Promise<R>): Promise<R> {
      pending.add(write);
      try {
        return await write;
      } finally {
        pending.delete(write);
      }
    },
    /** With those that follow: the lease of a result that has been stored is released. */
    async allDone(): Promise<void> {
      while (pending.size > 0) {
        await Promise.allSettled(pending);
        await nextTurn();
      }
    },
  };
}
