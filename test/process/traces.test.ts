import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  completeBody,
  type FakeBigquery,
  incompleteBody,
  reply,
  startFakeBigquery,
} from '../support/fake-bigquery.ts';
import { runQuerygate, startGateway } from '../support/gateway-process.ts';
import { listen } from '../support/listen.ts';
import { measureLoopTime } from '../support/loop-time.ts';
import { nightly } from '../support/nightly.ts';
import { type CollectedSpan, startTraceCollector } from '../support/trace-collector.ts';

const query = `/*---
id: 5f0c6f5e-3f5a-4a3e-9f0e-000000000001
description: One number.
max_rows: 10
caching: 60s
columns:
  x: { type: integer, description: A number. }
---*/
select 1 as x
`;

const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;
const path = '/api/endpoints/query/one.number';

let folder: string;
let fake: FakeBigquery;
let collector: Awaited<ReturnType<typeof startTraceCollector>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  writeFileSync(join(folder, 'one.number.sql'), query);
  fake = await startFakeBigquery();
  collector = await startTraceCollector();
});
afterAll(async () => {
  await fake.close();
  await collector.close();
  rmSync(folder, { recursive: true });
});

const onBigquery = () => ({
  QUERIES_DIR: folder,
  API_KEY: 'key',
  ENGINE: 'bigquery',
  BIGQUERY_PROJECT: 'our-project',
  BIGQUERY_DATASET: 'logs',
  BIGQUERY_API_ENDPOINT: fake.endpoint,
  BIGQUERY_START_CHECK: 'off',
});

const exporting = () => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_SERVICE_NAME: 'edge-gateway',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
});

/** The names from the first span to one of the last, in the order of parents. */
function chainTo(spans: readonly CollectedSpan[], last: CollectedSpan): readonly string[] {
  const parent = spans.find(({ spanId }) => spanId === last.parentSpanId);
  return [...(parent === undefined ? [] : chainTo(spans, parent)), last.name];
}

describe('a cold request is one trace', () => {
  let spans: readonly CollectedSpan[];
  let log: string;
  let sent: readonly (string | undefined)[];
  beforeAll(async () => {
    fake.respondWith((response, received, at) =>
      reply(at === 0 ? incompleteBody : completeBody([7]))(response, received, at),
    );
    const gateway = await startGateway({ ...onBigquery(), ...exporting() });
    const headers = { 'x-api-key': 'key', traceparent, 'x-request-id': 'from-the-caller' };
    const response = await fetch(gateway.origin + path, { headers });
    expect(await response.json()).toEqual({ result: [{ x: 7 }] });
    await fetch(gateway.origin + path, { headers: { 'x-api-key': 'key' } });
    sent = fake.received.map(({ traceparent }) => traceparent);
    expect(await gateway.end()).toBe(0);
    log = gateway.log();
    spans = collector.spans;
  });

  test('from the caller through result, cache and engine to each call of BigQuery', () => {
    const ofCaller = spans.filter(({ traceId }) => traceId === caller.traceId);
    const [request] = ofCaller.filter(({ parentSpanId }) => parentSpanId === caller.spanId);
    expect(request).toMatchObject({
      name: `GET ${path}`,
      kind: 2,
      attributes: { 'http.response.status_code': 200, 'querygate.request_id': 'from-the-caller' },
      resource: { 'service.name': 'edge-gateway', 'deployment.environment.name': 'test' },
    });
    const calls = ofCaller.filter(({ name }) => name.startsWith('bigquery '));
    expect(calls.map(({ name }) => name)).toEqual(['bigquery queries', 'bigquery queries', 'bigquery jobs']);
    for (const call of calls) {
      expect(chainTo(ofCaller, call)).toEqual([`GET ${path}`, 'result', 'cache', 'engine', call.name]);
      expect(call.kind).toBe(3);
    }
    expect(ofCaller).toHaveLength(4 + calls.length);
    const outer = {
      from: BigInt(request?.startTimeUnixNano ?? 0),
      to: BigInt(request?.endTimeUnixNano ?? 0),
    };
    for (const { startTimeUnixNano, endTimeUnixNano } of ofCaller) {
      // Clocks of Node are exact to a millisecond when they are combined.
      expect(BigInt(startTimeUnixNano) + 2_000_000n).toBeGreaterThanOrEqual(outer.from);
      expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(outer.to + 2_000_000n);
    }
  });

  test('BigQuery gets the traceparent of the span of each call', () => {
    const calls = spans.filter(
      ({ name, traceId }) => name.startsWith('bigquery ') && traceId === caller.traceId,
    );
    expect(sent).toEqual(calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`));
  });

  test('a hit without a traceparent is a trace of its own, without engine', () => {
    const other = spans.filter(({ traceId }) => traceId !== caller.traceId);
    expect(other.map(({ name }) => name).sort()).toEqual([`GET ${path}`, 'result']);
    expect(other.find(({ name }) => name === 'result')?.attributes).toMatchObject({
      'querygate.cache': 'hit',
    });
  });

  test('every line of the log about a request has its id and its trace', () => {
    const lines = log
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const about = lines.filter(({ msg }) => msg === 'request' || msg === 'query ran');
    expect(about).toHaveLength(3);
    expect(
      about.filter(({ requestId }) => requestId === 'from-the-caller').map(({ traceId }) => traceId),
    ).toEqual([caller.traceId, caller.traceId]);
    for (const { traceId } of about) expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  });
});

test('a failed run: the log line of the reason has the id, spans have only the code', async () => {
  fake.respondWith((response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    const error = { reason: 'invalidQuery', message: 'secret text of SQL' };
    response.end(JSON.stringify({ error: { code: 400, message: error.message, errors: [error] } }));
  });
  collector.spans.length = 0;
  const gateway = await startGateway({ ...onBigquery(), ...exporting() });
  const headers = { 'x-api-key': 'key', 'x-request-id': 'failing' };
  const graphql = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ oneNumber { rows { x } } }' }),
  };
  expect((await fetch(gateway.origin + path, { headers })).status).toBe(502);
  await fetch(`${gateway.origin}/graphql`, graphql);
  const mixed = JSON.stringify({ query: '{ __typename oneNumber { rows { x } } }' });
  await fetch(`${gateway.origin}/graphql`, { ...graphql, body: mixed });
  await gateway.end();
  const warnings = gateway
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":40'));
  expect(warnings).toHaveLength(3);
  for (const warning of warnings) expect(JSON.parse(warning)).toMatchObject({ requestId: 'failing' });
  expect(JSON.stringify(collector.spans)).not.toContain('secret text');
  expect(collector.spans.find(({ name }) => name === 'engine')?.attributes).toMatchObject({
    'error.type': 'ENGINE_FAILED',
  });
});

nightly('the default protocol is protobuf; gRPC is refused with what would be right', async () => {
  fake.respondWith(reply(completeBody([7])));
  const { OTEL_EXPORTER_OTLP_PROTOCOL: _, ...env } = exporting();
  const gateway = await startGateway({ ...onBigquery(), ...env });
  await fetch(gateway.origin + path, { headers: { 'x-api-key': 'key' } });
  await gateway.end();
  expect(collector.contentTypes).toContain('application/x-protobuf');
  const grpc = { ...onBigquery(), OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
  const { exitCode, errors } = await runQuerygate(['start'], grpc);
  expect(exitCode).toBe(2);
  expect(errors).toContain(
    'OTEL_EXPORTER_OTLP_PROTOCOL: got "grpc"; must be one of http/protobuf, http/json',
  );
});

test('variables in any case turn the export off', async () => {
  const env = {
    ...onBigquery(),
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    API_KEYS_FILE: join(folder, 'none.yaml'),
  };
  for (const off of [{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: ' None ' }]) {
    const { exitCode, errors } = await runQuerygate(['start'], { ...env, ...off });
    expect(exitCode).toBe(2);
    expect(errors).toContain('none.yaml');
    expect(errors).not.toContain('OTEL');
  }
});

test('a collector that does not answer delays neither requests nor the exit for long', async () => {
  fake.respondWith(reply(completeBody([7])));
  const gateway = await startGateway({
    ...onBigquery(),
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://192.0.2.1:4318',
  });
  expect((await fetch(gateway.origin + path, { headers: { 'x-api-key': 'key' } })).status).toBe(200);
  const loopMs = measureLoopTime();
  expect(await gateway.end()).toBe(0);
  expect(loopMs()).toBeLessThan(4_000);
});

test('the log says once that traces cannot be exported, and once that they are again', async () => {
  fake.respondWith(reply(completeBody([7])));
  let status = 400;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end('{"text":"of the collector"}');
  });
  const port = await listen(server);
  const gateway = await startGateway({
    ...onBigquery(),
    ...exporting(),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const ask = () => fetch(gateway.origin + path, { headers: { 'x-api-key': 'key' } });
  const count = (text: string) => gateway.log().split(text).length - 1;
  const lost = '"reason":"400","msg":"traces cannot be exported';
  for (let at = 0; at < 3; at += 1) {
    await ask();
    await eventually(() => expect(count(lost)).toBe(1));
    await sleep(150);
  }
  status = 200;
  await ask();
  await eventually(() => expect(count('traces are exported again')).toBe(1));
  expect(count(lost)).toBe(1);
  expect(gateway.log()).not.toContain('of the collector');
  expect(await gateway.end()).toBe(0);
  server.close().closeAllConnections();
});

test("a collector's address that is not a URL is refused, and not shown", async () => {
  const env = { ...onBigquery(), OTEL_EXPORTER_OTLP_ENDPOINT: 'me:hunter2@collector:4318' };
  const { exitCode, errors } = await runQuerygate(['start'], env);
  expect(exitCode).toBe(2);
  expect(errors).toContain('OTEL_EXPORTER_OTLP_ENDPOINT: must be the URL of a collector');
  expect(errors).not.toContain('hunter2');
});
