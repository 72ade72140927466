import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnalyzedCatalog } from '../../../src/catalog-analysis/analyze-catalog.ts';
import { deriveQuery } from '../../../src/catalog-analysis/derived/derive-query.ts';
import { type BoundQuery, bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { bindForTenants } from '../../../src/catalog/binding/bind-tenant.ts';
import { parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import { readConfig } from '../../../src/config.ts';
import type { Engine, Rows, RunOptions } from '../../../src/engine-contract/engine.ts';
import { duckdb } from '../../../src/engines/duckdb/duckdb.ts';
import { GatewayError } from '../../../src/errors.ts';
import type { PluginHost } from '../../../src/gateway/plugin.ts';
import { sharedRuns } from '../../../src/plugins/shared-runs/shared-runs.ts';
import { cacheKey } from '../../../src/results/cache-key.ts';
import { analyzed, engineHost } from '../../support/engine-host.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { isNightly } from '../../support/nightly.ts';
import { fileOf, nameOf, shared, tables } from './shared-queries.ts';

/** Names that text of SQL, JSON or a regular expression has in another form; one is the end of another. */
const plain = ['a', 'b', 'ab', 'c-1', 'A', 'x_y'];
const odd = ['', "o'x", 'q"\\n', '{"a":1}', 'ü\u{1F600}', 'a b', '\\', 'n\n'];
const tenants = [...plain, ...odd];
const absent = ['none', 'b"'];

/** A sequence of numbers below 1 that is the same in each run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

let folder: string;
let engine: Engine;
let catalog: AnalyzedCatalog;
const moment = Date.parse('2026-03-10T12:00:00Z');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const next = sequence(44);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const events = Array.from({ length: 400 }, (_, at) => {
    const tenant = pick([...tenants, null]);
    return {
      ...{ tenant, id: at, kind: pick(['x', 'y', 'z', null]), n: Math.floor(next() * 7) },
      ts: new Date(moment - Math.floor(next() * 50) * 60_000).toISOString(),
      price: String(Math.floor(next() * 1000) / 100),
      url: pick([
        `https://${pick(plain)}.example.com/rest`,
        `http://${pick(plain)}.example.com`,
        `https://x/?https://${pick(plain)}.`,
        null,
      ]),
      // One tenant has a text that is not a number.
      text: tenant === 'c-1' && next() < 0.2 ? 'one' : String(at),
      tags: Array.from({ length: Math.floor(next() * 3) }, () => pick(['s', 't', 'u'])),
      meta: Array.from({ length: Math.floor(next() * 3) }, () => ({ owner: pick(tenants), size: at })),
    };
  });
  const users = Array.from({ length: 200 }, (_, at) => ({
    ...{ tenant: pick(tenants), id: Math.floor(next() * 400), name: `n${at % 9}` },
  }));
  for (const [name, rows] of Object.entries({ events, users }))
    writeFileSync(join(folder, `${name}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const files = Object.fromEntries(
    Object.entries(shared).map(([name, form]) => [`${nameOf(name)}.sql`, fileOf(nameOf(name), form)]),
  );
  const texts = Object.entries({ ...tables, ...files });
  catalog = analyzed(parseCatalog('', new Map(texts.map(([path, text]) => [path, { text }]))));
  const config = readConfig({ DATA_DIR: folder, STORE_FILE: ':memory:', ENGINE_CONCURRENCY: '2' });
  engine = await duckdb({ ...config.duckdb, isolate: false }).open({
    ...engineHost({ catalog, config }),
    catalog,
  });
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

const wave = { moment, until: moment + 1000 };

/** What a run gives its callers: rows as bytes, or the code of an error. */
async function outcome(run: Promise<Rows>): Promise<string> {
  try {
    const { rows, truncated } = await run;
    return `${truncated} ${rows.join('\n')}`;
  } catch (error) {
    return error instanceof GatewayError ? error.code : String(error);
  }
}

/** Runs keys as refreshes, all at once, through the plug-in; some runs of many tenants fail. */
async function refreshAll(
  bounds: readonly BoundQuery[],
  fails: (at: number) => boolean,
): Promise<{ readonly outcomes: readonly string[]; readonly runs: number; readonly cut: number }> {
  const plugin = sharedRuns();
  const log = pino({ level: 'silent' });
  let runs = 0;
  let cut = 0;
  const host = {
    ...{ log, clock: fakeClock(), turns: new LoopTurns(), shared: undefined },
    catalog: { ...catalog, queries: [] },
    derive: async (query, derivation) => deriveQuery(query, derivation, catalog, duckdb()),
    follow: { keyOf: cacheKey } as PluginHost['follow'],
  } as Partial<PluginHost> as PluginHost;
  await plugin.open?.(host);
  const values = bounds.map(({ parameters }) => String(parameters.project));
  const refresh = { replaces: undefined, tenants: () => values };
  const run = async (bound: BoundQuery) => {
    const options: RunOptions = { signal: new AbortController().signal, wave, refresh };
    const goOn = async (given: RunOptions, other = bound) => {
      runs += 1;
      const isShared = other !== bound;
      if (isShared && fails(runs)) throw new GatewayError('ENGINE_FAILED', 'The query failed');
      return engine.run(other, given);
    };
    const rows = await (plugin.aroundRun?.(bound, options, goOn) ?? goOn(options));
    if (rows.computedAt !== undefined) cut += 1;
    return rows;
  };
  const outcomes = await Promise.all(bounds.map((bound) => outcome(run(bound))));
  await plugin.close?.();
  return { outcomes, runs, cut };
}

const alone = new Map<string, Promise<string>>();

/** The outcome of a key's own run. */
function single(bound: BoundQuery): Promise<string> {
  const key = JSON.stringify([bound.query.name, bound.parameters]);
  const known = alone.get(key) ?? outcome(engine.run(bound, { signal: new AbortController().signal, wave }));
  alone.set(key, known);
  return known;
}

function boundFor(name: string, tenant: string, more: Readonly<Record<string, string>>): BoundQuery {
  const query = catalog.queries.find((one) => one.name === name);
  if (query === undefined) throw new Error(name);
  const raw = plainParameters({ project: tenant, ...more });
  const isBound = query.tenant?.pattern !== undefined;
  return isBound ? bindForTenants(query, raw, new Set([tenant])).bound : bind(query, raw);
}

const names = Object.keys(shared).map(nameOf);

test.each(names)('%s: one run for all tenants gives what the run of each gives', async (name) => {
  const bounds = [...tenants, ...absent].flatMap((tenant) => {
    try {
      return [boundFor(name, tenant, { most: '2', skip: '1' })];
    } catch {
      // A pattern takes no other names.
      return [];
    }
  });
  const { outcomes, runs, cut } = await refreshAll(bounds, () => false);
  expect(outcomes).toEqual(await Promise.all(bounds.map(single)));
  const isWhole = !/rows_that_may_be_equal|equal_rows|not_numbers|part_of_a_url|another_order/.test(name);
  if (isWhole) expect({ runs, cut }).toEqual({ runs: 1, cut: bounds.length });
  expect(cut).toBeGreaterThan(1);
});

test(`shared is single for ${isNightly ? '10,000' : '40'} random sets of tenants, queries and failures`, async () => {
  const next = sequence(1);
  for (let sample = 0; sample < (isNightly ? 10_000 : 40); sample += 1) {
    const name = names[Math.floor(next() * names.length)] as string;
    const chosen = [...tenants, ...absent].filter(() => next() < 0.6);
    const more = Object.fromEntries(
      ['most', 'skip', 'least'].map((one) => [one, String(Math.floor(next() * 4))]),
    );
    const bounds = chosen.flatMap((tenant) => {
      try {
        return [boundFor(name, tenant, more)];
      } catch {
        return [];
      }
    });
    const failing = next() < 0.3 ? next() : 0;
    const { outcomes } = await refreshAll(bounds, () => next() < failing);
    expect({ sample, name, outcomes }).toEqual({
      ...{ sample, name, outcomes: await Promise.all(bounds.map(single)) },
    });
  }
}, 3_600_000);
