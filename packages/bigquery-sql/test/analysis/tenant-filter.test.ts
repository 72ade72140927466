import { expect, test } from 'vitest';
import { unfilteredTables } from '../../src/analysis.ts';
import type { Field } from '../../src/table-schema.ts';
import { compileTree, schemaTables } from '../../src/tree.ts';

const fields = ['k', 'tenant', 'message'].map(
  (name) => ({ name, type: 'STRING', mode: 'NULLABLE' }) as const,
);

test.each([
  ['tenant = @tenant AND n > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)', []],
  ['n > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)', ['logs']],
  [
    'n > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY) QUALIFY ROW_NUMBER() OVER () = 1 AND tenant = @tenant',
    ['logs'],
  ],
])('HAVING compares the tenant of groups, whatever it calls: %s', (having, unfiltered) => {
  const sql = `SELECT tenant, MAX(TIMESTAMP(message)) AS n FROM logs GROUP BY 1 HAVING ${having}`;
  expect(unfilteredIn(sql)).toEqual(unfiltered);
});

const collated = { name: 'tenant', type: 'STRING', mode: 'NULLABLE', collation: 'und:ci' } as const;
const ci: readonly Field[] = [
  ...['exact', 'n'].map((name) => ({ name, type: 'STRING', mode: 'NULLABLE' }) as const),
  collated,
  {
    name: 'owner',
    type: 'RECORD',
    mode: 'NULLABLE',
    fields: [collated, { name: 'id', type: 'STRING', mode: 'NULLABLE' }],
  },
];
const tables = schemaTables([
  { name: 'logs', fields },
  { name: 'ci', fields: ci },
]);

function unfilteredIn(sql: string, isList = false): readonly string[] {
  const parameters = [{ name: 'tenant', repeated: isList }];
  const { query } = compileTree({ sql, source: { file: 'test.sql', line: 1 }, parameters }, tables);
  const tenant = { name: 'tenant', isPattern: false, isList };
  return unfilteredTables(query, tenant).map(({ name }) => name);
}

test('a column beside which JOIN USING has merged others is compared at its own position', () => {
  const key = '(SELECT @tenant AS k)';
  expect(
    unfilteredIn(`SELECT z FROM (
      SELECT * FROM (SELECT 'q' AS m, 'w' AS tenant) AS a1 JOIN (SELECT 'q' AS m) AS b1 USING (m)
        JOIN (SELECT 'w' AS tenant) AS c1 USING (tenant) CROSS JOIN (SELECT 'e' AS m, 'r' AS z) AS d1
      UNION ALL SELECT * FROM ${key} AS a2 JOIN ${key} AS b2 USING (k) CROSS JOIN logs) WHERE tenant = @tenant`),
  ).toEqual(['logs']);
  expect(unfilteredIn(`SELECT message FROM logs JOIN ${key} AS a USING (k) WHERE k = @tenant`)).toEqual([]);
});

test.each([
  ['SELECT n FROM ci WHERE tenant = @tenant', ['ci']],
  ['SELECT n FROM (SELECT n, tenant AS t FROM ci) WHERE t = @tenant', ['ci']],
  ["SELECT n FROM ci WHERE COLLATE(tenant, 'und:ci') = @tenant", ['ci']],
  ['SELECT n FROM ci WHERE owner.tenant = @tenant', ['ci']],
  ['SELECT n FROM (SELECT n, owner AS o FROM ci) WHERE o.Tenant = @tenant', ['ci']],
  ['SELECT n FROM (SELECT n, STRUCT(owner.tenant AS id) AS owner FROM ci) WHERE owner.id = @tenant', ['ci']],
  [
    `SELECT n FROM (SELECT n, STRUCT('' AS b, 'x' AS id) AS owner FROM ci WHERE exact = @tenant
      UNION ALL SELECT n, owner FROM ci) WHERE owner.b = @tenant`,
    ['ci'],
  ],
  ['SELECT n FROM ci, UNNEST([tenant]) AS t WHERE t = @tenant', ['ci']],
  ['SELECT n FROM ci GROUP BY tenant, n HAVING tenant = @tenant', ['ci']],
  ['SELECT message FROM logs JOIN ci USING (tenant) WHERE logs.tenant = @tenant', ['ci']],
  ['SELECT message FROM logs JOIN ci USING (tenant) WHERE ci.exact = @tenant', ['logs']],
  [
    `WITH c AS (SELECT 'a' AS t UNION ALL SELECT UPPER(tenant) FROM ci WHERE exact = @tenant)
      SELECT message FROM c JOIN logs ON logs.tenant = t WHERE t = @tenant`,
    ['logs'],
  ],
  [
    `WITH RECURSIVE c AS (SELECT tenant AS t FROM ci WHERE exact = @tenant UNION ALL SELECT CONCAT(t, 'a') FROM c WHERE t < 'b')
      SELECT message FROM c JOIN logs ON logs.tenant = t WHERE t = @tenant`,
    ['logs'],
  ],
  ['SELECT n FROM ci JOIN logs ON logs.tenant = exact WHERE exact = @tenant', []],
])('a comparison by a collation filters nothing: %s', (sql, unfiltered) => {
  expect(unfilteredIn(sql)).toEqual(unfiltered);
});

test.each([
  'SELECT n FROM ci WHERE owner.id = @tenant',
  'WITH c AS (SELECT n, owner AS o FROM ci) SELECT n FROM c WHERE o.ID = @tenant',
])('a field beside one with a collation filters: %s', (sql) => {
  expect(unfilteredIn(sql)).toEqual([]);
});

test('a list that is searched by a collation filters nothing', () => {
  const sql = (column: string) => `SELECT n FROM ci WHERE ${column} IN UNNEST(@tenant)`;
  expect(['tenant', 'exact'].map((column) => unfilteredIn(sql(column), true))).toEqual([['ci'], []]);
});

const params = 'WITH params AS (SELECT @tenant AS p)';

test.each([
  [`${params} SELECT message FROM logs, params WHERE logs.tenant = params.p`, []],
  [`${params} SELECT message FROM params LEFT JOIN logs ON logs.tenant = p`, []],
  [
    'SELECT message FROM (SELECT @tenant AS p) JOIN logs ON EXISTS (SELECT 1 FROM ci WHERE exact = p)',
    ['logs'],
  ],
  [`${params} SELECT message FROM logs LEFT JOIN params ON logs.tenant = p`, ['logs']],
  [`${params} SELECT message FROM logs FULL JOIN params ON logs.tenant = p`, ['logs']],
  [
    "WITH params AS (SELECT @tenant AS p UNION ALL SELECT 'b') SELECT k FROM logs, params WHERE tenant = p",
    ['logs'],
  ],
  ["SELECT k FROM logs, (SELECT CONCAT(@tenant, '') AS p) WHERE tenant = p", ['logs']],
])('a column that is the parameter itself is compared as it: %s', (sql, unfiltered) => {
  expect(unfilteredIn(sql)).toEqual(unfiltered);
});

test('a column that is a list of tenants, or a pattern, equals none of them', () => {
  const { query } = compileTree(
    { sql: `${params} SELECT k FROM logs, params WHERE tenant = p`, source: { file: '', line: 1 } },
    tables,
  );
  expect(unfilteredTables(query, { name: 'tenant', isPattern: true })).toHaveLength(1);
});
