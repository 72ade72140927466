import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnalyzedCatalog, buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { type Compiler, compiler } from '../../src/catalog-analysis/analyze-query.ts';
import { type CatalogHistory, openHistory } from '../../src/catalog/folder/catalog-history.ts';
import { loadCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { readFolder } from '../../src/catalog/folder/read-folder.ts';
import { readConfig } from '../../src/config.ts';
import { configuredEngine } from '../../src/author/configured-engine.ts';
import { limitsOf, withFileChecks } from '../../src/engines/checked-engine.ts';
import { engineHost } from '../support/engine-host.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../support/query-folder.ts';

const table = JSON.stringify([
  { name: 'project', type: 'STRING' },
  { name: 'detail', type: 'RECORD', mode: 'REPEATED', fields: [{ name: 'path', type: 'STRING' }] },
]);
const tenant = `parameters:
  project: { type: string, required: true, tenant: true, description: The project. }
`;
const sandboxed = (of: number) =>
  queryText({
    id: uuidOf(of),
    header: `query_sandboxing: enabled\n${tenant}`,
    sql: `WITH l AS (SELECT * FROM logs WHERE project = @project) SELECT ${of} AS n FROM l`,
  });

const files = {
  'tables/logs.json': table,
  'plain.sql': queryText({ id: uuidOf(1) }),
  'tenant.sql': queryText({
    id: uuidOf(2),
    header: tenant,
    sql: 'SELECT COUNT(*) AS n FROM logs WHERE project = @project',
  }),
  'record.sql': queryText({ id: uuidOf(3), sql: 'SELECT detail, 1 AS n FROM logs' }).replace(
    'columns:',
    'columns:\n  detail: { type: record, repeated: true, description: Details. }',
  ),
  'sandboxed.sql': sandboxed(4),
  'other.sql': sandboxed(5),
};

let queries: QueryFolder;
beforeAll(() => {
  queries = makeQueryFolder(files);
  mkdirSync(queries.path('data'));
});
afterAll(() => queries.close());

function countCalls() {
  const calls = { compilations: 0, sandboxes: 0 };
  const counting: Compiler = {
    compileTree(...given) {
      calls.compilations += 1;
      return compiler.compileTree(...given);
    },
    openSandbox(...given) {
      calls.sandboxes += 1;
      return compiler.openSandbox(...given);
    },
  };
  return { calls, counting };
}

async function startCheckReload() {
  const { calls, counting } = countCalls();
  const config = readConfig({ DATA_DIR: queries.path('data'), STORE_FILE: ':memory:' });
  const engine = await configuredEngine(config);
  const read = () => readFolder(queries.folder);
  const history: CatalogHistory<AnalyzedCatalog> = openHistory(
    queries.folder,
    read(),
    () => new Date(),
    buildAnalyze(engine, counting),
  );
  const opened = await engine.open({
    ...engineHost({ catalog: history.catalog, config }),
    catalog: history.catalog,
  });
  const options = { limits: limitsOf(config), onChecked() {} };
  expect(await engine.check(history.catalog, options)).toEqual([]);
  const first = { ...calls };
  queries.write('plain.sql', queryText({ id: uuidOf(1), sql: 'SELECT 7 AS n' }));
  const { catalog, broken, accept } = await history.propose(
    read(),
    async (next) => (await opened.updates?.check(next)) ?? new Map(),
  );
  expect(broken).toEqual([]);
  await (await opened.updates?.replace(catalog))?.();
  accept();
  expect(await engine.check(history.catalog, options)).toEqual([]);
  await opened.close();
  return { first, all: calls };
}

test('start, check and a changed file: each query is compiled once for each version, and its sandbox', async () => {
  expect(await startCheckReload()).toEqual({
    first: { compilations: 5, sandboxes: 2 },
    all: { compilations: 6, sandboxes: 2 },
  });
});

test('SQL of an engine’s own is never compiled', async () => {
  const { calls, counting } = countCalls();
  const engine = withFileChecks({ name: 'own', sql: 'native', open: () => Promise.reject() });
  const catalog = buildAnalyze(engine, counting)(loadCatalog(queries.folder));
  const problems = await engine.check(catalog, { limits: limitsOf(readConfig({})), onChecked() {} });
  expect(problems.map(({ message }) => message.split(':')[0])).toEqual([
    "it can't be checked that only rows of one tenant are returned",
    'query_sandboxing',
    "it can't be checked that only rows of one tenant are returned",
    'query_sandboxing',
    "it can't be checked that only rows of one tenant are returned",
  ]);
  expect(calls).toEqual({ compilations: 0, sandboxes: 0 });
});
