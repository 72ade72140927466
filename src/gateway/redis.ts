import { checkOptions, optionRule, required } from '../config/option-rules.ts';
import { secretRules } from '../config/secret-rules.ts';
import { StartError } from '../errors.ts';
import { hotKeyLimit } from '../results/warming/hot-keys.ts';
import { describeExposure } from '../results/redis/exposure.ts';
import type { SharedStore } from '../results/shared/shared-store.ts';

/** Where the Redis is, and what proves that its content comes from a gateway. */
export interface RedisOptions {
  /** As in `redis://127.0.0.1:6379` or `rediss://user:password@host:6380/1`. */
  readonly url: string;
  /**
   * 32 to 256 printable ASCII characters, the same for all gateways: it proves that what they read was written by one of them.
   * Without it every client of the Redis decides what callers read.
   */
  readonly secret?: string | undefined;
}

/**
 * A Redis in which gateways share results, and the rates of callers. While it is out of reach, each gateway has its own.
 *
 * @throws StartError if the URL or the secret is wrong; neither is in the message
 */
export function redis(options: RedisOptions): SharedStore {
  const urlRule = { is: optionRule.text.is, must: 'the URL of a Redis, as in redis://127.0.0.1:6379' };
  checkOptions<RedisOptions>('redis', options, { url: required(urlRule), secret: optionRule.text });
  const { url, secret } = options;
  const problems = [
    ...(secretRules.redisUrl.is(url) ? [] : [{ message: `url: ${secretRules.redisUrl.must}` }]),
    ...(secret === undefined || secretRules.redisSecret.is(secret)
      ? []
      : [{ message: `secret: ${secretRules.redisSecret.must}` }]),
  ];
  if (problems.length > 0) throw new StartError('The options of redis have problems', problems);
  return {
    warnings: describeExposure({ url, secret }),
    // The client is imported only if it is used: it would slow down every start.
    async openCache(log) {
      const { openRedisCache } = await import('../results/redis/redis-shared-cache.ts');
      return (onConnected, time, use) =>
        openRedisCache({ url, secret, log, onConnected, time, hotKeyLimit, ...use });
    },
    async openRates(log, elapsedMs) {
      const { openSharedRates } = await import('../keys/rates/open-shared-rates.ts');
      return openSharedRates({ url, secret, log, elapsedMs });
    },
    async openState(name, log) {
      const { openSharedState } = await import('../redis/shared-state.ts');
      return openSharedState({ url, secret, name, log });
    },
  };
}
