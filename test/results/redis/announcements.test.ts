import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRedisCache } from '../../../src/results/redis/redis-shared-cache.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import type { SharedCache } from '../../../src/results/shared/shared-cache.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';
import { runTime } from '../../support/run-time.ts';
import { sharedTime, sharedUse } from '../../support/shared-time.ts';

const secret = 'a secret of the gateways, 32 long';

describe.skipIf(!hasRedis)('announcements of results on Redis', () => {
  let redis: RedisServer;
  let opened: SharedCache[];
  beforeEach(async () => {
    redis = await redisServer();
    await redis.start();
    opened = [];
  });
  afterEach(async () => {
    for (const cache of opened) await cache.close();
    await redis.close();
  });

  const open = async (ofSecret = secret, database = 0) => {
    const log = pino({ level: 'silent' });
    const onConnected = () => {};
    const time = sharedTime();
    const cache = openRedisCache({
      url: `${redis.url}/${database}`,
      secret: ofSecret,
      log,
      onConnected,
      time,
      hotKeyLimit: 3,
      ...sharedUse(),
    });
    opened.push(cache);
    await cache.ready;
    return cache;
  };
  const result = (x: number) => buildDocument({ rows: [`{"x":${x}}`], truncated: false }, runTime(x));
  /** Publishes results of rising times until the listener hears one. */
  const untilHeard = async (publisher: SharedCache, heard: number[], from: number) => {
    let x = from;
    await eventually(async () => {
      x += 1;
      await publisher.publish('key', '0', await result(x), 60_000);
      expect(heard.some((one) => one > from)).toBe(true);
    });
  };

  test('reach who listens to the key, with its time, also after Redis was killed and came back', async () => {
    const [one, other] = [await open(), await open()];
    const heard: number[] = [];
    const ofAnother: number[] = [];
    one.listen('another key', (computedAt) => ofAnother.push(computedAt));
    const stop = one.listen('key', (computedAt) => heard.push(computedAt));
    await untilHeard(other, heard, 100);
    redis.signal('SIGKILL');
    await eventually(async () => expect(one.isUp() || other.isUp()).toBe(false));
    await redis.start();
    await untilHeard(other, heard, 1_000);
    expect(ofAnother).toEqual([]);
    stop();
    const count = heard.length;
    // What comes after it on the same connection has been delivered, so it would have been too.
    one.listen('another key', (computedAt) => ofAnother.push(computedAt));
    let x = 5_000;
    // A connection that has just come back may be dropped once more, with what is published meanwhile.
    await eventually(async () => {
      x += 1;
      await other.publish('key', '0', await result(x), 60_000);
      await other.publish('another key', '0', await result(x), 60_000);
      expect(ofAnother).not.toEqual([]);
    });
    expect(heard).toHaveLength(count);
  });

  test('are sent and heard by the user of the docs, who may do no more', async () => {
    const [, acl = ''] = /`ACL (SETUSER [^`]+)`/.exec(readFileSync('docs/caching.md', 'utf8')) ?? [];
    await redis.run((client) => client.sendCommand(['ACL', ...acl.split(/\s+/)]));
    const url = redis.url.replace('//', '//gateway:password@');
    const log = pino({ level: 'silent' });
    const options = {
      url,
      secret,
      log,
      onConnected() {},
      time: sharedTime(),
      hotKeyLimit: 3,
      ...sharedUse(),
    };
    const cache = openRedisCache(options);
    opened.push(cache);
    await cache.ready;
    const heard: number[] = [];
    cache.listen('key', (computedAt) => heard.push(computedAt));
    await untilHeard(cache, heard, 100);
    expect(await cache.get('key', 10)).toBeDefined();
    const lease = await cache.acquire('key', { preempt: false });
    expect(lease?.role).toBe('leader');
    await cache.release('key', lease?.fencingToken ?? '', undefined);
    await cache.recordDemand(new Map([['key', 1]]));
    expect(await cache.demandSince(0)).toEqual(new Map([['key', 1]]));
    expect(await redis.run((client) => client.sendCommand(['ACL', 'LOG']))).toEqual([]);
  });

  test('are not made of a result that Redis refuses, for it has a later one', async () => {
    const [one, other] = [await open(), await open()];
    const heard: number[] = [];
    one.listen('key', (computedAt) => heard.push(computedAt));
    await untilHeard(other, heard, 100);
    expect(await other.publish('key', '3', await result(5_000), 60_000)).toBe(true);
    expect(await other.publish('key', '2', await result(6_000), 60_000)).toBe(true);
    expect(await other.publish('key', '4', await result(7_000), 60_000)).toBe(true);
    await eventually(async () => expect(heard).toContain(7_000));
    expect(heard).not.toContain(6_000);
  });

  test('say only the time and the digest, and are heard only from gateways with the secret, in one database, for their own key', async () => {
    const [one, other] = [await open(), await open()];
    const heard: number[] = [];
    const ofAnother: number[] = [];
    one.listen('key', (computedAt) => heard.push(computedAt));
    one.listen('another key', (computedAt) => ofAnother.push(computedAt));
    const sent: { readonly channel: string; readonly message: string }[] = [];
    const announced = (time: string) => sent.find(({ message }) => message.split(' ')[1] === time);
    await redis.run(async (client) => {
      await client.pSubscribe('*', (message, channel) => sent.push({ channel, message }));
      await untilHeard(other, heard, 100);
      await other.publish('another key', '0', await result(7), 60_000);
      await eventually(async () => expect(ofAnother).toEqual([7]));
      // It may come later to this client than to the gateway.
      await eventually(() => expect(announced('7')).toBeDefined());
      await client.pUnsubscribe('*');
    });
    const ofKey = sent[0];
    const ofOther = announced('7');
    if (ofKey === undefined || ofOther === undefined) throw new Error('nothing was announced');
    const { digest } = await result(101);
    expect(ofKey.message.split(' ').slice(1, 3)).toEqual(['101', digest]);
    expect(ofKey.message).not.toContain('key');
    const [name = ''] = ofKey.message.split(' ');
    const count = heard.length;
    await redis.run(async (client) => {
      const { channel } = ofKey;
      await client.publish(channel, ofKey.message.replace(' 101 ', ' 999 '));
      await client.publish(channel, ofOther.message.replace(/^\S+/, name));
      for (const text of ['', 'x', `${name} 5 x y`, `${name} ${'9'.repeat(5_000)} x y`, 'a '.repeat(100_000)])
        await client.publish(channel, text);
    });
    await (await open('another secret of others, 32 long')).publish('key', '0', await result(9), 60_000);
    await (await open(secret, 1)).publish('key', '0', await result(999), 60_000);
    await other.publish('another key', '0', await result(8), 60_000);
    await eventually(async () => expect(ofAnother).toEqual([7, 8]));
    expect(heard).toHaveLength(count);
  });
});
