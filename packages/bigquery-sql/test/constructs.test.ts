import { afterAll, beforeAll, expect, test } from 'vitest';
import { supportedFunctions } from '../conformance/supported-functions.ts';
import { unsupportedFunctions } from '../src/rules/functions/unsupported-names.ts';
import { openDialect, problemsOf } from './harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

test.each([
  ['SELECT 1 AS a UNION ALL SELECT 2.5 UNION ALL SELECT 1 ORDER BY a DESC LIMIT 2', [[2.5], [1]]],
  ['SELECT id FROM logs EXCEPT DISTINCT SELECT 1 ORDER BY id LIMIT 1', [['2']]],
  [
    'WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 3) SELECT SUM(x) FROM n',
    [['6']],
  ],
  ['SELECT ARRAY(SELECT AS STRUCT 1 AS a).a IS NULL', []],
  ['SELECT project, COUNT(*) AS n FROM logs GROUP BY ROLLUP(project) ORDER BY n DESC LIMIT 1', [[null, '4']]],
  ['SELECT id FROM logs QUALIFY ROW_NUMBER() OVER w = 1 WINDOW w AS (ORDER BY id DESC)', [['4']]],
  ["SELECT 'abc' LIKE ANY ('x%', 'a%'), 2 IN UNNEST([1, NULL]), 'nan' = 'NaN'", [[true, null, false]]],
  [
    'SELECT ARRAY_CONCAT([NULL], [NULL]), IF(TRUE, [1.5], [NULL]), ARRAY_LENGTH(IF(FALSE, [STRUCT(1)], [STRUCT(NULL)]))',
    [[[null, null], [1.5], '1']],
  ],
  ["SELECT IF(TRUE, [], ['x']), ARRAY_CONCAT([], ['x'])", [[[], ['x']]]],
  ['SELECT x FROM UNNEST([1, NULL, 2]) AS x ORDER BY x NULLS LAST', [['1'], ['2'], [null]]],
  ['SELECT SAFE.REGEXP_CONTAINS("a", "("), SAFE_CAST("x" AS INT64)', [[null, null]]],
  [
    "SELECT SAFE_CAST(s.a AS NUMERIC), IF(s.b = 2, CAST(s.a AS NUMERIC), NULL) FROM UNNEST([STRUCT('x' AS a, 1 AS b), ('1.5', 2)]) AS s ORDER BY s.b",
    [
      [null, null],
      ['1.500000000', '1.500000000'],
    ],
  ],
  ['SELECT 1 / 4, DATE "2024-01-31" + 1, [1] || [2]', [[0.25, '2024-02-01', ['1', '2']]]],
  [
    'SELECT * FROM (SELECT 1 AS id, 10 AS a, 20 AS b) UNPIVOT (v FOR k IN (a, b)) ORDER BY k',
    [
      ['1', '10', 'a'],
      ['1', '20', 'b'],
    ],
  ],
])('compiles and gives its rows: %s', async (sql, rows) => {
  if (rows.length > 0) expect(await dialect.query(sql)).toEqual(rows);
  else expect(problemsOf(sql)).not.toEqual([]);
});

test.each([
  ['SELECT 1 UNION ALL SELECT 2 UNION DISTINCT SELECT 3', 'or parentheses'],
  ["SELECT 1 UNION ALL SELECT 'a'", 'no common type'],
  // An array of NULL is one of INT64.
  ["SELECT IF(TRUE, ['x'], [NULL])", 'no common type'],
  ["SELECT COALESCE([NULL, NULL], ['x'])", 'no common type'],
  ["SELECT ARRAY_CONCAT(['x'], [NULL])", 'no common type'],
  ["SELECT CASE WHEN TRUE THEN [NULL] ELSE [DATE '2026-01-01'] END", 'no common type'],
  ["SELECT ['x'] UNION ALL SELECT [NULL]", 'no common type'],
  ["SELECT IF(TRUE, [STRUCT('x')], [STRUCT(NULL)])", 'no common type'],
  ["SELECT IF(TRUE, [STRUCT(1.5, 'a')], [STRUCT(NULL, 'b')])", 'no common type'],
  ["SELECT ARRAY_TO_STRING([NULL], ',')", 'does not take'],
  ['SELECT x FROM UNNEST([1, 2]) AS x QUALIFY x > 1', 'QUALIFY needs a window function'],
  ['SELECT x FROM UNNEST([1, 2]) AS x QUALIFY TRUE ORDER BY ROW_NUMBER() OVER ()', 'QUALIFY needs'],
  [
    'SELECT x FROM UNNEST([1, 2]) AS x QUALIFY x IN (SELECT ROW_NUMBER() OVER () FROM UNNEST([1]) AS y)',
    'QUALIFY needs a window function',
  ],
  ['SELECT id FROM logs WHERE 1', 'WHERE takes BOOL'],
  ['SELECT DISTINCT project FROM logs ORDER BY id', 'SELECT DISTINCT'],
  ['SELECT constructor(1)', 'not supported'],
  ['SELECT 1 < 2 = true', 'parentheses'],
])('%s is unsupported', (sql, reason) => {
  expect(problemsOf(sql).join()).toContain(reason);
});

test('no function is both supported and unsupported', () => {
  expect(supportedFunctions.size).toBeGreaterThanOrEqual(220);
  expect([...unsupportedFunctions.keys()].filter((name) => supportedFunctions.has(name))).toEqual([]);
});
