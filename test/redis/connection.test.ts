import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConnection } from '../../src/redis/connection.ts';
import { listen } from '../support/listen.ts';
import { hasRedis, type RedisServer, redisServer } from '../support/redis-server.ts';

/** About 100 Mbit/s. */
const bytesOfMs = 12_500;

describe.skipIf(!hasRedis)('a connection to Redis over a slow network', () => {
  let redis: RedisServer;
  let network: Server;
  let url: string;
  beforeEach(async () => {
    redis = await redisServer();
    await redis.start();
    const target = Number(new URL(redis.url).port);
    network = createServer((client) => {
      const server = connect(target, '127.0.0.1');
      forwardSlowly(client, server);
      forwardSlowly(server, client);
    });
    url = `redis://127.0.0.1:${await listen(network)}`;
  });
  afterEach(async () => {
    network.close();
    await redis.close();
  });

  test('transfers a text that takes longer than a silence', async () => {
    const reasons: unknown[] = [];
    const connection = openConnection(url, (reason) => reasons.push(reason));
    expect(await connection.connect()).toBe(true);
    const text = 'x'.repeat(2_000_000);
    expect(await connection.track(connection.client.set('large', text))).toBe('OK');
    expect((await connection.track(connection.client.get('large')))?.length).toBe(text.length);
    expect(reasons).toEqual([]);
    redis.signal('SIGSTOP');
    connection.track(connection.client.get('large')).catch(() => {});
    await expect.poll(() => reasons.map(String)).toEqual(['Error: no reply within 100 ms']);
  });
});

async function forwardSlowly(from: Socket, to: Socket): Promise<void> {
  from.on('error', () => {});
  from.on('close', () => to.destroy());
  for (;;) {
    await once(from, 'readable').catch(() => from.destroy());
    if (from.destroyed) return;
    for (let chunk: Buffer | null = from.read(); chunk !== null; chunk = from.read()) {
      to.write(chunk);
      await sleep(chunk.byteLength / bytesOfMs);
    }
  }
}
