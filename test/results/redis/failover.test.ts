import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSharedRates } from '../../../src/keys/rates/open-shared-rates.ts';
import { StartError } from '../../../src/errors.ts';
import { openCircuitBreaker } from '../../../src/redis/circuit-breaker.ts';
import { openRedisCache } from '../../../src/results/redis/redis-shared-cache.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import type { SharedCache } from '../../../src/results/shared/shared-cache.ts';
import { eventually } from '../../support/eventually.ts';
import { type Forwarder, openForwarder } from '../../support/forwarder.ts';
import { hasRedis, type RedisServer, redisServer } from '../../support/redis-server.ts';
import { runTime } from '../../support/run-time.ts';
import { sharedTime, sharedUse } from '../../support/shared-time.ts';
import { nightly } from '../../support/nightly.ts';

const secret = 'a secret of the gateways, 32 long';
const portOf = ({ url }: RedisServer) => Number(new URL(url).port);

describe.skipIf(!hasRedis)('a Redis behind an address that leads to its primary', () => {
  let first: RedisServer;
  let second: RedisServer;
  let forwarder: Forwarder;
  let closing: (() => Promise<void>)[];
  let logged: { msg: string; reason?: string }[];
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });

  beforeEach(async () => {
    [first, second] = [await redisServer(), await redisServer()];
    await Promise.all([first.start(), second.start()]);
    forwarder = await openForwarder(portOf(first));
    closing = [];
    logged = [];
  });
  afterEach(async () => {
    for (const close of closing) await close();
    forwarder.close();
    await Promise.all([first.close(), second.close()]);
  });

  const url = () => `redis://127.0.0.1:${forwarder.port}`;
  const command = (redis: RedisServer, ...words: string[]) =>
    redis.run((client) => client.sendCommand(words));
  const follow = (replica: RedisServer, primary: RedisServer) =>
    command(replica, 'REPLICAOF', '127.0.0.1', String(portOf(primary)));
  const open = async () => {
    const options = {
      secret,
      log,
      onConnected: () => {},
      time: sharedTime(),
      hotKeyLimit: 3,
      ...sharedUse(),
    };
    const cache = openRedisCache({ url: url(), ...options });
    closing.push(() => cache.close());
    await cache.ready;
    return cache;
  };
  const result = (x: number) => buildDocument({ rows: [`{"x":${x}}`], truncated: false }, runTime(x));
  const untilShared = (one: SharedCache, other: SharedCache, x: number) =>
    eventually(async () => {
      await one.publish('key', '0', await result(x), 60_000);
      expect(await other.get('key', 10)).toMatchObject({ computedAt: x });
    });

  const untilHeard = (publisher: SharedCache, heard: readonly number[], x: number) =>
    eventually(async () => {
      await publisher.publish('key', '0', await result(x), 60_000);
      expect(heard).toContain(x);
    });

  test('after a failover gateways share on the new primary, and hear of each other', async () => {
    await follow(second, first);
    const [one, other] = [await open(), await open()];
    const heard: number[] = [];
    one.listen('key', (begunAt) => heard.push(begunAt));
    await untilShared(one, other, 1);
    await untilHeard(other, heard, 2);
    const before = forwarder.connections;

    await command(second, 'REPLICAOF', 'NO', 'ONE');
    await follow(first, second);
    forwarder.to = portOf(second);
    await untilShared(one, other, 3);
    await untilHeard(other, heard, 4);
    // The two of the cache, and that of the announcements.
    expect(forwarder.connections - before).toBe(3);
    expect(await command(second, 'DBSIZE')).not.toBe(0);
  });

  test('large results follow the others to another server', async () => {
    const cache = await open();
    const identity = randomBytes(200_000);
    const large = { ...(await result(1)), encodings: { identity } };
    const names = (redis: RedisServer) => redis.run((client) => client.keys('querygate:result:*'));
    expect(await cache.publish('before', '1', large, 60_000)).toBe(true);
    expect(await names(first)).toHaveLength(1);

    forwarder.to = portOf(second);
    const [, ofCache] = (await first.run((client) => client.clientList())).toSorted((a, b) => a.id - b.id);
    await command(first, 'CLIENT', 'KILL', 'ID', String(ofCache?.id));
    await eventually(async () => {
      await cache.publish('after', '1', large, 60_000);
      expect(await names(second)).toHaveLength(1);
    });
  });

  test('a replica is not used, and noticed without requests', async () => {
    const cache = await open();
    expect(cache.isUp()).toBe(true);
    await follow(first, second);
    await eventually(() => expect(cache.isUp()).toBe(false));
    expect(await cache.get('key', 10)).toBeUndefined();
    expect(logged.at(-1)?.reason).toMatch(/^READONLY|^MASTERDOWN/);
    await command(first, 'REPLICAOF', 'NO', 'ONE');
    await eventually(() => expect(cache.isUp()).toBe(true));
  });

  nightly('rates are counted together again after a failover', async () => {
    await follow(second, first);
    const opened = await Promise.all(
      [1, 2].map(async () => {
        const rates = openSharedRates({ url: url(), secret, log, elapsedMs: () => performance.now() });
        closing.push(() => rates.close());
        await rates.ready;
        return rates;
      }),
    );
    await command(second, 'REPLICAOF', 'NO', 'ONE');
    await follow(first, second);
    forwarder.to = portOf(second);
    // Each limit is another one: what a gateway counted alone does not matter for the next.
    let id = 0;
    await eventually(async () => {
      id += 1;
      const [one, other] = opened.map((rates) => rates.newRateLimit(`id ${id}`, 2));
      await one?.take(performance.now());
      await one?.take(performance.now());
      expect(await other?.take(performance.now())).toMatchObject({ isWithin: false });
    });
  });

  test.each([
    [
      'replicas that a write needs are missing',
      ['CONFIG', 'SET', 'min-replicas-to-write', '3'],
      /^NOREPLICAS/,
    ],
    ['the user may not write', ['ACL', 'SETUSER', 'default', '-set', '-eval'], /^NOPERM/],
  ])('is down while %s', async (_, words, reason) => {
    const cache = await open();
    await command(first, ...words);
    await eventually(() => expect(cache.isUp()).toBe(false));
    expect(logged.at(-1)?.reason).toMatch(reason);
    await command(
      first,
      ...(words[0] === 'ACL' ? ['ACL', 'SETUSER', 'default', '+@all'] : [...words.slice(0, 3), '0']),
    );
    await eventually(() => expect(cache.isUp()).toBe(true));
  });

  nightly('is down while its password is another one', async () => {
    await command(first, 'CONFIG', 'SET', 'requirepass', 'secret');
    const breaker = openCircuitBreaker({ url: url(), name: 'the cache', log, build: (client) => client });
    closing.push(() => breaker.close());
    await breaker.ready;
    expect(breaker.isUp()).toBe(false);
    expect(logged.at(-1)).toMatchObject({ reason: expect.stringMatching(/^NOAUTH/) });
  });

  test('a Redis Cluster is refused at start', async () => {
    const cluster = await redisServer('--cluster-enabled', 'yes');
    closing.push(() => cluster.close());
    await cluster.start();
    const breaker = openCircuitBreaker({
      url: cluster.url,
      name: 'the cache',
      log,
      build: (client) => client,
    });
    closing.push(() => breaker.close());
    const error = await breaker.ready.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartError);
    expect(String((error as StartError).problems[0]?.message)).toMatch(/^the cache: it is a Redis Cluster/);
    expect(breaker.isUp()).toBe(false);
  });
});
