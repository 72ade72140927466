import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { httpLimits } from '../../src/http/limits.ts';
import { type GatewayProcess, startGateway } from '../support/gateway-process.ts';
import { queryText } from '../support/queries.ts';

const { maxRequestsInFlight } = httpLimits;
const digits = 'unnest([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) as';
const from = Array.from('abcdefghijkl', (name) => `${digits} ${name}`).join(' cross join ');

const endless = queryText({
  name: 'endless',
  parameters: { n: '{ type: integer, default: 0, description: Makes each query different. }' },
  columns: { x: 'integer' },
  sql: `select count(*) as x from ${from} where mod(a * b + c, 7) = cast(@n as int64)`,
});

test('a flood of endless queries is rejected, memory stays bounded, and the next caller gets a result', async () => {
  const queries = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  writeFileSync(join(queries, 'endless.sql'), endless);
  writeFileSync(
    join(queries, 'quick.sql'),
    queryText({ name: 'quick', columns: { x: 'integer' }, sql: 'select 1 as x' }),
  );
  const gateway = await startGateway({ API_KEY: 'key', QUERIES_DIR: queries, ENGINE_CONCURRENCY: '2' });
  const port = Number(new URL(gateway.origin).port);
  const headers = { 'x-api-key': 'key' };
  const before = memoryMb(gateway);

  const flood = Array.from({ length: 50 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  for (const [at, socket] of flood.entries()) {
    const requests = Array.from(
      { length: 200 },
      (_, n) =>
        `GET /api/endpoints/query/endless?n=${at * 200 + n} HTTP/1.1\r\nHost: a\r\nX-API-KEY: key\r\n\r\n`,
    );
    socket.write(requests.join(''));
  }
  while (countRejected(gateway) < flood.length * 200 - maxRequestsInFlight - 500) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect((await fetch(`${gateway.origin}/readyz`)).status).toBe(200);
  expect(memoryMb(gateway) - before).toBeLessThan(300);

  // Disconnecting cancels the queries, including those pipelined behind another.
  for (const socket of flood) socket.destroy();
  let status = 0;
  for (let attempt = 0; attempt < 50 && status !== 200; attempt += 1) {
    const answer = await fetch(`${gateway.origin}/api/endpoints/query/quick`, { headers });
    status = answer.status;
  }
  expect(status).toBe(200);
  expect(await gateway.end()).toBe(0);
  rmSync(queries, { recursive: true });
}, 60_000);

function countRejected(gateway: GatewayProcess): number {
  return gateway.log().match(/"status":503/g)?.length ?? 0;
}

function memoryMb({ child }: GatewayProcess): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) / 1_000;
}
