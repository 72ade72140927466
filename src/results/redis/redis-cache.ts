import type { Logger } from 'pino';
import { z } from 'zod';
import { type ErrorCode, GatewayError, statusOf } from '../../errors.ts';
import { type LeaderState, leaseMs, type SharedCache } from '../shared-cache.ts';
import { openLink } from './circuit-breaker.ts';
import { parseStored, storedText } from './entry-codec.ts';
import { fencedKeyv } from './fenced-keyv.ts';
import * as scripts from './scripts.ts';

export interface RedisOptions {
  readonly url: string;
  readonly log: Logger;
  /** Called each time that Redis has come or come back. */
  readonly onUp: () => void;
  /** How many keys' demand is kept. */
  readonly hotKeyLimit: number;
}

const answerKey = (key: string) => `querygate:answer:${key}`;
const leaseKey = (key: string) => `querygate:lease:${key}`;
const awaitedKey = (key: string) => `querygate:awaited:${key}`;
const demandKey = 'querygate:demand';

/** How long a follower's mark holds: longer than the time between two looks of a leader that nobody waits for here. */
const awaitedMs = 1_500;

/** How long followers may read why their leader failed. */
const failureMs = 1_000;

/** The cache that gateways share, on one Redis (or what speaks its protocol). */
export function openRedisCache({ url, log, onUp, hotKeyLimit }: RedisOptions): SharedCache {
  const link = openLink({ url, log, onUp, build: (client) => ({ client, answers: fencedKeyv(client) }) });
  const run = (script: string, keys: string[], args: readonly string[]) =>
    link.call(({ client }) => client.eval(script, { keys, arguments: [...args] }));
  const ending = new Set<Promise<unknown>>();
  const ended = async (work: Promise<unknown>) => {
    ending.add(work);
    await work;
    ending.delete(work);
  };

  return {
    tried: link.tried,
    async get(key) {
      // What takes time to read is read outside the deadline.
      const text = await link.call(({ answers }) => answers.get(answerKey(key)));
      return text === undefined ? undefined : parseStored(text);
    },
    async take(key, steal) {
      const reply = await run(scripts.take, [leaseKey(key)], [String(leaseMs), steal ? 'steal' : '']);
      const [role, fence] = Array.isArray(reply) ? reply.map(String) : [];
      return fence === undefined ? undefined : { role: role === 'leader' ? 'leader' : 'follower', fence };
    },
    renew: async (key, fence) =>
      (await run(scripts.renew, [leaseKey(key), awaitedKey(key)], [fence, String(leaseMs)])) === 1,
    watch: async (key) =>
      parseLeader(await run(scripts.watch, [leaseKey(key), awaitedKey(key)], [String(awaitedMs)])),
    publish: (key, fence, content, keepMs) =>
      ended(
        Promise.all([
          link.call(({ answers }) =>
            answers.set(answerKey(key), storedText(content, fence), Math.ceil(keepMs)),
          ),
          run(scripts.giveUp, [leaseKey(key)], [fence, '', '0']),
        ]),
      ),
    giveUp: (key, fence, error) =>
      ended(run(scripts.giveUp, [leaseKey(key)], [fence, error ? errorText(error) : '', String(failureMs)])),
    async tellDemand(asked) {
      if (asked.size === 0) return;
      const pairs = [...asked].flatMap(([key, ms]) => [String(ms), key]);
      await run(scripts.tellDemand, [demandKey], [String(hotKeyLimit), ...pairs]);
    },
    async demandSince(ms) {
      const latest = await link.call(({ client }) =>
        client.zRangeWithScores(demandKey, '+inf', ms, {
          BY: 'SCORE',
          REV: true,
          LIMIT: { offset: 0, count: hotKeyLimit },
        }),
      );
      return new Map(latest?.map(({ value, score }) => [value, score]));
    },
    async close() {
      await Promise.all(ending);
      await link.close();
    },
  };
}

/** What a lease holds, if it is ours: any text may stand there. */
function parseLeader(held: unknown): LeaderState | undefined {
  const found = /^(?<doing>working|failed) (?<fence>\d+)(?: (?<error>.*))?$/s.exec(String(held))?.groups;
  if (found?.fence === undefined) return undefined;
  if (found.doing === 'working') return { doing: 'working', fence: found.fence };
  const error = parseError(found.error ?? '');
  return error === undefined ? undefined : { doing: 'failed', fence: found.fence, error };
}

const errorSchema = z.object({
  code: z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(statusOf, code)),
  message: z.string(),
  parameter: z.string().optional(),
  retryAfterSeconds: z.number().optional(),
});

function errorText({ code, message, parameter, retryAfterSeconds }: GatewayError): string {
  return JSON.stringify({ code, message, parameter, retryAfterSeconds });
}

function parseError(text: string): GatewayError | undefined {
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
