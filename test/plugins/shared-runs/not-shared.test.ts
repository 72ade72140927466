import { expect, test } from 'vitest';
import { compileTree, schemaTables } from '../../../packages/bigquery-sql/src/tree.ts';
import { separateColumns } from '../../../packages/bigquery-sql/src/derive.ts';
import { deriveQuery } from '../../../src/catalog-analysis/derived/derive-query.ts';
import { parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { sharedQuery } from '../../../src/plugins/shared-runs/share-query.ts';
import { analyzed } from '../../support/engine-host.ts';
import { alone, fileOf, tables } from './shared-queries.ts';

const duckdb = { name: 'duckdb', sql: 'bigquery' } as const;

const filesOf = (sql: string, header: readonly string[] = []) => ({
  ...tables,
  'q.sql': fileOf('q', { sql, columns: columnsOf(sql) }, header),
});

const types: Readonly<Record<string, string>> = { id: 'integer', n: 'integer', c: 'integer', kind: 'string' };
const others: Readonly<Record<string, string>> = { r: 'float', k: 'string', s: 'float' };

/** The columns that a text names, each with its type. */
const columnsOf = (sql: string): Readonly<Record<string, string>> => {
  const named = [...sql.matchAll(/ AS ([nkrsc])\b/g)].map(([, name = '']) => name);
  const first = /SELECT kind/.test(sql) ? 'kind' : 'id';
  const isCounted = sql.includes('ROW_NUMBER');
  return Object.fromEntries(
    [first, ...named].map((name) => [
      name,
      isCounted && name === 'r' ? 'integer' : (types[name] ?? others[name] ?? 'string'),
    ]),
  );
};

function problemOf(files: Readonly<Record<string, string>>): string | undefined {
  const texts = Object.entries(files).map(([path, text]) => [path, { text }] as const);
  const catalog = analyzed(parseCatalog('', new Map(texts)));
  const [query] = catalog.queries;
  return query && deriveQuery(query, sharedQuery().derivation, catalog, duckdb).problem?.message;
}

test.each(alone)('%s is not shared, and it is said why', (sql, reason) => {
  expect(problemOf(filesOf(sql))).toContain(reason);
});

test.each([
  [['batch: off'], 'batch: off'],
  [['tenant_unchecked: All may see it.'], 'tenant_unchecked'],
])('a header with %s is not shared', (header, reason) => {
  expect(problemOf(filesOf(alone[0]?.[0].concat(' ORDER BY id') ?? '', header))).toContain(reason);
});

const collated = { type: 'STRING', collation: 'und:ci' };

test.each([
  ['the tenant', [{ name: 'tenant', ...collated }]],
  [
    'another text',
    [
      { name: 'tenant', type: 'STRING' },
      { name: 'kind', ...collated },
    ],
  ],
  [
    'a text in a record',
    [
      { name: 'tenant', type: 'STRING' },
      { name: 'meta', type: 'RECORD', fields: [{ name: 'owner', ...collated }] },
    ],
  ],
])('a table in which %s has a collation is not shared', (_, fields) => {
  const sql = 'SELECT id FROM events WHERE tenant = @project ORDER BY id';
  const table = JSON.stringify([...fields, { name: 'id', type: 'INTEGER' }]);
  expect(problemOf({ ...filesOf(sql), 'tables/events.json': table })).toBe(
    'the table events has a collation, by which BigQuery takes different texts for equal',
  );
  const binary = table.replaceAll('und:ci', '');
  expect(problemOf({ ...filesOf(sql), 'tables/events.json': binary })).toBeUndefined();
});

const join = 'SELECT e.id, e.tenant AS t FROM events AS e';

/** Statements that a wrong derivation could make: rows of tenants meet in those that do not separate `t`. */
test.each([
  ['SELECT id, tenant AS t FROM events', true],
  [`${join} JOIN users AS u ON u.id = e.id AND u.tenant = e.tenant`, true],
  [`${join} JOIN users AS u ON u.id = e.id`, false],
  [`${join} LEFT JOIN users AS u ON u.id = e.id AND e.tenant = u.tenant`, true],
  [`${join} LEFT JOIN users AS u ON u.id = e.id`, false],
  [`${join} LEFT JOIN users AS u ON e.tenant = 'a' AND u.tenant = 'a'`, true],
  [`${join} WHERE e.id IN (SELECT id FROM users)`, false],
  ['SELECT COUNT(*) AS id, tenant AS t FROM events GROUP BY tenant', true],
  ['SELECT COUNT(*) AS id, MAX(tenant) AS t FROM events GROUP BY kind', false],
  [
    'SELECT id, tenant AS t FROM events QUALIFY ROW_NUMBER() OVER (PARTITION BY tenant ORDER BY id) = 1',
    true,
  ],
  ['SELECT id, tenant AS t FROM events QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1', false],
  ['SELECT id, tenant AS t FROM events ORDER BY id LIMIT 3', false],
  ['SELECT id, tenant AS t FROM events UNION ALL SELECT id, tenant FROM users', true],
  ["SELECT id, tenant AS t FROM events UNION ALL SELECT id, 'a' FROM users", false],
  ['SELECT id, tenant AS t FROM events EXCEPT DISTINCT SELECT id, name FROM users', true],
  ['WITH e AS (SELECT id, tenant FROM events) SELECT a.id, a.tenant AS t FROM e AS a, e AS b', false],
  [
    'WITH e AS (SELECT id, tenant FROM events) SELECT a.id, a.tenant AS t FROM e AS a, e AS b WHERE a.tenant = b.tenant',
    true,
  ],
  ["SELECT id, IF(tenant = 'a', 'b', tenant) AS t FROM events", false],
  ["SELECT id, REGEXP_EXTRACT(url, '^(a)') AS t FROM events", true],
  ["SELECT COUNT(*) AS id, REGEXP_EXTRACT(url, '^(a)') AS t FROM events GROUP BY t", true],
  ['SELECT id, owner AS t FROM events AS e, e.meta', true],
  ['SELECT e.id, e.tenant AS t FROM events AS e RIGHT JOIN users AS u ON u.tenant = e.tenant', false],
])('%s: rows are separate: %s', (sql, isSeparate) => {
  const stored = schemaTables(
    Object.entries(tables).map(([path, text]) => ({
      name: path.replace(/^tables\/|\.json$/g, ''),
      fields: JSON.parse(text),
    })),
  );
  const { query } = compileTree({ sql, source: { file: 'q.sql', line: 1 } }, stored);
  expect(separateColumns(query).has('t')).toBe(isSeparate);
});
