import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import { parseCatalog } from '../../src/catalog/folder/load-catalog.ts';
import type { Catalog } from '../../src/catalog/model/saved-query.ts';
import type { Engine, Wave } from '../../src/engine-contract/engine.ts';
import { openResults, type Results } from '../../src/results/open-results.ts';
import { type FakeClock, fakeClock } from '../support/fake-clock.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { partText, queryText } from '../support/queries.ts';

interface Run {
  readonly name: string;
  readonly at: number;
  readonly wave: Wave | undefined;
}

let results: Results | undefined;
afterEach(() => results?.close());

const warmed = (seconds: number) => ['caching: 900s', `cache_warming: ${seconds}s`];

const reader = (name: string, sql: string, caching: readonly string[]) =>
  queryText({ name, columns: { x: 'string' }, parameters: { p: 'string' }, caching, sql });

const catalogOf = (files: Readonly<Record<string, string>>): Catalog =>
  parseCatalog('', new Map(Object.entries(files).map(([path, text]) => [path, { text }])));

const files = {
  'base.sql': partText('SELECT x FROM logs', {}, ['materialize: refresh']),
  'one.sql': reader('one', 'SELECT x FROM query.base WHERE x = @p', warmed(300)),
  'two.sql': reader('two', 'SELECT x FROM query.base WHERE x < @p', warmed(300)),
  'slow.sql': reader('slow', 'SELECT x FROM query.base WHERE x > @p', warmed(600)),
  'other.sql': reader('other', 'SELECT @p AS x', warmed(300)),
};

/** The cache over an engine that records its runs. */
function open(clock: FakeClock, { sharesParts = true, queryMs = 100, engineConcurrency = 4 } = {}) {
  const catalog = catalogOf(files);
  const runs: Run[] = [];
  const fake = fakeEngine({ clock, queryMs });
  const engine: Engine = {
    ...fake,
    run(bound, options) {
      runs.push({ name: bound.query.name, at: clock.now().getTime(), wave: options.wave });
      return fake.run(bound, options);
    },
  };
  results = openResults({
    ...{ catalog, engine, engineConcurrency, engineTimeoutMs: 30_000, memoryBytes: 1e7, clock, sharesParts },
    openShared: undefined,
    log: pino({ level: 'silent' }),
    onCost() {},
  });
  const { get } = results;
  const request = async (name: string, p = '') => {
    const query = catalog.queries.find((one) => one.name === name);
    if (query === undefined) throw new Error(`no query ${name}`);
    const { signal } = new AbortController();
    return get(bind(query, plainParameters({ p })), { caller: { signal }, noCache: false });
  };
  return { runs, request };
}

/** Requests at other moments, then minutes of nothing but refreshes. */
async function refreshed(clock: FakeClock, opened: ReturnType<typeof open>, minutes = 14) {
  const { request, runs } = opened;
  for (const name of ['one', 'two', 'slow', 'other']) {
    const result = request(name);
    await clock.pass(17_000);
    await result;
  }
  expect(runs.map(({ wave }) => wave)).toEqual([undefined, undefined, undefined, undefined]);
  runs.length = 0;
  await clock.pass(minutes * 60_000);
  return Object.groupBy(runs, ({ name }) => name);
}

const minute = 60_000;

test('queries with one part are refreshed together, and take one moment for the current time', async () => {
  const clock = fakeClock('2026-03-10T12:00:30Z');
  const { one = [], two = [], slow = [], other = [] } = await refreshed(clock, open(clock));
  const at = (time: string) => Date.parse(`2026-03-10T${time}Z`);
  const moments = [at('12:05:00'), at('12:10:00'), at('12:15:00')];
  expect(one.map(({ wave }) => wave?.moment)).toEqual(moments);
  expect(two.map(({ wave }) => wave?.moment)).toEqual(moments);
  expect(slow.map(({ wave }) => wave?.moment)).toEqual([moments[1]]);
  for (const { at: begun, wave } of [...one, ...two, ...slow]) {
    expect(begun - (wave?.moment ?? 0)).toBeLessThanOrEqual(500);
    expect(wave && wave.until - wave.moment).toBe(30_000);
  }
  expect(other.map(({ wave }) => wave)).toEqual(other.map(() => undefined));
});

test('a result is as old as the moment that its rows are of', async () => {
  const clock = fakeClock('2026-03-10T12:00:30Z');
  const opened = open(clock, { queryMs: 5_000 });
  await refreshed(clock, opened, 5);
  const { document, cacheStatus } = await opened.request('one');
  expect(cacheStatus).toBe('HIT');
  expect(new Date(document.computedAt).toISOString()).toBe('2026-03-10T12:05:00.000Z');
});

test('refreshes that begin late take a later moment, together with others', async () => {
  const clock = fakeClock('2026-03-10T12:00:30Z');
  // One refresh at a time.
  const { runs, request } = open(clock, { queryMs: 10_000, engineConcurrency: 2 });
  const requests = Array.from({ length: 10 }, (_, at) => request('one', String(at)));
  await clock.pass(minute);
  await Promise.all(requests);
  runs.length = 0;
  await clock.pass(6 * minute);
  const delays = runs.map(({ at, wave }) => at - (wave?.moment ?? 0));
  expect(runs).toHaveLength(10);
  expect(Math.max(...delays)).toBeLessThan(30_000);
  const moments = new Set(runs.map(({ wave }) => wave?.moment));
  expect(moments.size).toBeLessThanOrEqual(5);
  for (const { wave } of runs) expect(((wave?.moment ?? 0) % (5 * minute)) % 30_000).toBe(0);
});

test('without an engine that shares parts, refreshes are not gathered', async () => {
  const clock = fakeClock('2026-03-10T12:00:30Z');
  const { one = [] } = await refreshed(clock, open(clock, { sharesParts: false }));
  expect(one.length).toBeGreaterThan(1);
  for (const { wave } of one) expect(wave).toBeUndefined();
});

test('a clock that is set does not let a query be refreshed again and again', async () => {
  const clock = fakeClock('2026-03-10T12:00:30Z');
  const opened = open(clock);
  await refreshed(clock, opened, 5);
  for (const by of [-3 * 3600_000, 3600_000, -1_000, 150, -90]) {
    opened.runs.length = 0;
    clock.set(by);
    await clock.pass(10 * minute);
    const count = opened.runs.filter(({ name }) => name === 'one').length;
    expect(count, String(by)).toBeGreaterThan(0);
    expect(count, String(by)).toBeLessThanOrEqual(4);
    await opened.request('one');
  }
});
