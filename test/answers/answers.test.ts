import { beforeEach, describe, expect, test } from 'vitest';
import { type Answers, buildAnswers } from '../../src/answers/answers.ts';
import type { Caller } from '../../src/call/caller.ts';
import { type BoundQuery, bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import { forUser } from '../../src/catalog/binding/session-user.ts';
import { GatewayError } from '../../src/errors.ts';
import { ConcurrencyLimiter } from '../../src/keys/concurrency-limiter.ts';
import { type Principal, unrestricted } from '../../src/keys/principal.ts';
import type { ObtainedResult } from '../../src/results/get-result.ts';
import { draftQuery } from '../support/queries.ts';
import { openTestResults, type TestResults } from '../support/test-results.ts';

interface Value {
  readonly text: string;
}

const parameters = { p: '{ type: string, description: P. }' };
const columns = { x: 'string' };
const caching = ['caching: 900s', 'cache_warming: 300s'];
const plain = draftQuery({ parameters, columns, caching, sql: 'select @p as x' });

let results: TestResults;
let refused: boolean;
let shown: ObtainedResult[];
let open: () => Answers<Value>;

beforeEach(() => {
  results = openTestResults();
  refused = false;
  shown = [];
  const openAnswers = buildAnswers({
    store: results.derived,
    current: results.current,
    showResult(obtained, head) {
      head.results?.push(obtained);
      if (refused) throw new GatewayError('FORBIDDEN', 'no');
      shown.push(obtained);
    },
  });
  open = () => openAnswers<Value>();
});

const callerWith = (principal: Principal, noCache = false): Caller => ({
  head: {
    method: 'GET',
    headers: {},
    address: undefined,
    signal: new AbortController().signal,
    results: [] as ObtainedResult[],
  },
  admission: { principal, noCache, schedule: undefined },
});

const key = (id: string, more: Partial<Principal> = {}): Principal => ({ ...unrestricted(id), ...more });

const boundAt = (query = plain, p = 'a') =>
  bind(query, plainParameters({ p }), results.clock.now().getTime());

/** Answers a request as a route does. @returns the text, and how it was answered */
async function answer(
  answers: Answers<Value>,
  principal: Principal,
  { bound = boundAt(), noCache = false, isCostly = false } = {},
): Promise<readonly [string, 'found' | 'made']> {
  const caller = callerWith(principal, noCache);
  const found = answers.find('request', caller);
  if (found !== undefined) return [found.value.text, 'found'];
  const running = results.get(bound, { caller: caller.head, noCache });
  await results.clock.pass(100);
  const result = await running;
  caller.head.results?.push({ bound, result });
  const text = result.document.encodings.identity.toString();
  answers.keep('request', caller, () => ({ value: { text }, bytes: text.length }), isCostly);
  return [text, 'made'];
}

const kept = async (answers: Answers<Value>, principal: Principal, bound?: BoundQuery) => {
  await answer(answers, principal, { isCostly: true, ...(bound && { bound }) });
};

describe('an answer', () => {
  test('is kept from its second time on, and a costly one from its first', async () => {
    const answers = open();
    expect((await answer(answers, key('k')))[1]).toBe('made');
    expect((await answer(answers, key('k')))[1]).toBe('made');
    expect((await answer(answers, key('k')))[1]).toBe('found');
    const others = open();
    await kept(others, key('k'));
    expect((await answer(others, key('k')))[1]).toBe('found');
  });

  test('is found by keys with equal rights, and by no others', async () => {
    const answers = open();
    const tenants = new Set(['a', 'b']);
    await kept(answers, key('one', { tenants }));
    const found = async (more: Partial<Principal>) =>
      (await answer(answers, key('another', more)))[1] === 'found';
    expect(await found({ tenants: new Set(['b', 'a']) })).toBe(true);
    for (const more of [
      { tenants: new Set(['a']) },
      { tenants: new Set(['a', 'b', 'c']) },
      { tenants: new Set(['a,b']) },
      {},
      { tenants, endpoints: new Set(['e']) },
      { tenants, hidesEndpoints: true },
      { tenants, permissions: new Set<never>() },
    ])
      expect(await found(more), JSON.stringify(more)).toBe(false);
  });

  test('of SESSION_USER() is found by its key alone', async () => {
    const answers = open();
    const query = draftQuery({ parameters, columns, caching, sql: 'select session_user() || @p as x' });
    await kept(answers, key('one'), forUser(boundAt(query), 'one'));
    expect((await answer(answers, key('one')))[1]).toBe('found');
    expect((await answer(answers, key('two')))[1]).toBe('made');
  });

  test('is found only by the version of the catalog and the route that kept it', async () => {
    const answers = open();
    await kept(answers, key('k'));
    expect((await answer(open(), key('k')))[1]).toBe('made');
    expect((await answer(answers, key('k')))[1]).toBe('found');
  });

  test('is sent while its result is the current one, and fresh', async () => {
    const answers = open();
    await kept(answers, key('k'));
    const [first] = await answer(answers, key('k'));
    const [fresh] = await answer(answers, key('k'), { noCache: true });
    expect(fresh).not.toBe(first);
    expect(await answer(answers, key('k'))).toEqual([fresh, 'made']);
    expect(await answer(answers, key('k'))).toEqual([fresh, 'found']);
    results.engine.failing = true;
    await results.clock.pass(901_000);
    // Stale rows are sent, and not kept.
    expect(await answer(answers, key('k'))).toEqual([fresh, 'made']);
    expect(await answer(answers, key('k'))).toEqual([fresh, 'made']);
  });

  test('is not sent when a default that is relative to the time has changed', async () => {
    const answers = open();
    const since = draftQuery({
      parameters: { p: '{ type: date, default: -1d, description: P. }' },
      columns,
      caching: ['caching: 3600s'],
      sql: 'select @p as x',
    });
    const today = () => bind(since, plainParameters({}), results.clock.now().getTime());
    results.clock.set(12 * 3_600_000 - 60_000);
    await kept(answers, key('k'), today());
    expect((await answer(answers, key('k'), { bound: today() }))[1]).toBe('found');
    await results.clock.pass(61_000);
    expect((await answer(answers, key('k'), { bound: today() }))[1]).toBe('made');
  });

  test('counts as a hit, is shown to the plug-ins, and keeps its key warm', async () => {
    const answers = open();
    await kept(answers, key('k'));
    const { hits } = results.counters;
    for (let passed = 0; passed < 10; passed += 1) {
      await results.clock.pass(200_000);
      await answer(answers, key('k'));
    }
    expect(results.counters.hits).toBe(hits + 10);
    expect(results.counters.refreshes).toBeGreaterThan(5);
    expect(results.counters.misses).toBe(1);
    expect(shown.every(({ result }) => result.cacheStatus === 'HIT')).toBe(true);
    expect(shown.length).toBeGreaterThan(0);
  });

  test('that a plug-in refuses is not sent, and counts nothing', async () => {
    const answers = open();
    await kept(answers, key('k'));
    const { hits } = results.counters;
    refused = true;
    const caller = callerWith(key('k'));
    expect(answers.find('request', caller)).toBeUndefined();
    expect(caller.head.results).toEqual([]);
    expect(results.counters.hits).toBe(hits);
  });

  test('is not sent to a caller who accepts no cached result, nor beyond the concurrency of its key', async () => {
    const answers = open();
    const concurrencyLimiter = new ConcurrencyLimiter(1);
    const limited = key('k', { concurrencyLimiter });
    await kept(answers, limited);
    expect(answers.find('request', callerWith(limited, true))).toBeUndefined();
    expect(answers.find('request', callerWith(limited))).toBeDefined();
    const running = Promise.withResolvers<void>();
    const taken = concurrencyLimiter.forRequest()(() => running.promise, callerWith(limited).head);
    expect(answers.find('request', callerWith(limited))).toBeUndefined();
    running.resolve();
    await taken;
    expect(answers.find('request', callerWith(limited))).toBeDefined();
  });

  test('takes memory of results, and is evicted with them', async () => {
    results = openTestResults({ memoryBytes: 100_000 });
    const answers = buildAnswers({
      store: results.derived,
      current: results.current,
      showResult() {},
    })<Value>();
    const caller = callerWith(key('k'));
    for (let at = 0; at < 50; at += 1) {
      answers.keep(`${at}`, caller, () => ({ value: { text: '' }, bytes: 10_000 }), true);
      expect(results.counters.bytes).toBeLessThanOrEqual(100_000);
    }
    const found = Array.from({ length: 50 }, (_, at) => answers.find(`${at}`, caller) !== undefined);
    expect(found.filter(Boolean).length).toBeGreaterThan(5);
    expect(found.slice(0, 40)).not.toContain(true);
  });
});
