import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { loadAnalyzed } from '../../src/catalog-analysis/load-analyzed.ts';
import type { Dialect } from '../../src/catalog-analysis/analyze-catalog.ts';
import { StartError } from '../../src/errors.ts';
import { queryText } from '../support/queries.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
afterEach(() => rmSync(folder, { recursive: true }));

/** The problems of a folder, each as `file:line:column message`. */
function problemsOf(files: Readonly<Record<string, string>>, dialect: Dialect = { sql: 'bigquery' }) {
  mkdirSync(join(folder, 'tables'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  try {
    loadAnalyzed(folder, dialect);
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.problems.map(({ file = '', line, column, message }) =>
      [file.slice(folder.length + 1), line, ...(column === undefined ? [] : [column]), message].join(':'),
    );
  }
}

const table = '[{ "name": "id", "type": "INTEGER" }, { "name": "name", "type": "STRING" }]';
const valid = queryText({ columns: { id: 'integer' }, sql: 'select id from t' });
const withWrongCaching = (text: string) => text.replace(/caching: .*/, 'caching: soon');

test('a wrong header hides no problem of the SQL below it, nor of other files', () => {
  const files = {
    'tables/t.json': table,
    'a.sql': withWrongCaching(queryText({ columns: { x: 'integer' }, sql: 'select idd as x from t' })),
    'b.sql': queryText({ columns: { x: 'integer' }, sql: 'select nme as x from t' }),
  };
  expect(problemsOf(files)).toEqual([
    expect.stringMatching(/^a\.sql:\d+:caching: must be seconds/),
    expect.stringMatching(/^a\.sql:\d+:8:no column is named idd; did you mean id\?$/),
    expect.stringMatching(/^b\.sql:\d+:8:no column is named nme; did you mean name\?$/),
  ]);
});

test('that a table is not there whose file has a problem is no problem of the SQL; another table that is not there is', () => {
  const files = {
    'tables/t.json': table.replace('INTEGER', 'INTEGR'),
    'tables/events_20260101.json': '[',
    'a.sql': withWrongCaching(valid),
    'b.sql': queryText({
      columns: { id: 'integer' },
      sql: 'select id from `p.d.T` union all select id from u union all select id from `events_*` union all select id from twice',
    }),
    'tables/twice.json': table,
    'tables/Twice.json': table.replace('id', 'other'),
  };
  expect(problemsOf(files)).toEqual([
    expect.stringMatching(/^a\.sql:\d+:caching: must be seconds/),
    expect.stringMatching(/^b\.sql:\d+:\d+:no table is named u$/),
    expect.stringMatching(/^tables\/events_20260101\.json:/),
    expect.stringMatching(/^tables\/t\.json:1:type: must be one of .*; did you mean INTEGER\?$/),
    'tables/twice.json::the same table as Twice.json: table names are not case-sensitive',
  ]);
});

test('the SQL below a header that is not YAML is read all the same', () => {
  const text = queryText({ columns: { id: 'integer' }, sql: 'select idd as id from t where name = @a' });
  const files = { 'tables/t.json': table, 'a.sql': text.replace('columns:', 'columns: [') };
  expect(problemsOf(files).at(-1)).toMatch(/:no column is named idd/);
});

test('columns of one name are named beside the problems of headers', () => {
  const text = queryText({ columns: { n: 'integer', n_2: 'integer' }, sql: 'select 1 as n, 2 as n' });
  const problems = problemsOf({ 'tables/t.json': table, 'a.sql': text, 'b.sql': withWrongCaching(valid) });
  expect(problems).toEqual([
    expect.stringMatching(/^a\.sql:\d+:two columns of the result are named n: add AS/),
    expect.stringMatching(/^b\.sql:\d+:caching: must be seconds/),
  ]);
});

test('parameters with problems have any type in the SQL, and others the declared one', () => {
  const text = queryText({
    columns: { id: 'integer' },
    parameters: { n: 'integer', s: 'string' },
    sql: 'select id from t where id = @n and id = @s',
  }).replace('type: integer, ', 'type: int64, ');
  const problems = problemsOf({ 'tables/t.json': table, 'a.sql': text });
  expect(problems.map((one) => one.replace(/^.*?:\d+:(?:\d+:)?/, ''))).toEqual([
    expect.stringMatching(/^parameters\.n\.type: must be one of .*did you mean integer/),
    'INT64 = STRING cannot be compared: CAST one',
  ]);
});

test('the SQL is not said to name unknown tables where the file of a table has a problem', () => {
  const files = { 'tables/t.json': '[{ "name": "id" }]', 'a.sql': valid };
  expect(problemsOf(files)).toEqual([expect.stringMatching(/^tables.t\.json:1:type: /)]);
});

test.each([
  ['SQL of another language', { sql: 'native' }],
  ['tables that only the engine knows', { sql: 'bigquery', flags: { hasOwnTables: true } }],
] as const)('%s are not judged', (_, dialect) => {
  const files = {
    'tables/t.json': table,
    'a.sql': withWrongCaching(queryText({ columns: { x: 'integer' }, sql: 'select nothing from elsewhere' })),
  };
  expect(problemsOf(files, dialect)).toEqual([expect.stringMatching(/caching: must be seconds/)]);
});
