import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConnection } from '../../src/redis/connection.ts';
import { hasRedis, type RedisServer, redisServer } from '../support/redis-server.ts';
import { openSlowNetwork } from '../support/slow-network.ts';
import { isWithoutOpenssl, openTlsForwarder } from '../support/tls-forwarder.ts';

describe.skipIf(!hasRedis)('a connection to Redis over a slow network', () => {
  let redis: RedisServer;
  let port: number;
  beforeEach(async () => {
    redis = await redisServer();
    await redis.start();
    port = Number(new URL(redis.url).port);
  });
  afterEach(() => redis.close());

  const transfer = async (url: (port: number) => string, to: number, bytes: number) => {
    const network = await openSlowNetwork(to);
    const reasons: unknown[] = [];
    const connection = openConnection(url(network.port), (reason) => reasons.push(reason));
    expect(await connection.connect()).toBe(true);
    const text = 'x'.repeat(bytes);
    const options = { sentBytes: bytes };
    expect(await connection.track(connection.client.set('large', text), options)).toBe('OK');
    expect((await connection.track(connection.client.get('large')))?.length).toBe(bytes);
    expect(reasons).toEqual([]);
    redis.signal('SIGSTOP');
    connection.track(connection.client.get('large')).catch(() => {});
    await expect.poll(() => reasons.map(String)).toEqual(['Error: no reply within 100 ms']);
    network.close();
  };

  test('transfers a text that takes longer than a silence', () =>
    transfer((slow) => `redis://127.0.0.1:${slow}`, port, 2_000_000));

  test.skipIf(isWithoutOpenssl)('transfers a larger one over TLS', async () => {
    const tls = await openTlsForwarder(port);
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, readFileSync(tls.certificate, 'utf8')]);
    try {
      await transfer((slow) => `rediss://localhost:${slow}`, tls.port, 10_000_000);
    } finally {
      setDefaultCACertificates(trusted);
      tls.close();
    }
  });
});
