import type { Logger } from 'pino';
import { z } from 'zod';
import { type ErrorCode, GatewayError, statusOf } from '../../errors.ts';
import { type LeaderState, leaseMs, type SharedCache } from '../shared-cache.ts';
import { openCircuitBreaker } from './circuit-breaker.ts';
import { decodeEntry, encodeEntry } from './entry-codec.ts';
import { buildFencedKeyv } from './fenced-keyv.ts';
import * as scripts from './scripts.ts';

interface RedisOptions {
  readonly url: string;
  readonly log: Logger;
  /** Called each time that Redis has been connected or reconnected. */
  readonly onConnected: () => void;
  /** How many keys' demand is kept. */
  readonly hotKeyLimit: number;
}

const resultKey = (key: string) => `querygate:answer:${key}`;
const leaseKey = (key: string) => `querygate:lease:${key}`;
const awaitedKey = (key: string) => `querygate:awaited:${key}`;
const demandKey = 'querygate:demand';

/**
 * How long a follower's mark lasts. A leader without callers of its own checks it twice a second. Followers renew it at
 * least ten times a second, but one whose event loop is blocked must not lose the result that it waits for.
 */
const awaitedMs = leaseMs;

/** How long followers can read why their leader failed; as long as the mark, for the same reason. */
const failureMs = leaseMs;

/** The cache that gateways share, on one Redis or another server that speaks its protocol. */
export function openRedisCache({ url, log, onConnected, hotKeyLimit }: RedisOptions): SharedCache {
  const breaker = openCircuitBreaker({
    url,
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

  return {
    ready: breaker.ready,
    isUp: breaker.isUp,
    async get(key) {
      const text = await breaker.call(({ results }) => results.get(resultKey(key)));
      // Decoding takes time of its own, which is not Redis's: it happens outside the deadline.
      return text === undefined ? undefined : decodeEntry(text);
    },
    async acquire(key, { preempt }) {
      const reply = await run(scripts.acquire, [leaseKey(key)], [String(leaseMs), preempt ? 'steal' : '']);
      const [role, fencingToken] = Array.isArray(reply) ? reply.map(String) : [];
      if (fencingToken === undefined) return undefined;
      return { role: role === 'leader' ? 'leader' : 'follower', fencingToken };
    },
    renew: async (key, fencingToken) =>
      (await run(scripts.renew, [leaseKey(key), awaitedKey(key)], [fencingToken, String(leaseMs)])) === 1,
    watch: async (key) =>
      parseLease(await run(scripts.watch, [leaseKey(key), awaitedKey(key)], [String(awaitedMs)])),
    async publish(key, fencingToken, document, keepMs) {
      const put = breaker.call(({ results }) =>
        results.set(resultKey(key), encodeEntry(document, fencingToken), Math.ceil(keepMs)),
      );
      const release = run(scripts.release, [leaseKey(key)], [fencingToken, '', '0']);
      const [isStored] = await track(Promise.all([put, release]));
      return isStored === true;
    },
    async release(key, fencingToken, error) {
      const reason = error === undefined ? '' : encodeError(error);
      await track(run(scripts.release, [leaseKey(key)], [fencingToken, reason, String(failureMs)]));
    },
    async recordDemand(requestedAt) {
      if (requestedAt.size === 0) return;
      const pairs = [...requestedAt].flatMap(([key, ms]) => [String(ms), key]);
      await run(scripts.recordDemand, [demandKey], [String(hotKeyLimit), ...pairs]);
    },
    async demandSince(ms) {
      const latest = await breaker.call(({ client }) =>
        client.zRangeWithScores(demandKey, '+inf', ms, {
          BY: 'SCORE',
          REV: true,
          LIMIT: { offset: 0, count: hotKeyLimit },
        }),
      );
      return new Map(latest?.map(({ value, score }) => [value, score]));
    },
    async close() {
      await Promise.all(pending);
      await breaker.close();
    },
  };
}

/** Foreign text in the place of a lease counts as no lease. */
function parseLease(lease: unknown): LeaderState | undefined {
  const match = /^(?<state>working|failed) (?<token>\d+)(?: (?<error>.*))?$/s.exec(String(lease))?.groups;
  if (match?.token === undefined) return undefined;
  if (match.state === 'working') return { state: 'working', fencingToken: match.token };
  const error = decodeError(match.error ?? '');
  return error === undefined ? undefined : { state: 'failed', fencingToken: match.token, error };
}

const errorSchema = z.object({
  code: z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(statusOf, code)),
  message: z.string(),
  parameter: z.string().optional(),
  retryAfterSeconds: z.number().optional(),
});

function encodeError({ code, message, parameter, retryAfterSeconds }: GatewayError): string {
  return JSON.stringify({ code, message, parameter, retryAfterSeconds });
}

function decodeError(text: string): GatewayError | undefined {
  try {
    const { code, message, parameter, retryAfterSeconds } = errorSchema.parse(JSON.parse(text));
    return new GatewayError(code, message, {
      ...(parameter !== undefined && { parameter }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  } catch {
    return undefined;
  }
}
