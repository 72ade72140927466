import { get, type OutgoingHttpHeaders, type Server } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { openMetricsServer } from '../../../src/plugins/metrics/metrics-server.ts';
import { listen } from '../../support/listen.ts';

let server: Server;
afterEach(() => void server.close());

const statusOf = (port: number, headers: OutgoingHttpHeaders) =>
  new Promise<number | undefined>((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path: '/metrics', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
  });

test('pages of other sites do not read metrics', async () => {
  server = openMetricsServer({ render: () => 'up 1\n' });
  const port = await listen(server);
  for (const host of [
    '127.0.0.1',
    'localhost',
    'LOCALHOST',
    'localhost.',
    '127.0.0.2',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ])
    expect(await statusOf(port, { host: `${host}:${port}` }), host).toBe(200);
  for (const host of [
    'rebound.example',
    'localhost.example',
    '127.0.0.1.example',
    '[::ffff:10.0.0.1]',
    `rebound.example:${port}`,
    'a b',
  ])
    expect(await statusOf(port, { host }), host).toBe(403);
  expect(await statusOf(port, { origin: 'http://localhost' })).toBe(403);
});

test('on other addresses than loopback, metrics have any name', async () => {
  server = openMetricsServer({ render: () => 'up 1\n' });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '0.0.0.0', () => resolve((server.address() as { port: number }).port));
  });
  expect(await statusOf(port, { host: `querygate:${port}` })).toBe(200);
  expect(await statusOf(port, { host: `querygate:${port}`, origin: 'null' })).toBe(403);
});
