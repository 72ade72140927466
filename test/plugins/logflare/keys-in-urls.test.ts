import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GatewayProcess, startGateway } from '../../support/gateway-process.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { startTraceCollector } from '../../support/trace-collector.ts';

describe('what a process writes and exports of a key in a URL', () => {
  let keys: KeyFile;
  let collector: Awaited<ReturnType<typeof startTraceCollector>>;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    keys = writeKeyFile({ all: { permissions: ['metrics'] } });
    collector = await startTraceCollector();
    gateway = await startGateway({
      COMPAT: 'logflare',
      API_KEYS_FILE: keys.path,
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
  });
  afterAll(async () => {
    await gateway?.end();
    await collector?.close();
    keys?.remove();
  });

  test('no log line, span or metric has it, and none has the older path', async () => {
    const key = keys.keyOf('all');
    const project = 'project=mzqkvxwotrplbhnydsea';
    const referer = `https://dash.example.com/?api_key=${key}`;
    const send = (target: string, init: RequestInit = {}) =>
      fetch(`${gateway.origin}${target}`, { ...init, headers: { referer, traceparent, ...init.headers } });
    const targets = [
      `/endpoints/query/functions.inv-stats?${project}&api_key=${key}`,
      `/api/endpoints/query/name/usage.api-counts?api_key=${key}&${project}&interval=(`,
      `/api/endpoints/query/usage.api-counts?api_key=${key}&project=(&interval=daily`,
      `/api/endpoints/query/logs.all?${project}&api_key=x${key}`,
      `/api/endpoints/query/nothing?api_key=${key}`,
      `/api/endpoints/query/logs.all?${project}&access_token=${key}`,
      `/endpoints/query/${key}?api_key=${key}`,
      `/metrics?api_key=${key}`,
    ];
    const statuses: number[] = [];
    for (const target of targets) statuses.push((await send(target)).status);
    const posted = await send(`/api/endpoints/query/logs.all?api_key=${key}`, {
      method: 'POST',
      body: new URLSearchParams(project),
    });
    expect([...statuses, posted.status]).toEqual([200, 200, 200, 401, 401, 400, 401, 400, 200]);

    const metrics = await fetch(`${gateway.origin}/metrics`, { headers: { 'x-api-key': key } });
    const counted = await metrics.text();
    expect(metrics.status).toBe(200);
    expect(counted).toMatch(/querygate_http_requests_total\{[^}]*endpoint="functions\.invocation-stats"/);
    await gateway.end();
    expect(collector.spans.length).toBeGreaterThanOrEqual(targets.length);

    const seen = [gateway.log(), counted, JSON.stringify(collector.spans)];
    for (const text of seen) {
      expect(text).toContain('functions.invocation-stats');
      for (const secret of [key, key.slice(-20), 'api_key', 'functions.inv-stats', '/name/', '"/endpoints']) {
        expect(text).not.toContain(secret);
      }
    }
  });
});

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
