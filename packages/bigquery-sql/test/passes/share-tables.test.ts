import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdbText } from '../../src/passes/duckdb-text.ts';
import { readsTime, shareTables } from '../../src/passes/share-tables.ts';
import { compileStored, openDialect } from '../harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

/** One value of each kind, NULL and its extremes, by the type. */
const values: Readonly<Record<string, string>> = {
  int: '[CAST(NULL AS INT64), -9223372036854775808, 9223372036854775807]',
  float: "[CAST(NULL AS FLOAT64), CAST('nan' AS FLOAT64), -0.0, CAST('-inf' AS FLOAT64)]",
  numeric: "[CAST(NULL AS NUMERIC), NUMERIC '-99999999999999999999999999999.999999999', NUMERIC '0']",
  bignumeric:
    "[CAST(NULL AS BIGNUMERIC), BIGNUMERIC '578960446186580977117854925043439539266.34992332820282019728792003956564819967', BIGNUMERIC '-0.00000000000000000000000000000000000001']",
  text: "[CAST(NULL AS STRING), '', '\\u0000é😀', 'NaN']",
  bytes: "[CAST(NULL AS BYTES), b'', b'\\x00\\xff']",
  bool: '[CAST(NULL AS BOOL), TRUE, FALSE]',
  date: "[CAST(NULL AS DATE), DATE '0001-01-01', DATE '9999-12-31']",
  datetime: "[CAST(NULL AS DATETIME), DATETIME '0001-01-01 00:00:00', DATETIME '9999-12-31 23:59:59.999999']",
  time: "[CAST(NULL AS TIME), TIME '00:00:00', TIME '23:59:59.999999']",
  timestamp:
    "[CAST(NULL AS TIMESTAMP), TIMESTAMP '0001-01-01 00:00:00+00', TIMESTAMP '9999-12-31 23:59:59.999999 UTC', TIMESTAMP '2024-03-31 02:30:00 Europe/Berlin']",
  json: `[CAST(NULL AS JSON), JSON 'null', JSON '{"a": [1, 1.5, null, "x"], "b": 12345678901234567890}']`,
  interval: "[CAST(NULL AS INTERVAL), INTERVAL '1-2 3 4:5:6.789' YEAR TO SECOND, INTERVAL -25 HOUR]",
  range: "[CAST(NULL AS RANGE<DATE>), RANGE(DATE '2024-01-01', NULL)]",
  record:
    "[CAST(NULL AS STRUCT<a INT64, b ARRAY<STRUCT<c STRING, d FLOAT64>>>), STRUCT(NULL, []), STRUCT(1, [STRUCT(CAST(NULL AS STRING), CAST('nan' AS FLOAT64)), STRUCT('x', 1)])]",
};

test.each(Object.entries(values))(
  'values of %s are the same when they are computed before their reader',
  async (type, list) => {
    const hasJson = !['interval', 'range'].includes(type);
    const read = hasJson
      ? 'SELECT v IS NULL AS is_null, TO_JSON_STRING([STRUCT(v)]) AS json FROM part'
      : 'SELECT v IS NULL AS is_null, v FROM part';
    const selects = [
      `WITH part AS (SELECT v FROM UNNEST(${list}) AS v) ${read}`,
      `WITH part AS (SELECT STRUCT(v AS inner_value, 1 AS n) AS v FROM UNNEST(${list}) AS v) ${read}`,
      `WITH part AS (SELECT [v, v] AS v FROM (SELECT STRUCT(v AS inner_value) AS v FROM UNNEST(${list}) AS v) UNION ALL SELECT []) ${read}`,
      `WITH part AS (SELECT v FROM UNNEST(${list}) AS v), other AS (SELECT * FROM part) SELECT COUNT(*) AS n, COUNT(a.v) AS m FROM part AS a, other AS b`,
    ];
    for (const sql of selects) {
      const [inlined, shared] = (await dialect.shared(sql, ['part'])) ?? [];
      expect(inlined, sql).toBeInstanceOf(Array);
      expect(shared, sql).toEqual(inlined);
    }
  },
);

test('records that are stored as columns are read through a part', async () => {
  const part = 'WITH part AS (SELECT id, detail, happened FROM events), logged AS (SELECT * FROM logs)';
  for (const [sql, names] of [
    [`${part} SELECT p.id, s.host, s.ports FROM part AS p LEFT JOIN UNNEST(p.detail.source) AS s`, ['part']],
    [`${part} SELECT l.id, r.path, m.level FROM logged AS l, l.metadata AS m, m.request AS r`, ['logged']],
    [`${part} SELECT p.*, l.* FROM part AS p FULL JOIN logged AS l ON p.id = l.id`, ['part', 'logged']],
    [`${part} SELECT p.id FROM part AS p WHERE p.id IN (SELECT id FROM logged)`, ['part', 'logged']],
  ] as const) {
    const [inlined, shared] = (await dialect.shared(sql, names)) ?? [];
    expect(shared, sql).toEqual(inlined);
  }
});

const tablesOf = (sql: string, names: readonly string[] = ['part']) =>
  shareTables(compileStored(sql, []).query, names, (at) => `kept_${at}`)?.tables ?? [];

test('equal parts of different queries have one text, whatever aliases and parameters are around them', () => {
  const part = (parameter: string) =>
    `part AS (SELECT l.id, CURRENT_TIMESTAMP() AS t FROM logs AS l WHERE project = ${parameter})`;
  const texts = [
    `WITH ${part('@project')} SELECT id FROM part`,
    `WITH l AS (SELECT 1 AS logs FROM logs AS l WHERE @other = ''), ${part('@owner')} SELECT part.id, l.logs FROM l, part`,
    `WITH ${part('@owner')} SELECT l.id AS shared, 1 AS part FROM part AS l JOIN logs AS shared ON l.id = shared.id`,
  ].map((sql) => tablesOf(sql).map(({ query }) => duckdbText(query)));
  expect(texts[0]).toHaveLength(1);
  expect(texts[1]).toEqual(texts[0]);
  expect(texts[2]).toEqual(texts[0]);
  const [table] = tablesOf(`WITH ${part('@owner')} SELECT id FROM part`);
  expect([...(table?.parameters ?? [])]).toEqual([['p1', 'owner']]);
  expect(table && readsTime(table.query)).toBe(true);
  expect(
    tablesOf('WITH part AS (SELECT 1 AS x) SELECT x FROM part').map(({ query }) => readsTime(query)),
  ).toEqual([false]);
});

test('a part that reads another one reads its rows', () => {
  const sql =
    'WITH inner_part AS (SELECT id FROM logs), part AS (SELECT id FROM inner_part) SELECT id FROM part';
  const texts = tablesOf(sql, ['inner_part', 'part']).map(({ query }) => duckdbText(query));
  expect(texts[1]).toContain('FROM kept_0');
  expect(texts[1]).not.toContain('logs');
});

test.each([
  ['random values', 'SELECT id, RAND() AS r FROM logs'],
  ['a sample', 'SELECT id FROM logs TABLESAMPLE SYSTEM (10 PERCENT)'],
])('a part with %s is computed by each reader', (_, part) => {
  expect(tablesOf(`WITH part AS (${part}) SELECT 1 AS one FROM part`)).toEqual([]);
  expect(tablesOf(`WITH base AS (${part}), part AS (SELECT * FROM base) SELECT 1 AS one FROM part`)).toEqual(
    [],
  );
});
