import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { openCircuitBreaker } from '../../redis/circuit-breaker.ts';
import { deriveKey } from '../../redis/derive-key.ts';
import { demandArguments, exchangeScript, parseGrants } from './exchange-script.ts';
import type { NewRateLimit } from './rate-limiter.ts';
import { type RateExchange, reserveMs, SharedRateLimiter } from './shared-rate-limiter.ts';

interface SharedRatesOptions {
  readonly url: string;
  /** The secret that gateways with the same rates share, and other clients of the same Redis do not know. */
  readonly secret: string | undefined;
  readonly log: Logger;
  /** As `Clock` has it. */
  readonly elapsedMs: () => number;
}

/** The rates of keys, counted together with the other gateways on one Redis. */
export interface SharedRates {
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly ready: Promise<void>;
  readonly newRateLimit: NewRateLimit;
  /** Gives back what was counted beforehand. */
  close(): Promise<void>;
}

/** How many limits are sent in one command: Redis does nothing else meanwhile. */
const maxLimits = 200;

/**
 * Its connection is not that of the cache: a request that waits for its rate must not wait for the results of others.
 * Limits that are needed in the same turn of the event loop are sent together.
 */
export function openSharedRates({ url, secret, log, elapsedMs }: SharedRatesOptions): SharedRates {
  const nameKey = deriveKey(secret, 'querygate/rates/1 names');
  const nameOf = (id: string) =>
    `querygate:rate:${createHmac('sha256', nameKey).update(id).digest('base64url')}`;
  const breaker = openCircuitBreaker({
    url,
    name: 'the shared rate counter',
    log,
    build: (client) => client,
  });

  const requested = new Set<SharedRateLimiter>();
  const reserving = new Set<SharedRateLimiter>();
  let sending: NodeJS.Immediate | undefined;
  let giveBackTimer: NodeJS.Timeout | undefined;
  let isClosing = false;

  const send = async (limiters: readonly SharedRateLimiter[]) => {
    const demands = limiters.map((limiter) => ({
      limiter,
      demand: limiter.demand(elapsedMs(), isClosing),
    }));
    const keys = limiters.map(({ name }) => name);
    const args = demands.flatMap(({ demand }) => demandArguments(demand));
    const reply = await breaker.call((client) => client.eval(exchangeScript, { keys, arguments: args }));
    const grants = parseGrants(reply, limiters.length);
    for (const [at, { limiter, demand }] of demands.entries()) {
      limiter.settle(demand, grants?.[at], elapsedMs());
      if (limiter.hasReserve) reserving.add(limiter);
    }
    if (reserving.size > 0 && !isClosing) giveBackTimer ??= setTimeout(giveBack, reserveMs).unref();
  };
  const sendRequested = async () => {
    sending = undefined;
    const limiters = [...requested];
    requested.clear();
    const parts = Array.from({ length: Math.ceil(limiters.length / maxLimits) }, (_, at) =>
      limiters.slice(at * maxLimits, (at + 1) * maxLimits),
    );
    await Promise.all(parts.map(send));
  };
  const exchange: RateExchange = {
    isUp: breaker.isUp,
    request(limiter) {
      requested.add(limiter);
      sending ??= setImmediate(sendRequested);
    },
  };
  const giveBack = () => {
    giveBackTimer = undefined;
    for (const limiter of reserving) {
      if (!limiter.hasReserve) reserving.delete(limiter);
      else if (limiter.isIdle(elapsedMs())) limiter.giveBack();
    }
    if (reserving.size > 0) giveBackTimer = setTimeout(giveBack, reserveMs).unref();
  };

  return {
    ready: breaker.ready,
    newRateLimit: (id, perMinute) => new SharedRateLimiter(perMinute, nameOf(id), exchange),
    async close() {
      isClosing = true;
      clearTimeout(giveBackTimer);
      for (const limiter of reserving) limiter.giveBack();
      clearImmediate(sending);
      await sendRequested();
      await breaker.close();
    },
  };
}
