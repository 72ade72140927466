import { pino } from 'pino';
import { expect, test } from 'vitest';
import { deriveQuery } from '../../../src/catalog-analysis/derived/derive-query.ts';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import { parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { formOf } from '../../../src/catalog/model/query-forms.ts';
import { LoopTurns } from '../../../src/concurrency/loop-turns.ts';
import type { Rows } from '../../../src/engine-contract/engine.ts';
import type { PluginHost } from '../../../src/gateway/plugin.ts';
import { sharedRuns } from '../../../src/plugins/shared-runs/shared-runs.ts';
import { cacheKey } from '../../../src/results/cache-key.ts';
import { analyzed } from '../../support/engine-host.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { fileOf, tables } from './shared-queries.ts';

const tenants = ['a', 'b', 'c', 'd'];
const sql = 'SELECT id FROM events WHERE tenant = @project ORDER BY id';
const files = { ...tables, 'q.sql': fileOf('q', { sql, columns: { id: 'integer' } }, []) };

/** The plug-in over runs that return these rows. @returns refreshes, and the tenants of each run */
async function open(rowsOf: (list: readonly string[]) => Rows) {
  const texts = Object.entries(files).map(([path, text]) => [path, { text }] as const);
  const catalog = analyzed(parseCatalog('', new Map(texts)));
  const [query] = catalog.queries;
  if (query === undefined) throw new Error('no query');
  const plugin = sharedRuns();
  const clock = fakeClock();
  await plugin.open?.({
    ...{ log: pino({ level: 'silent' }), clock, turns: new LoopTurns(), shared: undefined, catalog },
    derive: async (one, derivation) =>
      deriveQuery(one, derivation, catalog, { name: 'duckdb', sql: 'bigquery' }),
    follow: { keyOf: cacheKey } as PluginHost['follow'],
  } as Partial<PluginHost> as PluginHost);
  const runs: (readonly string[])[] = [];
  return {
    query,
    runs,
    reload: () => plugin.onCatalog?.(catalog),
    close: () => plugin.close?.(),
    refresh: ({ project, moment, of = query }: { project: string; moment: number; of?: typeof query }) => {
      const own = of.parameters.some(({ name }) => name === 'since') ? { since: String(moment) } : {};
      const bound: BoundQuery = { query: of, parameters: { project, ...own } };
      const options = {
        signal: new AbortController().signal,
        wave: { moment, until: moment + 1 },
        refresh: { replaces: undefined, tenants: () => tenants },
      };
      return plugin.aroundRun?.(bound, options, async (_, other) => {
        const list = Object.values(other?.parameters ?? {}).find((value) => typeof value !== 'string');
        runs.push(list ?? [project]);
        return list === undefined ? { rows: [], truncated: false } : rowsOf(list);
      });
    },
  };
}

const own = (list: readonly string[]): readonly string[] =>
  list.map((tenant) => `{"shared_tenant":"${tenant}","shared_rank":1,"id":1}`);

test('it is known in the next wave, too, how many tenants have room in a run over a part of the time', async () => {
  const app = await open((list) => ({ rows: own(list), truncated: list.length > 2 }));
  const { query, runs } = app;
  const since = { name: 'since', type: 'string', description: '', required: true, repeated: false } as const;
  const of = formOf(query, {
    ...query,
    parameters: [...query.parameters, { ...since, default: undefined, example: undefined }],
  });
  for (const project of tenants) await app.refresh({ project, moment: 10, of });
  expect(runs).toEqual([tenants, ['a', 'b'], ['c', 'd']]);
  runs.length = 0;
  for (const project of tenants) await app.refresh({ project, moment: 20, of });
  expect(runs).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await app.close();
});

test('a wave of a query that has not changed goes on after a reload', async () => {
  const app = await open((list) => ({ rows: own(list), truncated: false }));
  await app.refresh({ project: 'a', moment: 10 });
  app.reload();
  for (const project of tenants.slice(1)) await app.refresh({ project, moment: 10 });
  expect(app.runs).toEqual([tenants]);
  await app.close();
});

test('a statement that returned a row of another tenant is not used after a reload either', async () => {
  const app = await open(() => ({ rows: own(['z']), truncated: false }));
  await app.refresh({ project: 'a', moment: 10 });
  app.reload();
  await app.refresh({ project: 'a', moment: 20 });
  expect(app.runs).toEqual([tenants, ['a'], ['a']]);
  await app.close();
});
