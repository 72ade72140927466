import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { csv } from '../../../src/formats/csv.ts';
import { ByteBudget } from '../../../src/http/message/byte-budget.ts';
import { httpLimits } from '../../../src/http/message/http-limits.ts';
import type { RenderRequest } from '../../../src/http/rendering/render-request.ts';
import { streamRows } from '../../../src/http/rendering/stream-rows.ts';
import { draftQuery } from '../../support/queries.ts';
import { hasProgram } from '../../support/has-program.ts';
import { readParquet, readPythonCsv } from '../../support/read-formats.ts';
import { type ServedApp, serveTestApp } from '../../support/served-app.ts';
import { apiKey } from '../../support/test-app.ts';

const count = 40_000;
const row = (at: number) =>
  `{"timestamp":${1_773_144_000_000_000 + at},"min_execution_time":${at / 7},"max_execution_time":${at},"avg_execution_time":0.5,"p95_execution_time":1.25,"count":${at},"error_count":0}`;
const rows = Array.from({ length: count }, (_, at) => row(at));

let served: ServedApp;
beforeAll(async () => {
  served = await serveTestApp({}, 1, { rows: () => rows });
});
afterAll(() => served?.close());

const path = '/api/endpoints/query/functions.invocation-stats?project=p';

async function open(format: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const request = get({
    port: served.port,
    path: `${path}&format=${format}`,
    headers: { 'x-api-key': apiKey, ...headers },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const columns = [
  { name: 'timestamp', type: 'timestamp', repeated: false },
  { name: 'min_execution_time', type: 'float', repeated: false },
  { name: 'count', type: 'integer', repeated: false },
] as const;

test('the result is so large that it is converted while it is sent', () => {
  expect(rows.join(',').length).toBeGreaterThan(httpLimits.maxConvertedBytes);
});

test('NDJSON is sent in chunks, and is complete', async () => {
  const response = await open('ndjson');
  expect(response.headers['content-length']).toBeUndefined();
  expect(response.headers['transfer-encoding']).toBe('chunked');
  expect((await read(response)).toString()).toBe(`${rows.join('\n')}\n`);
});

test('CSV in every coding is the same', async () => {
  const plain = await read(await open('csv'));
  const gzip = await open('csv', { 'accept-encoding': 'gzip' });
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(gunzipSync(await read(gzip)).equals(plain)).toBe(true);
  const zstd = await open('csv', { 'accept-encoding': 'zstd' });
  expect(zstd.headers['content-encoding']).toBe('zstd');
  expect(zstdDecompressSync(await read(zstd)).equals(plain)).toBe(true);
  const lines = plain.toString().split('\r\n');
  expect(lines).toHaveLength(count + 2);
});

test.skipIf(!hasProgram('python3'))("Python's csv reads all rows", async () => {
  expect(readPythonCsv(await read(await open('csv')))).toHaveLength(count);
});

test('an Arrow stream has all rows in many batches', async () => {
  const table = tableFromIPC(await read(await open('arrow')));
  expect(table.numRows).toBe(count);
  expect(table.batches.length).toBeGreaterThan(10);
  expect(table.getChild('count')?.get(count - 1)).toBe(BigInt(count - 1));
});

test('Parquet is complete before it is sent, and kept', async () => {
  const response = await open('parquet');
  const bytes = await read(response);
  expect(response.headers['content-length']).toBe(String(bytes.byteLength));
  const rowsRead = await readParquet(bytes, columns);
  expect(rowsRead).toHaveLength(count);
  expect(rowsRead.at(-1)).toEqual({
    timestamp: 1_773_144_000_000_000 + count - 1,
    min_execution_time: (count - 1) / 7,
    count: count - 1,
  });
});

test('a client that reads nothing holds the conversion up, and one that leaves ends it', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const slow = await Promise.all(Array.from({ length: 5 }, () => open('csv')));
  for (const response of slow) response.pause();
  await sleep(300);
  // The parts that are on their way, not five bodies.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * rows.join(',').length);
  for (const response of slow) response.destroy();
  // The room of their rows is free again: other keys' and this key's conversions go on.
  await sleep(100);
  expect((await read(await open('csv'))).byteLength).toBeGreaterThan(1_000_000);
  expect(served.log()).not.toContain('a bug in the gateway');
});

test('the bytes that were sent are counted', async () => {
  const bytesOf = async () => {
    const response = await fetch(`http://127.0.0.1:${served.port}/metrics`, {
      headers: { 'x-api-key': apiKey },
    });
    const [, count = '0'] =
      /^querygate_http_response_bytes_total\{api="rest",endpoint="functions.invocation-stats"\} (\d+)/m.exec(
        await response.text(),
      ) ?? [];
    return Number(count);
  };
  const before = await bytesOf();
  const { byteLength } = await read(await open('ndjson', { 'accept-encoding': 'gzip' }));
  await expect.poll(bytesOf).toBe(before + byteLength);
  const headers = { 'x-api-key': apiKey, 'accept-encoding': 'gzip' };
  const fetched = await served.app.fetch(`${path}&format=ndjson`, { headers });
  expect((await fetched.arrayBuffer()).byteLength).toBe(byteLength);
  await expect.poll(bytesOf).toBe(before + 2 * byteLength);
});

test('an ETag that the client has spares the conversion', async () => {
  const { headers } = await open('arrow').then(async (response) => {
    await read(response);
    return response;
  });
  const unchanged = await open('arrow', { 'if-none-match': headers.etag ?? '' });
  expect(unchanged.statusCode).toBe(304);
  expect((await read(unchanged)).byteLength).toBe(0);
});

test('the rows are charged to the key while they are sent, until the body is read or destroyed', async () => {
  const budget = new ByteBudget();
  const identity = Buffer.from(`{"result":[${rows.join(',')}]}`);
  const request = {
    renderer: csv,
    query: draftQuery({ columns: { count: 'integer' }, sql: 'select 1 as count' }),
    head: { headers: {}, signal: new AbortController().signal },
    owner: 'a key',
  } as unknown as RenderRequest;
  const open = () => streamRows({ identity, columns }, request, { budget, turns: new LoopTurns() });
  for (const end of [
    ({ body }: { body: Readable }) => body.destroy(),
    ({ body }: { body: Readable }) => body.resume(),
  ]) {
    const reply = await open();
    expect(budget.usedBytes).toBe(identity.byteLength);
    end(reply);
    await once(reply.body, 'close');
    expect(budget.usedBytes).toBe(0);
  }
  const gzip = await streamRows(
    { identity, columns },
    { ...request, head: { ...request.head, headers: { 'accept-encoding': 'gzip' } } },
    { budget, turns: new LoopTurns() },
  );
  gzip.body.destroy();
  await once(gzip.body, 'close');
  expect(budget.usedBytes).toBe(0);
});

test('a body that cannot be completed ends with the connection, so that the client notices', async () => {
  const broken = await serveTestApp({}, 1, { rows: () => [...rows, '{"timestamp":'] });
  const request = get({
    port: broken.port,
    path: `${path}&format=csv`,
    headers: { 'x-api-key': apiKey, 'accept-encoding': 'gzip' },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  await expect(read(response)).rejects.toThrow('aborted');
  expect(response.complete).toBe(false);
  expect(broken.log()).toContain('a bug in the gateway');
  const old = connect(broken.port, '127.0.0.1').resume();
  old.write(`GET ${path}&format=csv HTTP/1.0\r\nHost: a\r\nX-API-KEY: ${apiKey}\r\n\r\n`);
  await expect(once(old, 'end')).rejects.toThrow('ECONNRESET');
  // The gateway goes on.
  const other = await fetch(`http://127.0.0.1:${broken.port}/healthz`);
  expect(other.status).toBe(200);
  await broken.close();
});
