import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLoopTicks } from '../../src/concurrency/loop-ticks.ts';
import { type CircuitBreaker, openCircuitBreaker } from '../../src/redis/circuit-breaker.ts';
import type { Client } from '../../src/redis/connection.ts';
import { checkServer } from '../../src/redis/server-replies.ts';
import { blockEventLoop } from '../support/block-event-loop.ts';
import { hasRedis, type RedisServer, redisServer } from '../support/redis-server.ts';

const up = 'connected to the shared cache';
const down = 'the shared cache does not respond; continuing without it';

describe.skipIf(!hasRedis)('the circuit breaker around Redis', () => {
  let redis: RedisServer;
  let breaker: CircuitBreaker<Client>;
  let logged: string[];
  beforeEach(async () => {
    redis = await redisServer();
    await redis.start();
    logged = [];
    const connected = Promise.withResolvers<void>();
    breaker = openCircuitBreaker({
      url: redis.url,
      name: 'the shared cache',
      log: pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line).msg) }),
      build: (client) => client,
      onConnected: connected.resolve,
    });
    await connected.promise;
  });
  afterEach(async () => {
    await breaker.close();
    await redis.close();
  });

  const ping = () => breaker.call((client) => client.ping());

  test('stays closed while our own event loop is blocked in the middle of calls', async () => {
    for (let round = 0; round < 10; round += 1) {
      const before = [ping(), ping()];
      // Commands are written in the next turn: one that blocks before, and one that blocks after that.
      if (round % 2 === 0) await new Promise(setImmediate);
      blockEventLoop(300);
      expect(await Promise.all([...before, ping()])).toEqual(['PONG', 'PONG', 'PONG']);
    }
    expect(logged).toEqual([up]);
  });

  test('stays closed while the event loop turns slowly, for a second', async () => {
    const end = performance.now() + 1_000;
    const replies: Promise<unknown>[] = [];
    while (performance.now() < end) {
      replies.push(ping());
      blockEventLoop(60);
      await new Promise(setImmediate);
    }
    expect(new Set(await Promise.all(replies))).toEqual(new Set(['PONG']));
    expect(logged).toEqual([up]);
  });

  test.each([
    ['is full', ['CONFIG', 'SET', 'maxmemory', '1']],
    ['does not permit scripts', ['ACL', 'SETUSER', 'default', '-eval']],
  ])('stays closed while Redis %s, and is not said to serve', async (_, command) => {
    const script = () => breaker.call((client) => client.eval("return redis.call('SET', 'a', 'b')"));
    expect([await script(), breaker.isServing()]).toEqual(['OK', true]);
    await redis.run((client) => client.sendCommand(command));
    expect([await script(), breaker.isServing(), breaker.isUp()]).toEqual([undefined, false, true]);
    expect(logged).toEqual([up, 'the shared cache rejects commands']);
  });

  test('is not said to serve while Redis is full, although nothing is written', async () => {
    await redis.run((client) => client.configSet({ maxmemory: '1' }));
    expect(breaker.isServing()).toBe(true);
    await expect.poll(() => breaker.isServing(), { timeout: 10_000 }).toBe(false);
    expect([breaker.isUp(), logged]).toEqual([true, [up, 'the shared cache rejects commands']]);
  });

  test('opens after 100 ms of loop time without a reply from a frozen Redis, and all calls return', async () => {
    expect(await ping()).toBe('PONG');
    redis.signal('SIGSTOP');
    let loopMs = 0;
    const stop = openLoopTicks(10, () => {
      loopMs += 10;
    });
    const replies = [ping(), ping()];
    blockEventLoop(300);
    replies.push(ping());
    expect(await Promise.all(replies)).toEqual([undefined, undefined, undefined]);
    stop();
    expect(loopMs).toBeGreaterThanOrEqual(80);
    expect(loopMs).toBeLessThanOrEqual(130);
    expect(logged).toEqual([up, down]);

    // From now on no call waits, not even for a turn of the event loop.
    const nextTurn = new Promise((resolve) => setImmediate(resolve, 'the next turn'));
    expect(await Promise.race([ping(), nextTurn])).toBeUndefined();
  });
});

test('a Sentinel is refused by what it replies to HELLO', async () => {
  const sentinel = { ping: async () => 'PONG', sendCommand: async () => ['proto', 2, 'mode', 'sentinel'] };
  const client = { ...sentinel, set: () => Promise.reject(new Error("ERR unknown command 'SET'")) };
  await expect(checkServer(client as never)).rejects.toThrow(
    /^it is a Sentinel, which is not supported: give/,
  );
});

test.skipIf(!hasRedis).each([
  [
    'a wrong password',
    ':wrong@',
    '',
    /^the shared cache refuses: (?:WRONGPASS|ERR) .*; continuing without it$/,
  ],
  ['a database that it lacks', '', '/99', /^the shared cache refuses: ERR .*; continuing without it$/],
])('a Redis that refuses %s is not said to be silent', async (_title, user, path, message) => {
  const redis = await redisServer();
  await redis.start();
  const logged = Promise.withResolvers<string>();
  const breaker = openCircuitBreaker({
    url: `${redis.url.replace('://', `://${user}`)}${path}`,
    name: 'the shared cache',
    log: pino({ level: 'info' }, { write: (line) => logged.resolve(JSON.parse(line).msg) }),
    build: (client) => client,
  });
  expect(await logged.promise).toMatch(message);
  await breaker.close();
  await redis.close();
});
