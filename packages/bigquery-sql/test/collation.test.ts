import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analyze } from '../src/index.ts';
import { openDialect, problemsOf } from './harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

const texts = `(SELECT COLLATE(y, 'und:ci') AS x, y FROM UNNEST(['a', 'B', 'b', 'Ä', 'A', NULL, 'Ａ']) AS y)`;

describe('texts with the collation und:ci are compared by letters and accents, without case', () => {
  test.each([
    [`x = 'a'`, ['A', 'a', 'Ａ']],
    [`'B' = x`, ['B', 'b']],
    [`x <> 'a'`, ['B', 'b', 'Ä']],
    [`x > 'Ä'`, ['B', 'b']],
    [`x IN ('ä', 'B')`, ['B', 'b', 'Ä']],
    [`x NOT IN ('ä', 'B')`, ['A', 'a', 'Ａ']],
    [`x IN (SELECT 'b')`, ['B', 'b']],
    [`x IN UNNEST(['b'])`, ['B', 'b']],
    [`'b' IN UNNEST([x])`, ['B', 'b']],
    [`x BETWEEN 'A' AND 'b'`, ['A', 'B', 'a', 'b', 'Ä', 'Ａ']],
    [`x IS NOT DISTINCT FROM 'A'`, ['A', 'a', 'Ａ']],
    [`NULLIF(x, 'A') IS NULL AND y IS NOT NULL`, ['A', 'a', 'Ａ']],
    [`CASE x WHEN 'b' THEN TRUE END`, ['B', 'b']],
    [`IF(TRUE, x, y) = 'B'`, ['B', 'b']],
    [`COALESCE(y, x) = 'B'`, ['B', 'b']],
    [`STRUCT(x, 1) = ('B', 1)`, ['B', 'b']],
    [`COLLATE(x, '') = 'B'`, ['B']],
  ])('%s', async (condition, rows) => {
    const found = await dialect.query(`SELECT y FROM ${texts} WHERE ${condition} ORDER BY y`);
    expect(found).toEqual(rows.map((row) => [row]));
  });

  test.each([
    [`SELECT y FROM ${texts} ORDER BY x, y`, [null, 'A', 'a', 'Ａ', 'Ä', 'B', 'b']],
    [`SELECT y FROM ${texts} ORDER BY y COLLATE 'und:ci' DESC, y`, ['B', 'b', 'Ä', 'A', 'a', 'Ａ', null]],
    [`SELECT x FROM ${texts} ORDER BY 1, y LIMIT 3`, [null, 'A', 'a']],
    [`SELECT c FROM UNNEST([COLLATE('B', 'und:ci'), 'c', 'a']) AS c ORDER BY c`, ['a', 'B', 'c']],
    [
      `SELECT COLLATE(y, 'und:ci') AS x FROM UNNEST(['a', 'B', 'Ä']) AS y UNION ALL SELECT 'AA' ORDER BY x LIMIT 3`,
      ['a', 'Ä', 'AA'],
    ],
    [`SELECT n FROM (SELECT y, RANK() OVER (ORDER BY x) AS n FROM ${texts}) WHERE y = 'Ä'`, ['5']],
    [
      `SELECT t FROM UNNEST((SELECT ARRAY_AGG(y ORDER BY x DESC, y) FROM ${texts})) AS t`,
      ['B', 'b', 'Ä', 'A', 'a', 'Ａ', null],
    ],
  ])('%s', async (sql, rows) => {
    const found = await dialect.query(sql);
    const sorted = (values: readonly unknown[]) => (sql.includes('UNION') ? values.toSorted() : values);
    expect(sorted(found.map(([value]) => value))).toEqual(sorted(rows));
  });

  test('in joins', async () => {
    const pairs = `SELECT a.y, b.y FROM ${texts} AS a JOIN ${texts} AS b USING (x) WHERE a.y < b.y ORDER BY 1, 2`;
    expect(await dialect.query(pairs)).toEqual([
      ['A', 'a'],
      ['A', 'Ａ'],
      ['B', 'b'],
      ['a', 'Ａ'],
    ]);
  });

  test.each([
    ['COUNT(DISTINCT x)', '3'],
    ["MIN(x) = 'a'", true],
    ["MAX(IF(y < 'c', x, NULL)) = 'B'", true],
    ["ANY_VALUE(x) IN ('a', 'b', 'ä')", true],
    ['MAX((SELECT SUM(n) FROM (SELECT COUNT(*) OVER (PARTITION BY x) AS n FROM t)))', '15'],
    [
      "LOGICAL_OR(CONCAT(x, 'z') = 'BZ') AND LOGICAL_OR(x || y = 'BB') AND LOGICAL_OR(SUBSTR(UPPER(x), 1, 1) = 'b')",
      true,
    ],
    ['MAX(LENGTH(x))', '1'],
  ])('%s is %s', async (expression, value) => {
    expect(await dialect.query(`WITH t AS ${texts} SELECT ${expression} FROM t`)).toEqual([[value]]);
  });

  test.each([
    [`SELECT UPPER(x) AS u, COUNT(*) FROM ${texts} GROUP BY x ORDER BY x`],
    [`SELECT UPPER(x) AS u, COUNT(*) FROM ${texts} GROUP BY 1 ORDER BY 1`],
    [`SELECT UPPER(x) AS u, COUNT(*) FROM ${texts} GROUP BY u ORDER BY u`],
    [`SELECT UPPER(x) AS u, COUNT(*) FROM ${texts} GROUP BY ALL ORDER BY u`],
    [
      `SELECT UPPER(x), (SELECT COUNT(*) FROM ${texts} AS t WHERE t.x IS NOT DISTINCT FROM u.x) FROM (SELECT x FROM ${texts} UNION DISTINCT SELECT 'b') AS u ORDER BY x`,
    ],
    [
      `SELECT UPPER(x), n FROM (SELECT DISTINCT x, COUNT(*) OVER (PARTITION BY x) AS n FROM ${texts}) ORDER BY x`,
    ],
    [`FROM ${texts} |> AGGREGATE COUNT(*) AS n GROUP BY x |> ORDER BY x |> SELECT UPPER(x), n`],
    [
      `FROM ${texts} |> EXTEND COUNT(*) OVER (PARTITION BY x) AS n |> SELECT x, n |> DISTINCT |> ORDER BY x |> SELECT UPPER(x), n`,
    ],
  ])('%s', async (sql) => {
    const rows = await dialect.query(sql);
    // Which of the texts that are equal stands for its group is not said.
    expect(rows.map(([text, count]) => [String(text).normalize('NFKC'), count])).toEqual([
      ['null', '1'],
      ['A', '3'],
      ['Ä', '1'],
      ['B', '2'],
    ]);
  });

  test('and are STRING in a result', () => {
    const { columns } = analyze(`SELECT x, [x] AS xs FROM ${texts}`, { tables: [] });
    expect(columns.map(({ type }) => type)).toEqual(['STRING', 'ARRAY<STRING>']);
  });
});

describe('what would have to compare them in another way, or to pass the collation on, is refused', () => {
  const type = "STRING COLLATE 'und:ci'";
  test.each([
    ["SELECT STRPOS(x, 'a')", `STRPOS of ${type} is not supported: COLLATE(text, '') removes a collation`],
    ["SELECT x LIKE 'a'", `LIKE does not take (${type}, STRING)`],
    ["SELECT GREATEST(x, 'a')", `GREATEST of ${type} is not supported`],
    ['SELECT MAX_BY(y, x)', `MAX_BY of ${type} is not supported`],
    ['SELECT ANY_VALUE(y HAVING MAX x)', `HAVING of ${type} is not supported`],
    ['SELECT APPROX_COUNT_DISTINCT(x)', `APPROX_COUNT_DISTINCT of ${type} is not supported`],
    ["SELECT ARRAY_TO_STRING([x], '')", `ARRAY_TO_STRING of ARRAY<${type}> is not supported`],
    ['SELECT TO_JSON(STRUCT(x))', `TO_JSON of STRUCT<x ${type}> is not supported`],
    [
      'SELECT STRUCT(x) IS DISTINCT FROM STRUCT(y)',
      `STRUCT<x ${type}> cannot be compared with IS DISTINCT FROM`,
    ],
    ['SELECT CAST(x AS BYTES)', `CAST AS BYTES does not take (${type})`],
    ['SELECT ARRAY_AGG(DISTINCT x)', `ARRAY_AGG(DISTINCT …) does not take ${type}`],
    ["SELECT COLLATE(x, 'de')", "a collation is the literal 'und:ci', or '' for none"],
    ['SELECT COLLATE(x, y)', "a collation is the literal 'und:ci', or '' for none"],
    ["SELECT COLLATE(1, 'und:ci')", 'COLLATE does not take INT64'],
    ['SELECT COLLATE(x)', 'COLLATE takes a text and a collation'],
  ])('%s', (sql, message) => {
    expect(problemsOf(`${sql} FROM ${texts}`)[0]).toContain(message);
  });

  test.each([
    [`SELECT x FROM ${texts} GROUP BY ROLLUP(x)`, `GROUP BY of several sets does not take ${type}`],
    [`SELECT DISTINCT STRUCT(x) FROM ${texts}`, `SELECT DISTINCT does not take STRUCT<x ${type}>`],
    [`FROM ${texts} |> SELECT [x] AS xs |> DISTINCT`, `SELECT DISTINCT does not take ARRAY<${type}>`],
    [
      `SELECT * FROM (SELECT x, y, 1 AS n FROM ${texts}) PIVOT(SUM(n) FOR y IN ('a'))`,
      `PIVOT of ${type} is not supported`,
    ],
    [`SELECT x FROM ${texts} EXCEPT DISTINCT SELECT 'a'`, `EXCEPT DISTINCT does not take ${type}`],
    [
      "WITH RECURSIVE r AS (SELECT COLLATE('a', 'und:ci') AS c UNION DISTINCT SELECT 'A' FROM r) SELECT c FROM r",
      `WITH RECURSIVE of ${type} is not supported`,
    ],
    [`SELECT * FROM ${texts} PIVOT(COUNT(y) FOR x IN ('a' AS a))`, `PIVOT of ${type} is not supported`],
    [`SELECT y FROM ${texts} ORDER BY y COLLATE 'de'`, "COLLATE takes 'und:ci' or 'binary'"],
    ["SELECT 1 AS n ORDER BY n COLLATE 'und:ci'", 'COLLATE does not take INT64'],
  ])('%s', (sql, message) => {
    expect(problemsOf(sql)[0]).toContain(message);
  });
});
