import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { bind, plainParameters } from '../../src/catalog/binding/bind.ts';
import { parseCatalog } from '../../src/catalog/folder/load-catalog.ts';
import type { Cost, Engine } from '../../src/engine-contract/engine.ts';
import { openResults, type Results } from '../../src/results/open-results.ts';
import { type FakeClock, fakeClock } from '../support/fake-clock.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { partText, queryText } from '../support/queries.ts';

interface Run {
  readonly name: string;
  readonly tenant: string;
  readonly at: number;
  /** The current time of its wave. */
  readonly moment: number | undefined;
}

let opened: Results[] = [];
afterEach(async () => {
  for (const results of opened) await results.close();
  opened = [];
  vi.restoreAllMocks();
});

const second = 1_000;
const minute = 60 * second;
const intervalMs = 5 * minute;

const files: Record<string, string> = {
  // Refreshed at the same moment as others that read the part.
  'base.sql': partText('SELECT x FROM logs', {}, ['materialize: refresh']),
};
const tenant = '{ type: string, description: T., tenant: true, required: true, example: a }';
for (const name of ['together', 'often', ...Array.from({ length: 8 }, (_, at) => `chart${at}`)])
  files[`${name}.sql`] = queryText({
    ...{ name, columns: { x: 'string' }, parameters: { tenant, p: 'string' } },
    caching:
      name === 'often' ? ['caching: 180s', 'cache_warming: 60s'] : ['caching: 900s', 'cache_warming: 300s'],
    sql: `SELECT x FROM ${name === 'together' ? 'query.base' : 'logs'} WHERE x = @tenant AND x != @p`,
  });
const catalog = parseCatalog('', new Map(Object.entries(files).map(([path, text]) => [path, { text }])));

interface Options {
  readonly queryMs?: number;
  readonly engineConcurrency?: number;
  /** What a run for a tenant is billed. */
  readonly bytesBilled?: (tenant: string) => number;
  readonly refreshesTogether?: boolean;
}

function open(clock: FakeClock, options: Options = {}) {
  const { queryMs = second, engineConcurrency = 2, bytesBilled, refreshesTogether = false } = options;
  const runs: Run[] = [];
  const fake = fakeEngine({ clock, queryMs });
  const engine: Engine = {
    ...fake,
    async run(bound, run) {
      const own = String(bound.parameters.tenant);
      runs.push({
        ...{ name: bound.query.name, tenant: own, at: clock.now().getTime() },
        moment: run.wave?.moment,
      });
      const rows = await fake.run(bound, run);
      const cost = bytesBilled && ({ bytesBilled: bytesBilled(own) } as Cost);
      return { ...rows, ...(cost && { cost }) };
    },
  };
  const results = openResults({
    ...{ catalog, engine, engineConcurrency, engineTimeoutMs: minute, memoryBytes: 1e8, clock },
    ...{ sharesParts: true, refreshesTogether: () => refreshesTogether },
    openShared: undefined,
    log: pino({ level: 'silent' }),
    onCost() {},
  });
  opened.push(results);
  const request = (name: string, own: string, p = '') => {
    const query = catalog.queries.find((one) => one.name === name);
    if (query === undefined) throw new Error(`no query ${name}`);
    const { signal } = new AbortController();
    return results.get(bind(query, plainParameters({ tenant: own, p })), {
      caller: { signal },
      noCache: false,
    });
  };
  return { runs, request };
}

/** Requests at one moment, of which `runs` has none any more. */
async function requested(
  clock: FakeClock,
  { runs, request }: ReturnType<typeof open>,
  keys: readonly (readonly [tenant: string, p: number])[],
) {
  const results = keys.map(([own, p]) => request('together', own, String(p)));
  await clock.pass(2 * second);
  await Promise.all(results);
  runs.length = 0;
}

const keysOf = (own: string, count: number) => Array.from({ length: count }, (_, p) => [own, p] as const);

describe('refreshes that are due at one moment', () => {
  test.each([
    ['first', [...keysOf('one', 1), ...keysOf('many', 200)]],
    ['last', [...keysOf('many', 200), ...keysOf('one', 1)]],
  ])(
    'of a tenant with one key wait for no more than one of another tenant, if it is requested %s',
    async (_, keys) => {
      const clock = fakeClock();
      const app = open(clock);
      await requested(clock, app, keys);
      await clock.pass(intervalMs - 2 * second + 60 * second);
      expect(app.runs.length).toBeGreaterThan(50);
      expect(app.runs.slice(0, 2).map((run) => run.tenant)).toContain('one');
    },
  );

  test('begin in turns of tenants, however many keys each has', async () => {
    const clock = fakeClock();
    const app = open(clock);
    await requested(clock, app, [...keysOf('a', 100), ...keysOf('b', 30), ...keysOf('c', 10)]);
    await clock.pass(intervalMs - 2 * second + 60 * second);
    const first = app.runs.slice(0, 30).map((run) => run.tenant);
    for (const own of ['a', 'b', 'c']) expect(first.filter((one) => one === own)).toHaveLength(10);
    expect(app.runs.slice(30, 50).filter((run) => run.tenant === 'b')).toHaveLength(10);
  });

  test('after one that is billed much, others come first for longer', async () => {
    const clock = fakeClock();
    const app = open(clock, { bytesBilled: (own) => (own === 'dear' ? 9e9 : 1e9) });
    await requested(clock, app, [...keysOf('dear', 20), ...keysOf('cheap', 20)]);
    await clock.pass(intervalMs - 2 * second + 25 * second);
    const first = app.runs.slice(0, 20).filter((run) => run.tenant === 'dear');
    expect(first.length).toBeGreaterThan(3);
    expect(first.length).toBeLessThan(8);
  });

  test('leave room for other queries while the run for many keys begins', async () => {
    const clock = fakeClock();
    // Two refreshes at a time.
    const app = open(clock, { engineConcurrency: 4, queryMs: 40 * second, refreshesTogether: true });
    const results = ['chart0', 'chart1'].flatMap((name) =>
      keysOf('t', 6).map(([, p]) => app.request(name, `t${p}`)),
    );
    await clock.pass(41 * second);
    await Promise.all(results);
    app.runs.length = 0;
    await clock.pass(2 * intervalMs);
    for (const name of ['chart0', 'chart1']) {
      const [first, next] = app.runs.filter((run) => run.name === name);
      expect((next?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(40 * second);
    }
  });
});

/** A source of chance that is the same in each run. */
function fixedChance() {
  let state = 1;
  vi.spyOn(Math, 'random').mockImplementation(() => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  });
}

/** The part of a sum that is in the tenth of a minute with the most of it. */
function mostInTenth(runs: readonly Run[], weightOf: (run: Run) => number): number {
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const run of runs) {
    const at = Math.floor(((run.at % minute) / minute) * 10);
    tenths[at] = (tenths[at] ?? 0) + weightOf(run);
  }
  return Math.max(...tenths) / tenths.reduce((sum, one) => sum + one, 0);
}

describe('keys that were computed at one moment', () => {
  test('are refreshed at all times of the interval later, and hardly earlier than they must be, with the bills spread too', async () => {
    fixedChance();
    const clock = fakeClock();
    const bytesOf = (own: string) => (own.startsWith('dear') ? 50e9 : 1e9);
    const app = open(clock, { queryMs: 10, engineConcurrency: 64, bytesBilled: bytesOf });
    const tenants = Array.from({ length: 60 }, (_, at) => (at < 6 ? `dear${at}` : `cheap${at}`));
    const requestAll = () => Promise.all(tenants.map((own) => app.request('often', own)));
    const first = requestAll();
    await clock.pass(100);
    await first;
    app.runs.length = 0;
    for (let at = 0; at < 20; at += 1) {
      await clock.pass(2 * minute);
      await requestAll();
    }
    const { runs } = app;
    const inFirst = runs.slice(0, 60);
    expect(mostInTenth(inFirst, () => 1)).toBeGreaterThan(0.9);
    const last = runs.filter((run) => run.at > clock.now().getTime() - 10 * minute);
    // Few are still moving: when all do, there are 632.
    expect(last.length).toBeLessThan(625);
    expect(mostInTenth(last, () => 1)).toBeLessThan(0.25);
    expect(mostInTenth(last, (run) => bytesOf(run.tenant))).toBeLessThan(0.4);
  });
});

test('waves of different queries begin at different moments, those of one query at one, at all gateways', async () => {
  const momentsOf = async (startedAt: string) => {
    const clock = fakeClock(startedAt);
    const app = open(clock, { queryMs: 10, engineConcurrency: 64, refreshesTogether: true });
    const names = Array.from({ length: 8 }, (_, at) => `chart${at}`);
    const results = names.flatMap((name) => ['a', 'b', 'c'].map((own) => app.request(name, own)));
    await clock.pass(100);
    await Promise.all(results);
    app.runs.length = 0;
    await clock.pass(intervalMs + second);
    const moments = Map.groupBy(app.runs, ({ name }) => name);
    expect([...moments.values()].map((runs) => new Set(runs.map(({ moment }) => moment)).size)).toEqual(
      names.map(() => 1),
    );
    return new Map([...moments].map(([name, [run]]) => [name, (run?.moment ?? 0) % intervalMs]));
  };
  const one = await momentsOf('2026-03-10T12:00:30Z');
  expect(new Set(one.values()).size).toBe(8);
  const [first = 0, ...others] = [...one.values()].sort((a, b) => a - b);
  expect((others.at(-1) ?? 0) - first).toBeGreaterThan(intervalMs / 2);
  const other = await momentsOf('2026-03-11T07:13:21Z');
  expect([...other].sort()).toEqual([...one].sort());
});
