import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadAnalyzed } from '../../src/catalog-analysis/load-analyzed.ts';
import { openapiDocument } from '../../src/plugins/openapi/document.ts';
import { runCommand, runQuerygate } from '../support/gateway-process.ts';
import { queryText } from '../support/queries.ts';
import { nightly } from '../support/nightly.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

const compile = (file: string) =>
  runCommand(resolve('node_modules/.bin/tsc'), {}, [
    ...['--ignoreConfig', '--strict', '--noEmit', '--target', 'esnext', '--module', 'nodenext'],
    ...['--allowImportingTsExtensions', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', file],
  ]);

const usage = `
import { type GraphqlFields, type GraphqlTypes, type RestEndpoints, type RestError, type RestResult, valueTypes } from './querygate.ts';

const parameters: RestEndpoints['usage.api-counts']['parameters'] = { project: 'p', interval: 'hourly' };
const { result }: RestResult<'usage.api-counts'> = { result: [] };
export const total = result.reduce((sum, row) => sum + row.total_rest_requests, 0);
export const texts = result.map(({ timestamp }) => timestamp.slice(0, 10));
export const maximum = (row: RestEndpoints['functions.invocation-stats']['row']) => row.max_execution_time?.toFixed(1);
export const isWrong = ({ error }: RestError) => error.code === 'INVALID_PARAMETER';
export const sum = (answer: GraphqlFields['usageApiCounts']['result']) =>
  answer?.rows.reduce((sum, row) => sum + row.totalRestRequests, 0);
export const given: GraphqlFields['usageApiCounts']['arguments'] = { project: 'p', interval: 'HOURLY' };
export const status: GraphqlTypes['CacheStatus'] = 'HIT';
export const names: readonly ('LogsAllRow' | 'LogsAllResult')[] = valueTypes.filter(
  (name) => name === 'LogsAllRow' || name === 'LogsAllResult',
);

// @ts-expect-error there is no such interval
parameters.interval = 'weekly';
// @ts-expect-error the column may be NULL
export const wrong = (row: RestEndpoints['functions.invocation-stats']['row']) => row.max_execution_time.toFixed(1);
// @ts-expect-error project is missing
export const missing: GraphqlFields['usageApiCounts']['arguments'] = { interval: 'HOURLY' };
`;

test('types prints TypeScript of REST and GraphQL that compiles under strict', async () => {
  const { exitCode, output, errors } = await runQuerygate(['types']);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  writeFileSync(join(folder, 'querygate.ts'), output);
  writeFileSync(join(folder, 'usage.ts'), usage);
  expect(await compile(join(folder, 'usage.ts'))).toMatchObject({ exitCode: 0, output: '' });

  const [, documented = ''] =
    /```ts\n(import type \{ RestEndpoints[\s\S]*?)```/.exec(readFileSync('docs/clients.md', 'utf8')) ?? [];
  const call = "export const counts = get('usage.api-counts', { project: 'p', interval: 'daily' });\n";
  const sum = 'counts.then((rows) => rows.reduce((sum, row) => sum + row.total_auth_requests, 0));\n';
  writeFileSync(join(folder, 'documented.ts'), documented + call + sum);
  expect(await compile(join(folder, 'documented.ts'))).toMatchObject({ exitCode: 0, output: '' });
});

nightly('also with names and descriptions that mean something in TypeScript', async () => {
  const queries = mkdtempSync(join(folder, 'queries-'));
  const parameters = {
    class: `{ type: enum, enum: string, description: "A */ B", values: { 'a"b': { name: any, description: "\`\${x}\`" } } }`,
    at: 'timestamp',
    codes: '{ type: integer, repeated: true, default: [1], description: Codes. }',
    days: '{ type: date, repeated: true, description: Days. }',
    local: '{ type: datetime, default: -1d, description: Local. }',
  };
  const columns = {
    default: 'integer',
    delete: '{ type: string, repeated: true, description: "*/ }" }',
    any: 'json',
  };
  const sql = `select array_length(@codes) + array_length(@days) as \`default\`, [@class, @at, @local] as \`delete\`, json '1' as any`;
  writeFileSync(join(queries, 'row.sql'), queryText({ name: 'row', parameters, columns, sql }));
  const { exitCode, output, errors } = await runQuerygate(['types', '--queries-dir', queries]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  writeFileSync(join(folder, 'strange.ts'), output);
  expect(await compile(join(folder, 'strange.ts'))).toMatchObject({ exitCode: 0, output: '' });
  expect(output).toContain('class?: "a\\"b"');
  expect(output).toContain('GraphqlTypes["string"]');
  expect(output).toMatch(/codes\?: number\[\];/);
  expect(output).toMatch(/codes\?: number\[\] \| null;/);
  expect(output).toMatch(/days\?: string\[\] \| null;/);
  expect(output).toMatch(/local\?: string \| null;/);
});

test('openapi prints the document of all endpoints', async () => {
  const { exitCode, output } = await runQuerygate(['openapi']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(output)).toEqual(
    JSON.parse(
      JSON.stringify(openapiDocument(loadAnalyzed('queries').queries, { mayPassSql: true, basePath: '/' })),
    ),
  );
});
