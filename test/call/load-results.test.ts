import { describe, expect, test } from 'vitest';
import type { Admission, CallingRequest } from '../../src/call/caller.ts';
import { EndpointRequest } from '../../src/call/endpoint-request.ts';
import { Obtain } from '../../src/call/obtain.ts';
import { ResultLoader } from '../../src/call/load-results.ts';
import { LoopTurns } from '../../src/concurrency/loop-turns.ts';
import { GatewayError } from '../../src/errors.ts';
import { type Principal, unrestricted } from '../../src/keys/principal.ts';
import type { ObtainedResult } from '../../src/results/get-result.ts';
import { openGate } from '../support/calls.ts';
import { draftQuery } from '../support/queries.ts';
import { openTestResults } from '../support/test-results.ts';

const query = draftQuery({
  columns: { x: 'string' },
  parameters: {
    p: '{ type: string, description: P. }',
    list: '{ type: string, repeated: true, description: A list. }',
  },
  caching: ['caching: 900s'],
  sql: 'select @p as x where @p not in unnest(@list)',
});
const endpoint = (p = 'a', list: readonly string[] = []) =>
  new EndpointRequest(
    query,
    new Map([
      ['p', [p]],
      ['list', list],
    ]),
  );

/** Loaders over results of which those of `a` are in memory. */
async function openLoaders(refuses = () => false) {
  const results = openTestResults({ caching: ['caching: 900s'], engineConcurrency: 20 });
  const audited: unknown[] = [];
  const shown: ObtainedResult[] = [];
  const turns = new LoopTurns();
  const audit = (error: unknown) => void audited.push(error);
  const unused = () => {
    throw new Error('not used');
  };
  const obtain = new Obtain({
    getResult: results.get,
    current: results.current,
    showResult(obtained) {
      if (refuses()) throw new GatewayError('FORBIDDEN', 'no');
      shown.push(obtained);
    },
    applyRowRequest: unused,
    pageOfResult: unused,
    turns,
    audit,
  });
  const open = (admission: Partial<Admission> = {}, rights: Partial<Principal> = {}, head = {}) => {
    const { signal } = new AbortController();
    const request: CallingRequest = { method: 'POST', headers: {}, address: undefined, signal, ...head };
    const principal = { ...unrestricted('k'), ...rights };
    const caller = {
      head: request,
      admission: { principal, noCache: false, schedule: undefined, ...admission },
    };
    const gate = openGate({ turns, audit });
    return new ResultLoader({ gate, obtain, readRows: unused, turns, maxRunning: 4 }, caller);
  };
  const first = open().load(endpoint());
  await results.clock.pass(100);
  await first;
  return { results, open, audited, shown };
}

describe('a result of an operation', () => {
  test('that is in memory and fresh is found at once, and counted and shown once for equal calls', async () => {
    const { results, open, shown } = await openLoaders();
    const loader = open();
    const { hits } = results.counters;
    const found = loader.find(endpoint());
    expect(found?.cacheStatus).toBe('HIT');
    expect(loader.find(endpoint())).toBe(found);
    expect(await loader.load(endpoint())).toBe(found);
    expect(results.counters.hits).toBe(hits + 1);
    expect(shown).toHaveLength(1);
    expect(loader.obtained).toHaveLength(1);
    expect(loader.find(endpoint('b'))).toBeUndefined();
    await results.clock.pass(900_000);
    expect(loader.find(endpoint())).toBe(found);
    expect(open().find(endpoint())).toBeUndefined();
    await results.close();
  });

  test('is not found while the same call is being loaded, which it is one with', async () => {
    const { results, open, shown } = await openLoaders();
    const loader = open();
    const loading = loader.load(endpoint());
    await Promise.resolve();
    await Promise.resolve();
    expect(loader.find(endpoint())).toBeUndefined();
    await loading;
    expect(loader.find(endpoint())).toBeUndefined();
    expect(shown).toHaveLength(0);
    expect(loader.obtained).toHaveLength(1);
    await results.close();
  });

  test('is loaded for callers who bypass the cache, whose calls are counted, or who are traced', async () => {
    const { results, open } = await openLoaders();
    expect(open({ noCache: true }).find(endpoint())).toBeUndefined();
    expect(open({ schedule: (work) => work() }).find(endpoint())).toBeUndefined();
    const span = { start: () => span, set() {}, end() {} };
    expect(open({}, {}, { trace: { requestId: 'r', span } }).find(endpoint())).toBeUndefined();
    await results.close();
  });

  test('is bound once for equal requests that share a long list', async () => {
    const { results, open } = await openLoaders();
    const loader = open();
    const list = Array.from({ length: 100 }, (_, at) => `${at}`);
    const requests = [
      endpoint('b', list),
      endpoint('b', list),
      endpoint('c', list),
      endpoint('b', [...list]),
    ];
    const loading = Promise.all(requests.map((request) => loader.load(request)));
    await results.clock.pass(100);
    const loaded = await loading;
    expect(requests.map(({ isBound }) => isBound)).toEqual([true, false, true, true]);
    expect(new Set(loaded).size).toBe(2);
    await results.close();
  });

  test('waits while as many are obtained as one operation may wait for, also of calls in other turns', async () => {
    const { results, open } = await openLoaders();
    const { engine } = results;
    const before = engine.runs;
    const loader = open();
    const loading: Promise<unknown>[] = [];
    for (const name of 'bcdefg') {
      loading.push(loader.load(endpoint(name)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(engine.runs - before).toBe(4);
    await results.clock.pass(100);
    await results.clock.pass(100);
    await Promise.all(loading);
    expect(engine.runs - before).toBe(6);
    await results.close();
  });

  test('that a key may not have is refused, in the log once', async () => {
    const { results, open, audited } = await openLoaders();
    const loader = open({}, { endpoints: new Set() });
    expect(loader.find(endpoint())).toBeUndefined();
    expect(audited).toEqual([]);
    await expect(loader.load(endpoint())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(audited).toHaveLength(1);
    await results.close();
  });

  test('that a plug-in refuses is refused, in the log once', async () => {
    let refuses = false;
    const { results, open, audited } = await openLoaders(() => refuses);
    refuses = true;
    expect(() => open().find(endpoint())).toThrow(GatewayError);
    expect(audited).toHaveLength(1);
    await results.close();
  });
});
