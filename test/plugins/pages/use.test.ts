import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { GatewayError } from '../../../src/errors.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { writeKeyFile } from '../../support/key-files.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

describe('the use of endpoints', () => {
  let app: TestApp | undefined;
  afterEach(() => app?.close());

  const project = 'project=mzqkvxwotrplbhnydsea&interval=hourly';
  const run = (target: TestApp, name: string, query = project) =>
    target.fetch(`/api/endpoints/query/${name}?${query}`, { headers: { 'x-api-key': apiKey } });
  const useOf = async (target: TestApp, key = apiKey) => {
    const response = await target.fetch('/use.json', { headers: { 'x-api-key': key } });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    return (await response.json()) as { since: string; endpoints: Record<string, Record<string, unknown>> };
  };

  test('has requests, hits, runs, how long they took, and when the rows were computed', async () => {
    app = await openTestApp({});
    expect((await useOf(app)).endpoints['usage.api-counts']).toEqual({ runs: 0, failedRuns: 0 });
    for (let at = 0; at < 4; at += 1) await (await run(app, 'usage.api-counts')).text();
    const { since, endpoints } = await useOf(app);
    expect(endpoints['usage.api-counts']).toEqual({
      results: 4,
      hits: 3,
      runs: 1,
      failedRuns: 0,
      p95Seconds: expect.any(Number),
      computedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(Date.parse(since)).toBeLessThanOrEqual(
      Date.parse(String(endpoints['usage.api-counts']?.computedAt)),
    );
    expect(endpoints['logs.all']).toEqual({ runs: 0, failedRuns: 0 });
  });

  test('has what runs have cost, and the last error by its code alone', async () => {
    const cost = {
      bytesProcessed: 5,
      bytesBilled: undefined,
      slotMs: undefined,
      cacheHit: undefined,
      jobId: undefined,
    };
    const engine = fakeEngine({
      clock: systemClock,
      queryMs: 0,
      rows: () => [],
      cost,
    });
    app = await openTestApp({}, {}, { engine });
    await (await run(app, 'logs.all')).text();
    expect((await useOf(app)).endpoints['logs.all']).toMatchObject({ runs: 1, bytesProcessed: 5 });
    engine.failing = true;
    engine.fault = new GatewayError('ENGINE_FAILED', 'The table secret_table is gone');
    expect((await run(app, 'usage.api-counts')).status).toBe(502);
    const { endpoints } = await useOf(app);
    expect(endpoints['usage.api-counts']).toMatchObject({
      runs: 1,
      failedRuns: 1,
      lastError: { code: 'ENGINE_FAILED', at: expect.any(String) },
    });
    expect(JSON.stringify(endpoints)).not.toContain('secret');
  });

  test('needs a key, and shows of other callers nothing to keys that are restricted', async () => {
    const keys = writeKeyFile({ one: { endpoints: ['logs.all'] }, bound: { tenants: ['mine'] } });
    try {
      app = await openTestApp({}, { API_KEY: apiKey, API_KEYS_FILE: keys.path });
      expect((await app.fetch('/use.json', { headers: {} })).status).toBe(401);
      await (await run(app, 'usage.api-counts')).text();
      expect(Object.keys((await useOf(app, keys.keyOf('one'))).endpoints)).toEqual(['logs.all']);
      expect((await useOf(app, keys.keyOf('bound'))).endpoints).toEqual({});
    } finally {
      keys.remove();
    }
  });
});
