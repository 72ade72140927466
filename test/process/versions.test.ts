import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openCommandHost } from '../support/command-host.ts';
import { eventually } from '../support/eventually.ts';
import { runCommand, startGateway } from '../support/gateway-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const queries = join(folder, 'queries');
const data = join(folder, 'data');
const querygate = openCommandHost();
const run = (...args: readonly string[]) => querygate(args, { QUERIES_DIR: queries });
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);

/** A query with an enum, and a column that changes. */
const orders = (header: string, status: string) => `/*---
id: 3b241101-e2bb-4255-8caf-4136c566a962
description: The orders of a project.
${header}max_rows: 1000
caching: 900s
parameters:
  project: { type: string, tenant: true, required: true, example: abc, description: Whose orders. }
columns:
  id: { type: integer, description: The number of the order. }
  status: { type: integer, description: The status that the server gave. }
---*/
SELECT id, ${status} AS status FROM web WHERE project = @project ORDER BY id
`;

mkdirSync(join(queries, 'tables'), { recursive: true });
mkdirSync(join(queries, 'tests'));
mkdirSync(data);
write(
  'queries/tables/web.json',
  JSON.stringify(
    Object.entries({ project: 'STRING', id: 'INTEGER', status: 'INTEGER' }).map(([name, type]) => ({
      name,
      type,
    })),
  ),
);
write(
  'data/web.ndjson',
  Array.from({ length: 100 }, (_, id) => `${JSON.stringify({ project: 'abc', id, status: 200 })}\n`).join(''),
);
write('queries/orders.sql', orders('', 'status'));

const sql = 'SELECT id, IF(id = 42, 500, status) AS status FROM web WHERE project = @project ORDER BY id';

test('a version is written, checked, tested, described, deprecated and compared by the commands', async () => {
  write('new.sql', sql);
  expect(await run('new', 'orders@2', join(folder, 'new.sql'))).toMatchObject({ exitCode: 0 });
  const text = readFileSync(join(queries, 'orders@2.sql'), 'utf8');
  // The texts of the version before are taken over, its UUID is not.
  expect(text).toContain('The status that the server gave.');
  expect(text).not.toContain('Fill in');
  expect(text).not.toContain('3b241101');

  const deprecated =
    'deprecated: { since: 2026-11-01, sunset: 2027-03-01, successor: orders@2 }\nshadow: orders@2\n';
  write('queries/orders.sql', orders(deprecated, 'status'));
  expect(await run('check')).toEqual({
    exitCode: 0,
    output: [
      'orders means version 1; versions: 1, 2',
      'orders is deprecated since 2026-11-01, until 2027-03-01',
      '2 saved queries are valid\n',
    ].join('\n'),
    errors: '',
  });
  const { output: json } = await run('check', '--json');
  const { queries: checked } = JSON.parse(json) as { queries: object[] };
  expect(checked).toMatchObject([
    { name: 'orders', version: 1, isDefault: true, deprecated: { sunset: '2027-03-01' } },
    { name: 'orders@2', version: 2, isDefault: false },
  ]);

  write(
    'queries/tests/orders@2.yaml',
    `tables: { web: [{ project: abc, id: 42, status: 200 }] }
parameters: { project: abc }
tests:
  - name: order 42 failed
    expect: { rows: [{ id: 42, status: 500 }] }
`,
  );
  expect(await run('test')).toMatchObject({ exitCode: 0 });
  expect(await run('test', 'orders@2')).toMatchObject({ exitCode: 0 });

  const { output: types } = await run('types');
  write('types.ts', types);
  write(
    'usage.ts',
    `import type { GraphqlFields, RestEndpoints } from './types.ts';
export const second = (row: RestEndpoints['orders@2']['row']) => row.status;
export const first = (row: RestEndpoints['orders@1']['row']) => row.status;
export const rows = (answer: GraphqlFields['ordersV2']['result']) => answer?.rows.map(({ status }) => status);
`,
  );
  const tsc = ['--ignoreConfig', '--strict', '--noEmit', '--target', 'esnext', '--module', 'nodenext'];
  const compiled = await runCommand(resolve('node_modules/.bin/tsc'), {}, [
    ...tsc,
    ...['--allowImportingTsExtensions', join(folder, 'usage.ts')],
  ]);
  expect(compiled).toMatchObject({ exitCode: 0, output: '' });
  expect(types).toContain('@deprecated Since 2026-11-01, until 2027-03-01. Use ordersV2.');

  const { paths } = JSON.parse((await run('openapi')).output) as {
    paths: Record<string, { get: { operationId: string; deprecated?: boolean } }>;
  };
  const described = Object.entries(paths).filter(([path]) => /orders[^.]*$/.test(path));
  expect(described.map(([path, { get }]) => [path, get.operationId, get.deprecated])).toEqual([
    ['/api/endpoints/query/orders', 'orders', true],
    ['/api/endpoints/query/orders@1', 'ordersV1', true],
    ['/api/endpoints/query/orders@2', 'ordersV2', undefined],
  ]);
  expect((await run('schema')).output).toContain(
    '@deprecated(reason: "Since 2026-11-01, until 2027-03-01. Use ordersV2.")',
  );
});

test('a process compares versions, also for clients of Logflare, and ends while it does', async () => {
  const gateway = await startGateway({
    QUERIES_DIR: queries,
    DATA_DIR: data,
    STORE_FILE: ':memory:',
    COMPAT: 'logflare',
    API_KEY: 'a-key-for-tests-only',
  });
  const get = async (path: string) => {
    const response = await fetch(`${gateway.origin}${path}`, {
      headers: { 'x-api-key': 'a-key-for-tests-only' },
    });
    const { result } = (await response.json()) as { result: { id: number; status: number }[] };
    return result.find(({ id }) => id === 42)?.status;
  };
  expect(await get('/api/endpoints/query/orders?project=abc')).toBe(200);
  expect(await get('/endpoints/query/orders@2?project=abc')).toBe(500);
  expect(await get('/api/endpoints/query/name/orders%402?project=abc')).toBe(500);
  await eventually(() => expect(gateway.log()).toContain('shadow differs'));
  expect(gateway.log()).toMatch(/"onlyOld":1,"onlyNew":1,"columns":\["status"\]/);
  await gateway.end();
});
