import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, inject, test } from 'vitest';
import { deriveQuery } from '../../../src/catalog-analysis/derived/derive-query.ts';
import { loadAnalyzed } from '../../../src/catalog-analysis/load-analyzed.ts';
import { type BoundQuery, bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { bindForTenants } from '../../../src/catalog/binding/bind-tenant.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { readConfig } from '../../../src/config.ts';
import type { Engine, Rows, RunOptions } from '../../../src/engine-contract/engine.ts';
import { documentTexts, rowCountOf } from '../../../src/engine-contract/rows-document.ts';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import type { PluginHost } from '../../../src/gateway/plugin.ts';
import { increments } from '../../../src/plugins/increments/increments.ts';
import { sharedRuns } from '../../../src/plugins/shared-runs/shared-runs.ts';
import { cacheKey } from '../../../src/results/cache-key.ts';
import { engineHost } from '../../support/engine-host.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const tenants = Array.from({ length: 6 }, (_, at) => `tenant${at}`);

/** The shipped charts, with their intervals. */
const charts = [
  ['functions.invocation-stats', '7day'],
  ['functions.invocation-stats', '1hr'],
  ['usage.api-counts', 'daily'],
  ['usage.api-counts', 'minutely'],
] as const;

let close: () => Promise<void> = async () => {};
afterEach(() => close());

const minute = 60_000;

/** Both plug-ins over DuckDB, with one result for each tenant and chart. */
async function openBoth(hasOwnClock: boolean) {
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const clock = fakeClock('2026-03-10T12:00:00Z');
  const factory = duckdb({ isolate: false, dataDir, storeFile: ':memory:', refreshSeconds: 0.05 });
  const catalog = loadAnalyzed('queries', factory);
  let count = 0;
  let imported = 0;
  const append = (minutesAgo: number, tenant: string) => {
    count += 1;
    const id = String(count);
    const timestamp = new Date(clock.now().getTime() - minutesAgo * minute).toISOString();
    const url = `https://${tenant}.example.co/rest/v1`;
    const rows = {
      function_edge_logs: [
        { project_ref: tenant, execution_time_ms: count % 9, response: [{ status_code: 200 }] },
      ],
      edge_logs: [{ request: [{ path: '/rest/v1', url }] }],
    };
    for (const [table, metadata] of Object.entries(rows))
      appendFileSync(
        join(dataDir, `${table}.ndjson`),
        `${JSON.stringify({ id, timestamp, event_message: '', metadata })}\n`,
      );
  };
  for (const [at, tenant] of tenants.entries())
    for (const minutes of [10, 30 + at, 1_500, 5_000 + at * 60]) append(minutes, tenant);
  const engine: Engine = await factory.open({
    ...engineHost({
      catalog,
      config: readConfig({ DATA_DIR: dataDir, STORE_FILE: ':memory:' }),
      now: clock.now,
      events: {
        imported: ({ rows }: { rows: number }) => {
          imported += rows;
        },
      },
    }),
    catalog,
  });
  const host = {
    ...{
      log: pino({ level: 'silent' }),
      clock,
      turns: new LoopTurns(),
      shared: undefined,
      hasOwnClock,
      catalog,
    },
    changes: hasOwnClock ? undefined : engine.changes,
    derive: async (query, derivation) => deriveQuery(query, derivation, catalog, factory),
    follow: { keyOf: cacheKey } as PluginHost['follow'],
  } as Partial<PluginHost> as PluginHost;
  const plugins = [increments(), sharedRuns()] as const;
  for (const plugin of plugins) await plugin.open?.(host);
  const runs: string[] = [];
  const results = new Map<BoundQuery, { readonly rows: Rows; readonly moment: number }>();
  const keys = charts.flatMap(([name, interval]) =>
    tenants.map((tenant) => {
      const query = catalog.queries.find((one) => one.name === name);
      if (query === undefined) throw new Error(name);
      const raw = plainParameters({ project: tenant, interval });
      const bound =
        query.tenant?.pattern === undefined
          ? bind(query, raw, clock.now().getTime())
          : bindForTenants(query, raw, new Set([tenant])).bound;
      return { tenant, chart: `${name} ${interval}`, bound };
    }),
  );
  const signal = new AbortController().signal;
  close = async () => {
    for (const plugin of plugins) await plugin.close?.();
    await engine.close();
    rmSync(dataDir, { recursive: true });
  };
  let mayRun = Promise.resolve();
  const runKey = ({ chart, bound }: (typeof keys)[number], options: RunOptions) => {
    const [outer, inner] = plugins;
    return outer.aroundRun?.(bound, options, async (given, other = bound) => {
      const shared = await inner.aroundRun?.(other, given, async (last, query = other) => {
        runs.push(`${chart} ${'shared_tenants' in query.parameters}`);
        await mayRun;
        return engine.run(query, last);
      });
      if (shared === undefined) throw new Error('no rows');
      return shared;
    });
  };
  const refresh = async (key: (typeof keys)[number], moment: number) => {
    const { chart, bound } = key;
    const earlier = results.get(bound);
    const due = keys.filter((one) => one.chart === chart).map((one) => String(one.bound.parameters.project));
    const options: RunOptions = {
      signal,
      wave: { moment, until: moment + 30_000 },
      refresh: { replaces: earlier?.moment, tenants: () => due },
      before: () =>
        earlier && {
          ...{ state: earlier.rows.state, truncated: false, rowCount: rowCountOf(earlier.rows) },
          document: Buffer.from([...documentTexts(earlier.rows.rows, 1e6)].join('')),
        },
    };
    const rows = await runKey(key, options);
    if (rows === undefined) throw new Error('no rows');
    results.set(bound, { rows, moment: rows.computedAt ?? moment });
  };
  return {
    clock,
    keys,
    runs,
    /** Runs queries for callers who come one millisecond after the other. */
    async callAll(some: typeof keys) {
      const { promise, resolve } = Promise.withResolvers<void>();
      mayRun = promise;
      const called = [];
      for (const key of some) {
        called.push(runKey(key, { signal }));
        await clock.pass(1);
      }
      await clock.pass(20);
      resolve();
      return (await Promise.all(called)).map((rows) => [...(rows?.rows ?? [])]);
    },
    /** Refreshes results at once. */
    refreshAll: (some: typeof keys, moment: number) => Promise.all(some.map((key) => refresh(key, moment))),
    /** Adds rows, and waits until the engine has them. */
    async arrive(rows: readonly (readonly [minutesAgo: number, tenant: string])[]) {
      const before = imported;
      for (const [minutesAgo, tenant] of rows) append(minutesAgo, tenant);
      const due = before + 2 * rows.length;
      await expect.poll(() => imported, { timeout: inject('waitingMs') }).toBeGreaterThanOrEqual(due);
    },
    /** The rows of all results, and those that the query gives for each alone. */
    async compare(moment: number) {
      const own = await Promise.all(
        keys.map(({ bound }) => engine.run(bound, { signal, wave: { moment, until: moment + 1 } })),
      );
      return {
        shown: keys.map(({ chart, tenant, bound }) => [
          chart,
          tenant,
          [...(results.get(bound)?.rows.rows ?? [])],
        ]),
        own: keys.map(({ chart, tenant }, at) => [chart, tenant, [...(own[at]?.rows ?? [])]]),
      };
    },
  };
}

test.each([
  ['takes the time of a wave', false],
  ['has a clock of its own, and does not know what has changed', true],
])(
  'refreshes of many tenants read what has changed in one run for each chart, where the engine %s',
  async (_, hasOwnClock) => {
    const app = await openBoth(hasOwnClock);
    for (let wave = 0; wave < 4; wave += 1) {
      await app.clock.pass(5 * minute);
      if (wave > 0)
        await app.arrive([
          [1, 'tenant3'],
          [hasOwnClock ? 3 : 3_000, 'tenant5'],
        ]);
      app.runs.length = 0;
      const moment = app.clock.now().getTime();
      await app.refreshAll(app.keys, moment);
      expect(app.runs.toSorted()).toEqual(
        charts.map(([name, interval]) => `${name} ${interval} true`).toSorted(),
      );
      const { shown, own } = await app.compare(moment);
      expect(shown).toEqual(own);
    }
  },
  60_000,
);

test.each([
  ['of the same wave', 0],
  ['of the next wave', 30_000],
])(
  'rows that come after a run for many tenants are in their next results, for refreshes %s too',
  async (_, laterMs) => {
    const app = await openBoth(false);
    for (let wave = 0; wave < 4; wave += 1) {
      await app.clock.pass(5 * minute);
      const moment = app.clock.now().getTime();
      const isWhole = wave % 2 === 1;
      const first = app.keys.filter(({ tenant }) => tenant === tenants[0]);
      await app.refreshAll(isWhole ? app.keys : first, moment);
      if (isWhole) {
        const { shown, own } = await app.compare(moment);
        expect(shown).toEqual(own);
        continue;
      }
      await app.arrive([
        [2, 'tenant3'],
        [2_000, 'tenant5'],
      ]);
      await app.clock.pass(laterMs);
      await app.refreshAll(
        app.keys.filter((key) => !first.includes(key)),
        moment + laterMs,
      );
    }
  },
  60_000,
);

test('callers who wait at once share a run where the current time is a parameter of it', async () => {
  const app = await openBoth(true);
  const moment = app.clock.now().getTime();
  await app.refreshAll(app.keys, moment);
  const { chart } = app.keys[0] ?? { chart: '' };
  const some = app.keys.filter((key) => key.chart === chart);
  app.runs.length = 0;
  const shown = await app.callAll(some);
  expect(app.runs).toEqual([`${chart} false`, `${chart} true`]);
  const { own } = await app.compare(moment);
  expect(shown).toEqual(own.slice(0, some.length).map(([, , rows]) => rows));
}, 60_000);
