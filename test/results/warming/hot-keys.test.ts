import { afterEach, expect, test, vi } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { buildTimeline } from '../../../src/concurrency/clock.ts';
import { HotKeys, hotKeyLimit } from '../../../src/results/warming/hot-keys.ts';
import { buildWaves } from '../../../src/results/warming/waves.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { draftQuery } from '../../support/queries.ts';
import { warmed } from '../../support/test-results.ts';

afterEach(() => void vi.restoreAllMocks());

test('keys of queries without cache_warming do not displace those that are kept warm', () => {
  const hotKeys = openHotKeys();
  const [warm, cold] = [warmed, ['caching: 900s']].map((caching) => {
    const query = draftQuery({ columns: { x: 'string' }, caching, sql: 'select 1' });
    if (query.caching === 'disabled') throw new Error('it is cached');
    const bound = bind(query, plainParameters({}));
    const { caching: policy } = query;
    return (key: string) => hotKeys.touch(key, bound, policy, 0);
  });
  warm?.('warm');
  hotKeys.recordResult('warm', 0);
  for (let at = 0; at <= hotKeyLimit; at += 1) cold?.(`cold ${at}`);
  expect(hotKeys.size).toBe(1);
  expect(hotKeys.due(300_000).map(({ key }) => key)).toEqual(['warm']);
  hotKeys.recordResult('cold 9', 0);
  hotKeys.recordFailure('cold 9', 1);
  expect(hotKeys.isFailing('cold 9')).toBe(true);
});

const tenant = '{ type: string, description: T., tenant: true, repeated: true }';

/** Requests keys of a query that tenants have, or of one that they have not. */
function requests(hotKeys: HotKeys) {
  const [ofTenants, ofNone] = [{ tenant }, undefined].map((parameters) =>
    draftQuery({
      ...{ columns: { x: 'string' }, caching: warmed },
      ...(parameters === undefined
        ? { sql: "select 'a' as x" }
        : { parameters, sql: "select 'a' as x where 'a' in unnest(@tenant)" }),
    }),
  );
  return (key: string, tenants: readonly string[] | undefined, now: number) => {
    const query = tenants === undefined ? ofNone : ofTenants;
    if (query === undefined || query.caching === 'disabled') throw new Error('it is cached');
    const bound = bind(query, plainParameters(tenants === undefined ? {} : { tenant: tenants }));
    return hotKeys.touch(key, bound, query.caching, now);
  };
}

test.each([
  ['one tenant', () => ['a']],
  ['one set of tenants', (at: number) => (at % 2 === 0 ? ['a', 'b'] : ['b', 'a', 'b'])],
  ['lists of one tenant with others', (at: number) => [`other ${at}`, 'a']],
  ['queries without a tenant', () => undefined],
])('1,100 keys of %s leave those of another tenant warm', (_, tenantsOf) => {
  const hotKeys = openHotKeys();
  const request = requests(hotKeys);
  for (let at = 0; at < 10; at += 1) request(`c ${at}`, ['c'], at);
  for (let at = 0; at < 1_100; at += 1) request(`many ${at}`, tenantsOf(at), 10 + at);
  expect(hotKeys.size).toBe(hotKeyLimit);
  for (let at = 0; at < 10; at += 1) expect(hotKeys.touchRemote(`c ${at}`, 0), `c ${at}`).toBe(true);
  expect(hotKeys.touchRemote('many 109', 0)).toBe(false);
  expect(hotKeys.touchRemote('many 110', 0)).toBe(true);
});

test('if tenants have equally many keys the oldest is dropped, and keys that have expired do not count', () => {
  const hotKeys = openHotKeys();
  const request = requests(hotKeys);
  for (let at = 0; at < 600; at += 1) request(`expired ${at}`, ['a'], 0);
  hotKeys.due(1_000_000);
  for (let at = 0; at < hotKeyLimit; at += 1) request(`${at}`, [at % 2 === 0 ? 'a' : 'b'], 1_000_000 + at);
  request('0', ['a'], 1_001_000);
  request('c', ['c'], 1_001_001);
  const dropped = Array.from({ length: hotKeyLimit }, (_, at) => `${at}`).filter(
    (key) => !hotKeys.touchRemote(key, 0),
  );
  expect(dropped).toEqual(['1']);
});

test('keys of 1,500 tenants leave those of queries without a tenant warm that are in use', () => {
  const hotKeys = openHotKeys();
  const request = requests(hotKeys);
  const queries = Array.from({ length: 10 }, (_, at) =>
    draftQuery({ name: `q${at}`, columns: { x: 'string' }, caching: warmed, sql: "select 'a' as x" }),
  );
  for (let at = 0; at < 1_500; at += 1) {
    for (const query of queries) {
      if (query.caching !== 'disabled')
        hotKeys.touch(query.name, bind(query, plainParameters({})), query.caching, at);
    }
    request(`key ${at}`, [`tenant ${at}`], at);
  }
  for (const { name } of queries) expect(hotKeys.touchRemote(name, 0), name).toBe(true);
});

test('a key that the engine refuses for a time is tried again after it', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const hotKeys = openHotKeys();
  requests(hotKeys)('a', ['a'], 0);
  hotKeys.recordResult('a', 0);
  hotKeys.recordFailure('a', 1_000, 600);
  expect(hotKeys.due(600_999)).toEqual([]);
  expect(hotKeys.due(601_000)).toHaveLength(1);
});

test('keys that the engine refuses at one moment are tried again at different ones', () => {
  const hotKeys = openHotKeys();
  const random = vi.spyOn(Math, 'random');
  for (const part of [0, 0.5, 1]) {
    const key = `${part}`;
    requests(hotKeys)(key, ['a'], 0);
    hotKeys.recordResult(key, 0);
    random.mockReturnValue(part);
    hotKeys.recordFailure(key, 1_000, 600);
  }
  const dueAt = (seconds: number) => hotKeys.due(seconds * 1_000).map(({ key }) => key);
  expect([601, 630.999, 631, 660.999, 661].map(dueAt)).toEqual([
    ...[['0'], ['0'], ['0', '0.5'], ['0', '0.5']],
    ['0', '0.5', '1'],
  ]);
});

test('a key that the engine refuses for a time is tried once before its result is stale, and then after that time', () => {
  const hotKeys = openHotKeys();
  const request = requests(hotKeys);
  request('a', ['a'], 0);
  hotKeys.recordResult('a', 0);
  hotKeys.recordFailure('a', 300_000, 600);
  request('a', ['a'], 800_000);
  expect(hotKeys.due(854_999)).toEqual([]);
  expect(hotKeys.due(855_000)).toHaveLength(1);
  hotKeys.recordFailure('a', 855_000, 600);
  request('a', ['a'], 1_400_000);
  expect(hotKeys.due(1_454_999)).toEqual([]);
  expect(hotKeys.due(1_515_000)).toHaveLength(1);
});

const minute = 60_000;

/** The keys of tenants of one query, which are refreshed together. @returns the elapsed times of runs */
function wavesOf(pace: number, followed: readonly string[]) {
  const clock = fakeClock('2026-03-10T12:00:30Z');
  const timeline = buildTimeline(clock);
  const waves = buildWaves({ clock, timeline, isOn: false, refreshesTogether: () => true });
  const hotKeys = new HotKeys(
    () => false,
    waves,
    () => pace,
  );
  const query = draftQuery({
    ...{ columns: { x: 'string' }, sql: 'select @tenant as x' },
    caching: ['caching: 7200s', 'cache_warming: 300s', 'live: 10s'],
    parameters: { tenant: '{ type: string, description: T., tenant: true }' },
  });
  const { caching } = query;
  if (caching === 'disabled') throw new Error('it is cached');
  const boundOf = (own: string) => bind(query, plainParameters({ tenant: own }));
  for (const own of followed) hotKeys.follow(own, boundOf(own), caching, 0);
  return {
    /** A caller gets the first result of a tenant. */
    request(own: string) {
      hotKeys.touch(own, boundOf(own), caching, clock.elapsedMs());
      hotKeys.recordResult(own, clock.elapsedMs());
    },
    /** Lets time pass. @returns the tenants of each shared run */
    refresh(ms: number): (readonly string[])[] {
      const runs: (readonly string[])[] = [];
      for (let passed = 0; passed < ms; passed += 250) {
        clock.skip(250);
        for (const hotKey of hotKeys.due(clock.elapsedMs())) {
          if (!hotKeys.isDue(hotKey, clock.elapsedMs())) continue;
          const begunAt = timeline.elapsedAt(waves.current(hotKey)?.moment ?? clock.now().getTime());
          const due = hotKeys.tenantsDue(hotKey, clock.elapsedMs(), begunAt);
          runs.push(due);
          for (const own of due) hotKeys.recordResult(own, begunAt);
        }
      }
      return runs;
    },
  };
}

test.each([
  [1, 12],
  [2, 6],
])('at a pace of %i, tenants that came at any time share %i runs an hour', (pace, count) => {
  const { request, refresh } = wavesOf(pace, []);
  for (let at = 0; at < 20; at += 1) {
    request(`tenant ${at}`);
    refresh(15_000);
  }
  refresh(10 * minute);
  expect(refresh(60 * minute)).toHaveLength(count);
});

test('a tenant that is followed does not let the others be refreshed before their wave', () => {
  const { request, refresh } = wavesOf(1, ['followed']);
  for (const own of ['a', 'b', 'c']) request(own);
  refresh(10 * minute);
  const runs = refresh(60 * minute);
  expect(runs.filter((due) => due.includes('a'))).toHaveLength(12);
  expect(runs.filter((due) => due.includes('followed'))).toHaveLength(360);
});

function openHotKeys(): HotKeys {
  const clock = fakeClock();
  const timeline = buildTimeline(clock);
  const waves = buildWaves({ clock, timeline, isOn: false, refreshesTogether: () => false });
  return new HotKeys(() => false, waves);
}
