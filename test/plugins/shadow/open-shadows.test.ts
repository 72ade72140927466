import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { bind } from '../../../src/catalog/binding/bind.ts';
import { parseSavedQuery } from '../../../src/catalog/header/parse-saved-query.ts';
import type { SavedQuery } from '../../../src/catalog/model/saved-query.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import type { Engine, RunOptions } from '../../../src/engine-contract/engine.ts';
import { callerDisconnected } from '../../../src/errors.ts';
import type { GatewayPlugin } from '../../../src/gateway/plugin.ts';
import { buildPluginHooks } from '../../../src/gateway/plugin-hooks.ts';
import { openShadows } from '../../../src/plugins/shadow/open-shadows.ts';
import type { CacheStatus } from '../../../src/results/get-result.ts';
import { buildDocument } from '../../../src/results/result-document.ts';
import { eventually } from '../../support/eventually.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { queryText, uuidOf } from '../../support/query-folder.ts';
import { runTime } from '../../support/run-time.ts';

const parse = (name: string, id: number, header = ''): SavedQuery => {
  const { query, problems } = parseSavedQuery(name, `${name}.sql`, queryText({ id: uuidOf(id), header }));
  if (query === undefined) throw new Error(JSON.stringify(problems));
  return query;
};

interface Run {
  readonly name: string;
  readonly options: RunOptions;
  readonly finish: (n?: number) => void;
}

interface OpenOptions {
  readonly share?: number;
  readonly engineConcurrency?: number;
}

const open = ({ share = 1, engineConcurrency = 2 }: OpenOptions = {}) => {
  const old = parse('q', 1, `shadow: { version: 2, share: ${share} }\n`);
  const other = parse('q@2', 2);
  const catalog = { queries: [old, other], tables: [] };
  const runs: Run[] = [];
  const engine: Engine = {
    source: 'test',
    run: (bound, options) =>
      new Promise((resolve, reject) => {
        runs.push({
          name: bound.query.name,
          options,
          finish: (n = 1) => resolve({ rows: [`{"n":${n}}`], truncated: false }),
        });
        options.signal.addEventListener('abort', () => reject(callerDisconnected()));
      }),
    close: async () => {},
  };
  const clock = fakeClock();
  const outcomes: string[] = [];
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const plugin: GatewayPlugin = { name: 'shadow', onRun: (_bound, options) => shadows.onRun(options) };
  const observed = buildPluginHooks([plugin], log, clock).observeRuns(engine);
  const shadows = openShadows({
    catalog,
    run: observed.run,
    engineConcurrency,
    engineTimeoutMs: 1_000,
    clock,
    turns: new LoopTurns(),
    log,
    onOutcome: (_endpoint, outcome) => void outcomes.push(outcome),
  });
  /** A request that is answered with one row. */
  const request = async (cacheStatus: CacheStatus, n = 1) => {
    const obtainedAt = clock.now().getTime();
    const document = await buildDocument({ rows: [`{"n":${n}}`], truncated: false }, runTime(obtainedAt));
    shadows.onResult(bind(old, new Map()), { document, caching: old.caching, cacheStatus, obtainedAt });
  };
  /** A run for a caller. */
  const callerRun = () => {
    const running = observed.run(bind(other, new Map()), {
      signal: new AbortController().signal,
      owner: 'key',
    });
    return { running, run: runs.at(-1) };
  };
  const runningShadow = async () => {
    await clock.pass(100);
    await eventually(() => expect(runs.length).toBeGreaterThan(0));
    return runs.at(-1);
  };
  return { old, other, catalog, clock, runs, outcomes, logged, shadows, request, callerRun, runningShadow };
};

describe('the share', () => {
  test('of requests is counted: the first, and then each tenth', async () => {
    const { request, clock, runs, outcomes } = open({ share: 0.1 });
    const started: number[] = [];
    for (let at = 0; at < 31; at += 1) {
      await request('MISS');
      // The pause after a comparison follows the real time that it took.
      await clock.pass(60_000);
      // On a busy machine a run begins some turns later.
      if (at % 10 === 0) await eventually(() => expect(runs.length).toBeGreaterThan(started.length));
      if (runs.length > started.length) {
        started.push(at);
        runs.at(-1)?.finish();
        await eventually(() => expect(outcomes).toHaveLength(started.length));
      }
    }
    expect(started).toEqual([0, 10, 20, 30]);
    expect(new Set(outcomes)).toEqual(new Set(['equal']));
  });

  test('one comparison of a query waits while another one runs', async () => {
    const { request, clock, runs, outcomes } = open();
    for (let at = 0; at < 50; at += 1) await request('MISS');
    await clock.pass(100);
    for (let at = 0; at < 50; at += 1) await request('MISS');
    await clock.pass(100);
    expect(runs).toHaveLength(1);
    runs[0]?.finish();
    await eventually(() => expect(outcomes).toEqual(['equal']));
    // The pause after a comparison follows the real time that it took.
    await clock.pass(60_000);
    expect(runs).toHaveLength(2);
    runs[1]?.finish();
    await eventually(() => expect(outcomes).toEqual(['equal', 'equal']));
    await clock.pass(1_000);
    expect(runs).toHaveLength(2);
  });
});

describe('callers', () => {
  test('do not wait for a comparison: it begins after the reply, for no key', async () => {
    const { request, runs, runningShadow } = open();
    await request('MISS');
    expect(runs).toHaveLength(0);
    const run = await runningShadow();
    expect(run?.options.owner).toBeUndefined();
  });

  test('take the place of a comparison when the engine has no other', async () => {
    const { request, outcomes, callerRun, runningShadow } = open({ engineConcurrency: 2 });
    await request('MISS');
    const run = await runningShadow();
    const first = callerRun();
    expect(run?.options.signal.aborted).toBe(false);
    const second = callerRun();
    expect(run?.options.signal.aborted).toBe(true);
    await eventually(() => expect(outcomes).toEqual(['dropped']));
    first.run?.finish();
    second.run?.finish();
    await Promise.all([first.running, second.running]);
  });

  test('keep the engine: a comparison is dropped if it is busy', async () => {
    const { request, clock, runs, outcomes, callerRun } = open({ engineConcurrency: 1 });
    const { running, run } = callerRun();
    await request('MISS');
    await clock.pass(100);
    expect(outcomes).toEqual(['dropped']);
    expect(runs).toHaveLength(1);
    run?.finish();
    await running;
    await request('MISS');
    await clock.pass(100);
    expect(runs).toHaveLength(2);
  });
});

describe('the end', () => {
  test('of the gateway ends a comparison, and nothing is counted or logged', async () => {
    const { request, outcomes, logged, shadows, runningShadow, clock, runs } = open();
    await request('MISS');
    const run = await runningShadow();
    await shadows.close();
    expect(run?.options.signal.aborted).toBe(true);
    await request('MISS');
    await clock.pass(1_000);
    expect([runs.length, outcomes, logged]).toEqual([1, [], []]);
  });

  test('of the other version ends a comparison before the engine forgets it', async () => {
    const { request, outcomes, shadows, runningShadow, old, catalog, clock, runs } = open();
    await request('MISS');
    const run = await runningShadow();
    await shadows.replaceCatalog({ ...catalog, queries: [...catalog.queries, parse('r', 3)] });
    expect(run?.options.signal.aborted).toBe(false);
    await shadows.replaceCatalog({ ...catalog, queries: [old] });
    expect(run?.options.signal.aborted).toBe(true);
    expect(outcomes).toEqual(['dropped']);
    await request('MISS');
    await clock.pass(100);
    expect(runs).toHaveLength(1);
  });
});

test('the log has the first difference, and then one a minute; every comparison is counted', async () => {
  const { request, clock, runs, outcomes, logged } = open();
  for (let at = 1; at <= 12; at += 1) {
    await request('MISS', 1);
    await clock.pass(10_000);
    const before = runs.length;
    runs.at(-1)?.finish(2);
    await eventually(() => expect(runs.length).toBe(before + 1));
    expect(runs.at(-1)?.name).toBe('q');
    runs.at(-1)?.finish(1);
    await eventually(() => expect(outcomes).toHaveLength(at));
  }
  expect(new Set(outcomes)).toEqual(new Set(['differs']));
  expect(logged.filter((line) => line.includes('shadow differs'))).toHaveLength(2);
});
