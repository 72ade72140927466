import type { Logger } from 'pino';
import { openCircuitBreaker } from '../../redis/circuit-breaker.ts';
import { type Lease, leaseMs, type SharedCache } from '../shared/shared-cache.ts';
import { buildCacheCrypto } from './cache-crypto.ts';
import { buildDemandRecords, maxRecordLength } from './demand-records.ts';
import { decodeEntry, encodeEntry } from './entry-codec.ts';
import { buildFencedKeyv } from './fenced-keyv.ts';
import { buildLeaseTexts } from './lease-text.ts';
import * as scripts from './scripts.ts';

interface RedisOptions {
  readonly url: string;
  /** What gateways that share the cache have in common, and other clients of the same Redis do not. */
  readonly secret: string | undefined;
  readonly log: Logger;
  /** Called each time that Redis has been connected or reconnected. */
  readonly onConnected: () => void;
  /** How many keys' demand is kept. */
  readonly hotKeyLimit: number;
}

/**
 * How long a follower's mark lasts. A leader without callers of its own checks it twice a second. Followers renew it at
 * least ten times a second, but one whose event loop is blocked must not lose the result that it waits for.
 */
const awaitedMs = leaseMs;

/** How long followers can read why their leader failed; as long as the mark, for the same reason. */
const failureMs = leaseMs;

/** The longest that a lease, or what followers read instead of it, can have left. */
const maxLeaseMs = String(Math.max(leaseMs, failureMs));

/** How often a gateway tries to take a lease that others take at the same moment. */
const maxAttempts = 5;

/** The cache that gateways share, on one Redis or another server that speaks its protocol. */
export function openRedisCache({ url, secret, log, onConnected, hotKeyLimit }: RedisOptions): SharedCache {
  const crypto = buildCacheCrypto(secret);
  const leases = buildLeaseTexts(crypto);
  const demand = buildDemandRecords(crypto);
  const leaseOf = (key: string) => crypto.nameOf('lease', key);
  const awaitedOf = (key: string) => crypto.nameOf('awaited', key);
  const demandKeys = [crypto.nameOf('demand', 'times'), crypto.nameOf('demand', 'records')];
  const awaitedMark = (key: string) => crypto.sign('awaited', key, '');

  const breaker = openCircuitBreaker({
    url,
    name: 'the shared cache',
    log,
    onConnected,
    build: (client) => ({ client, results: buildFencedKeyv(client) }),
  });
  const run = (script: string, keys: string[], args: readonly string[]) =>
    breaker.call(({ client }) => client.eval(script, { keys, arguments: [...args] }));
  /** Writes that `close` waits for. */
  const pending = new Set<Promise<unknown>>();
  const track = async <R>(write: Promise<R>): Promise<R> => {
    pending.add(write);
    const reply = await write;
    pending.delete(write);
    return reply;
  };
  const acquire = async (key: string, preempt: boolean): Promise<Lease | undefined> => {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const reply = await run(scripts.readLease, [leaseOf(key)], [maxLeaseMs]);
      const [text, time] = Array.isArray(reply) ? reply.map(String) : [];
      if (text === undefined || time === undefined) return undefined;
      const lease = leases.parse(key, text);
      if (lease?.state === 'working' && !preempt) {
        return { role: 'follower', fencingToken: lease.fencingToken };
      }
      const args = [text, leases.working(key, time), String(leaseMs), maxLeaseMs];
      const taken = await run(scripts.takeLease, [leaseOf(key)], args);
      if (taken === undefined) return undefined;
      if (taken === 1) return { role: 'leader', fencingToken: time };
    }
    return undefined;
  };

  return {
    ready: breaker.ready,
    isUp: breaker.isUp,
    async get(key, maxRows) {
      const text = await breaker.call(({ results }) => results.get(crypto.nameOf('result', key)));
      // Decoding takes time of its own, which is not Redis's: it happens outside the deadline.
      return text === undefined ? undefined : decodeEntry(key, text, maxRows, crypto);
    },
    acquire: (key, { preempt }) => acquire(key, preempt),
    async renew(key, fencingToken) {
      const args = [leases.working(key, fencingToken), String(leaseMs), awaitedMark(key)];
      return (await run(scripts.renew, [leaseOf(key), awaitedOf(key)], args)) === 1;
    },
    async watch(key) {
      const args = [maxLeaseMs, awaitedMark(key), String(awaitedMs)];
      const reply = await run(scripts.readLease, [leaseOf(key), awaitedOf(key)], args);
      return Array.isArray(reply) ? leases.parse(key, reply[0]) : undefined;
    },
    async publish(key, fencingToken, document, keepMs) {
      const entry = encodeEntry(key, document, fencingToken, crypto);
      const put =
        entry === undefined
          ? true
          : breaker.call(({ results }) =>
              results.set(crypto.nameOf('result', key), entry, Math.ceil(keepMs)),
            );
      const release = run(scripts.release, [leaseOf(key)], [leases.working(key, fencingToken), '', '0']);
      const [isStored] = await track(Promise.all([put, release]));
      return isStored === true;
    },
    async release(key, fencingToken, failure) {
      const end = failure === undefined ? '' : leases.failed(key, fencingToken, failure);
      const args = [leases.working(key, fencingToken), end, String(failureMs)];
      await track(run(scripts.release, [leaseOf(key)], args));
    },
    async recordDemand(requestedAt) {
      if (requestedAt.size === 0) return;
      const records = [...requestedAt].flatMap(([key, ms]) => [
        String(ms),
        crypto.nameOf('demand', key),
        demand.encode(key, ms),
      ]);
      await run(scripts.recordDemand, demandKeys, [String(hotKeyLimit), ...records]);
    },
    async demandSince(ms) {
      const args = [String(ms), String(hotKeyLimit), String(maxRecordLength)];
      const records = await run(scripts.readDemand, demandKeys, args);
      const known = (Array.isArray(records) ? records : []).flatMap((text) => {
        const record = demand.decode(String(text));
        return record === undefined || record.requestedAt < ms ? [] : [record];
      });
      return new Map(known.map(({ key, requestedAt }) => [key, requestedAt]));
    },
    async close() {
      await Promise.all(pending);
      await breaker.close();
    },
  };
}
