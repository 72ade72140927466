import { expect, test } from 'vitest';
import { bind, plainParameters } from '../../../src/catalog/binding/bind.ts';
import { parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { pageFormsOf } from '../../../src/catalog/model/page-forms.ts';
import { readConfig } from '../../../src/config.ts';
import { toProblem } from '../../../src/engines/bigquery/check-queries.ts';
import { buildQueryBody } from '../../../src/engines/bigquery/query-body.ts';
import { queryText } from '../../support/queries.ts';

const env = { ENGINE: 'bigquery', BIGQUERY_PROJECT: 'our-project', BIGQUERY_DATASET: 'logs' };
const { bigquery: sent } = readConfig(env);
const { bigquery: stored } = readConfig({ ...env, BIGQUERY_DEFINITIONS: 'stored' });

const files = {
  'a.sql': queryText({
    name: 'a',
    caching: ['caching: disabled', 'page: { by: [x] }'],
    columns: { x: 'integer' },
    sql: 'SELECT d.plus(x) + own(x) AS x\nFROM d.v\nORDER BY x',
  }),
  'views/v.sql': 'CREATE VIEW `my-project.d.v` AS\nSELECT x\nFROM d.w;\nCREATE VIEW d.w AS SELECT 1 AS x',
  'functions/f.sql': `CREATE FUNCTION d.plus(n INT64) AS (
  d.js(n, "it's $&")
);
CREATE FUNCTION d.js(n FLOAT64, text STRING) RETURNS INT64 LANGUAGE js AS "return n";
CREATE TEMP FUNCTION own(n INT64) AS (n);`,
};
const [query] = parseCatalog(
  '',
  new Map(Object.entries(files).map(([path, text]) => [path, { text }])),
).queries;
if (query === undefined) throw new Error('no query');

test('queries send the views and functions that they read', () => {
  expect(buildQueryBody(bind(query, plainParameters({})), sent).query).toBe(query.sql);
});

test('with BIGQUERY_DEFINITIONS=stored they read those that BigQuery has, in as many lines', () => {
  const { query: text } = buildQueryBody(bind(query, plainParameters({})), stored);
  expect(text.replace(/\s+/g, ' ').trim()).toBe(
    [
      'CREATE TEMP FUNCTION part_d_js(n FLOAT64, text STRING) AS (`d.js`(`n`, `text`));',
      'CREATE TEMP FUNCTION part_d_plus(n INT64) AS (`d.plus`(`n`));',
      'CREATE TEMP FUNCTION part_own(n INT64) AS (n);',
      'WITH part_d_w AS (SELECT * FROM `d.w`) ,',
      'part_my_project_d_v AS (SELECT * FROM `my-project.d.v`)',
      'SELECT part_d_plus(x) + part_own(x) AS x FROM part_my_project_d_v AS `v` ORDER BY x',
    ].join(' '),
  );
  expect(text.split('\n')).toHaveLength(query.sql.split('\n').length);
});

test('a problem that BigQuery reports is at its place in the file of the part', () => {
  const lines = query.sql.split('\n');
  const line = lines.findIndex((one) => one.startsWith('SELECT x')) + 1;
  expect(toProblem(query, new Error(`Unrecognized name: x at [${line}:8]`))).toEqual({
    file: 'views/v.sql',
    line: 2,
    column: 8,
    message: 'Unrecognized name: x',
  });
  expect(toProblem(query, new Error('no place'))).toMatchObject({ file: 'a.sql', message: 'no place' });
});

test('so do its pages', () => {
  const first = pageFormsOf(query)?.first ?? query;
  const { query: text } = buildQueryBody(bind(first, plainParameters({ page_size: '3' })), stored);
  expect(text).toContain('AS (SELECT * FROM `my-project.d.v`)');
  expect(text).not.toContain('SELECT 1 AS x');
});
