import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { settled } from '../support/fake-clock.ts';
import { fakeShared } from '../support/fake-shared.ts';
import { openTestResults, summary } from '../support/test-results.ts';

const cold = ['caching: 900s'];

/** Requests a result, and lets the time of a query pass. */
async function getResult(
  results: ReturnType<typeof openTestResults>,
  ...request: Parameters<typeof results.request>
) {
  const result = results.request(...request);
  result.catch(() => {});
  await results.clock.pass(100);
  return result;
}

describe('a result', () => {
  test('is cached while it is fresh, for equal parameters only', async () => {
    const results = openTestResults({ caching: cold });
    expect(summary(await getResult(results))).toEqual(['MISS', 1]);
    expect(summary(await getResult(results))).toEqual(['HIT', 1]);
    expect(summary(await getResult(results, 'other'))).toEqual(['MISS', 2]);
    await results.clock.pass(899_500);
    expect(summary(await getResult(results))).toEqual(['HIT', 1]);
    await results.clock.pass(200);
    expect(summary(await getResult(results))).toEqual(['MISS', 3]);
    await results.close();
  });

  test('carries what it cost, which is reported once', async () => {
    const cost = { bytesProcessed: 1, bytesBilled: 2, slotMs: 3, cacheHit: false, jobId: 'job' };
    const results = openTestResults({ cost });
    expect((await getResult(results)).document.metadata).toEqual({ rowCount: 1, truncated: false, cost });
    expect((await getResult(results)).document.metadata.cost).toEqual(cost);
    expect(results.costs).toEqual([cost]);
    await results.close();
  });

  test('is computed for the key that requests it first, and refreshed for no key', async () => {
    const results = openTestResults({ caching: ['caching: 900s', 'cache_warming: 300s'] });
    const first = results.request('', { owner: 'a' });
    const joined = results.request('', { owner: 'b' });
    await results.clock.pass(100);
    await Promise.all([first, joined]);
    await results.clock.pass(301_000);
    expect(results.engine.owners).toEqual(['a', undefined]);
    await results.close();
  });

  test('does not wait for a plug-in that never says whether it may be refreshed', async () => {
    const mayRefresh = () => new Promise<never>(() => {});
    const results = openTestResults({ caching: ['caching: 900s', 'cache_warming: 300s'], mayRefresh });
    expect(summary(await getResult(results))).toEqual(['MISS', 1]);
    await results.clock.pass(901_000);
    expect(summary(await getResult(results))).toEqual(['SHARED', 2]);
    await results.close();
  });

  test('is left to the gateway that refreshes it, also after a caller who has left', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let found = Promise.resolve();
    const results = openTestResults({
      caching: ['caching: 900s', 'cache_warming: 300s'],
      mayRefresh: () => settled().then(() => false),
      openShared: (...use) => {
        const shared = fakeShared().open(...use);
        return { ...shared, get: (...given) => found.then(() => shared.get(...given)) };
      },
    });
    expect(summary(await getResult(results))).toEqual(['MISS', 1]);
    found = promise;
    await results.clock.pass(901_000);
    const left = new AbortController();
    const leaving = expect(results.request('', { signal: left.signal })).rejects.toThrow(GatewayError);
    await settled();
    left.abort();
    await leaving;
    resolve();
    await results.clock.pass(100);
    expect(results.engine.owners).toHaveLength(1);
    await results.close();
  });

  test('has the bytes of the one before if its rows are equal', async () => {
    const row = (run: number) => JSON.stringify({ x: (run < 3 ? 'a' : 'b').repeat(2_000) });
    const results = openTestResults({ caching: cold, rows: (_, run) => [row(run)] });
    const [first, second, third] = [
      await getResult(results),
      await getResult(results, '', { noCache: true }),
      await getResult(results, '', { noCache: true }),
    ].map(({ document }) => document);
    expect(second?.computedAt).not.toBe(first?.computedAt);
    expect(second?.encodings).toBe(first?.encodings);
    expect(third?.encodings).not.toBe(first?.encodings);
    expect(third?.encodings.zstd).toBeDefined();
    await results.close();
  });

  test('is returned stale when the engine fails, until stale_if_error ends', async () => {
    const results = openTestResults({ caching: ['caching: 900s', 'stale_if_error: 60s'] });
    await getResult(results);
    await results.clock.pass(901_000);
    results.engine.failing = true;
    expect(summary(await getResult(results))).toEqual(['STALE', 1]);
    expect(results.counters).toMatchObject({ stale: 1, hits: 0 });

    await results.clock.pass(60_000);
    await expect(getResult(results)).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    results.engine.failing = false;
    expect(summary(await getResult(results))[0]).toBe('MISS');
    await results.close();
  });

  test('once the engine has failed, no caller waits for it to fail again, and it is retried in the background', async () => {
    const results = openTestResults({ caching: cold });
    await getResult(results);
    await results.clock.pass(901_000);
    results.engine.failing = true;
    await getResult(results);
    // No time passes here: a caller that waited for the engine would get nothing.
    const waiting = await Promise.race([results.request(), settled()]);
    expect(waiting).toMatchObject({ cacheStatus: 'STALE' });
    results.engine.failing = false;
    await results.clock.pass(16_000);
    expect(summary(await getResult(results))[0]).toBe('HIT');
    await results.close();
  });

  test('is returned stale when its query has become too expensive', async () => {
    const results = openTestResults({ caching: cold });
    await getResult(results);
    await results.clock.pass(901_000);
    results.engine.failing = true;
    results.engine.fault = new GatewayError('QUERY_TOO_EXPENSIVE', 'The query would read too much');
    expect(summary(await getResult(results))).toEqual(['STALE', 1]);
    await results.close();
  });

  test('an error is never cached, and never retried in the background', async () => {
    const results = openTestResults();
    results.engine.failing = true;
    await expect(getResult(results)).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    await results.clock.pass(600_000);
    expect(results.engine.runs).toBe(1);
    results.engine.failing = false;
    expect(summary(await getResult(results))).toEqual(['MISS', 2]);
    expect(results.counters).toMatchObject({ failures: 1, misses: 1 });
    await results.close();
  });

  test('no-cache runs the query again, and its result is cached; its error reaches the caller', async () => {
    const results = openTestResults({ caching: cold });
    await getResult(results);
    expect(summary(await getResult(results, '', { noCache: true }))).toEqual(['BYPASS', 2]);
    expect(summary(await getResult(results))).toEqual(['HIT', 2]);
    results.engine.failing = true;
    await expect(getResult(results, '', { noCache: true })).rejects.toMatchObject({ code: 'ENGINE_FAILED' });
    await results.close();
  });

  test('of a query that is not cached: one run per request, shared only by requests in flight', async () => {
    const results = openTestResults({ caching: ['caching: disabled'] });
    expect(summary(await getResult(results))).toEqual(['BYPASS', 1]);
    expect(summary(await getResult(results))).toEqual(['BYPASS', 2]);
    const both = Promise.all([results.request(), results.request()]);
    await results.clock.pass(100);
    expect((await both).map(summary)).toEqual([
      ['BYPASS', 3],
      ['BYPASS', 3],
    ]);
    await results.close();
  });
});

describe('single flight', () => {
  test('a caller that disconnects does not cancel the others; the last one to disconnect cancels the query', async () => {
    const results = openTestResults();
    const [first, last] = [new AbortController(), new AbortController()];
    const leaving = results.request('', { signal: first.signal });
    const staying = results.request('', { signal: last.signal });
    await settled();
    first.abort();
    await expect(leaving).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(results.engine).toMatchObject({ runs: 1, cancelled: 0 });
    last.abort();
    await expect(staying).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(results.engine).toMatchObject({ runs: 1, cancelled: 1 });

    // A later caller does not get the error of those that disconnected.
    expect(summary(await getResult(results))).toEqual(['MISS', 2]);
    expect(results.counters.failures).toBe(0);
    await results.close();
  });

  test('a caller that has disconnected before its request is rejected', async () => {
    const results = openTestResults();
    await expect(results.request('', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(results.engine.runs).toBe(0);
    await results.close();
  });
});

describe('a changed query', () => {
  const once = async (options: Parameters<typeof openTestResults>[0], memory: Map<string, unknown>) => {
    const results = openTestResults({
      ...options,
      openShared: () => ({
        ready: Promise.resolve(),
        isUp: () => true,
        get: async (key) => memory.get(key) as never,
        publish: async (key, _token, document) => memory.set(key, document) === memory,
        acquire: async () => ({ role: 'leader', fencingToken: '1' }),
        renew: async () => false,
        watch: async () => undefined,
        release: async () => {},
        listen: () => () => {},
        recordDemand: async () => {},
        demandSince: async () => new Map(),
        close: async () => {},
      }),
    });
    const cached = summary(await getResult(results));
    await results.close();
    return cached[0];
  };

  test('never returns results of the old one; an unchanged one does', async () => {
    const memory = new Map<string, unknown>();
    expect(await once({}, memory)).toBe('MISS');
    expect(await once({}, memory)).toBe('HIT');
    expect(await once({ sql: 'select concat(@p) as x' }, memory)).toBe('MISS');
    expect(await once({ caching: ['caching: 60s'] }, memory)).toBe('HIT');
  });
});
