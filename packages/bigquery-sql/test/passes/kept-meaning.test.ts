import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDialect } from '../harness.ts';

// The harness compares the rows without any pass, with all of them, and with each left out.
let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

/** A column of JSON texts that no pass replaces by its expression, since it is read twice. */
const jsonTexts = `WITH t AS (
  SELECT id, CASE MOD(id, 4)
    WHEN 0 THEN '{"a": 1.50, "b": {"c": "x", "d": [1]}}'
    WHEN 1 THEN '{"a": "1.50", "b": {"c": -0, "d": null}}'
    WHEN 2 THEN '{"b": {"c": 12.5, "d": "[1]"}, "a": [2]}'
    ELSE '{"a": 1e3, "b": {"c": 1e3}, "e": {"c": 1000.0}}' END AS s
  FROM UNNEST([1, 2, 3, 4]) AS id)
SELECT x.id, COUNT(y.id) AS n, JSON_VALUE(x.s, '$.a') AS a, MAX(JSON_VALUE(y.s, '$.b.c')) AS c, MAX(JSON_VALUE(y.s, '$.b.d')) AS d, JSON_EXTRACT_SCALAR(x.s, '$.b.c') AS e
FROM t AS x JOIN t AS y USING (id) WHERE IFNULL(JSON_VALUE(y.s, '$.e.f'), '') = '' GROUP BY x.id, x.s ORDER BY id`;

/** True if an event has a source with ports. */
const hasPorts = `e.id IN (SELECT f.id FROM events AS f CROSS JOIN UNNEST(f.detail.source) AS s
  WHERE EXISTS (SELECT 1 FROM UNNEST(s.ports) AS p WHERE p = p))`;

test.each([
  [
    'a column with a subquery that ORDER BY reads again',
    `SELECT IF(${hasPorts}, id, NULL) AS k FROM events AS e ORDER BY k + 1, id`,
    [[null], [null], [null], ['1']],
  ],
  [
    'a column with a subquery that QUALIFY reads again',
    `SELECT ${hasPorts} AS k, RANK() OVER (ORDER BY id) AS n FROM events AS e QUALIFY k AND n > 0`,
    [[true, '1']],
  ],
  [
    'a key with a subquery that HAVING and ORDER BY read again',
    `SELECT IF(${hasPorts}, 'y', 'n') AS k, COUNT(*) AS n FROM events AS e WHERE id < 4
      GROUP BY k HAVING CONCAT(k, 'x') > 'a' ORDER BY CONCAT(k, 'x')`,
    [
      ['n', '2'],
      ['y', '1'],
    ],
  ],
  [
    'a key with a subquery in several sets of groups',
    `SELECT IF(${hasPorts}, 'y', 'n') AS k, id > 2 AS late, COUNT(*) AS n FROM events AS e
      GROUP BY CUBE (k, late) HAVING k > 'a' ORDER BY k || 'x', late`,
    [
      ['n', null, '3'],
      ['n', false, '1'],
      ['n', true, '2'],
      ['y', null, '1'],
      ['y', false, '1'],
    ],
  ],
  [
    'a key with a subquery in a field, which HAVING, QUALIFY and ORDER BY read',
    `SELECT STRUCT(STRUCT(${hasPorts} AS a) AS i, l.project AS b) AS s, COUNT(*) AS n, MAX(LENGTH(l.project)) AS most
      FROM logs AS l JOIN events AS e ON e.id = l.id WHERE l.project > '' GROUP BY s
      HAVING s.i.a OR s.b = 'b' QUALIFY RANK() OVER (ORDER BY s.b) < 3 ORDER BY s.i.a, s.b`,
    [
      [{ i: { a: false }, b: 'b' }, '1', '1'],
      [{ i: { a: true }, b: 'a' }, '1', '1'],
    ],
  ],
  [
    'a number of rows that a subquery reads',
    `SELECT s.id, ARRAY(SELECT o * 10 + s.rn FROM UNNEST([1, 2]) AS o) AS a
      FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY id DESC) AS rn FROM logs ORDER BY id LIMIT 2) AS s`,
    [
      ['1', ['14', '24']],
      ['2', ['13', '23']],
    ],
  ],
  [
    'a constant key of several sets, of which a condition reads that it is not NULL',
    `SELECT COUNT(*) AS n, TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR) IS NULL AS k, GROUPING(1 + 1) AS g, 1 + 1 AS l
      FROM projects GROUP BY ROLLUP (2, 4) HAVING k IS NOT NULL AND l IS NOT NULL`,
    [['2', false, '0', '2']],
  ],
  [
    'several paths of a text of JSON',
    jsonTexts,
    [
      ['1', '1', '1.50', '-0', null, '-0'],
      ['2', '1', null, '12.5', '[1]', '12.5'],
      ['3', '1', '1e3', '1e3', null, '1e3'],
      ['4', '1', '1.50', 'x', null, 'x'],
    ],
  ],
  ['a constant column as sort key', "SELECT 'a' AS c FROM projects ORDER BY 1", [['a'], ['a']]],
  [
    'a constant column as sort key of rows around which there is another query',
    "SELECT c FROM (SELECT 'a' AS c, id FROM events ORDER BY 1, 2 LIMIT 2) LIMIT 1",
    [['a']],
  ],
  [
    'the first rows of a wide recursive query, whose later rows have NULL',
    `WITH RECURSIVE r AS (SELECT id AS k, 1 AS n, 'a' AS a, 'b' AS b, 'c' AS c FROM events WHERE id = 1
      UNION ALL SELECT CAST(NULL AS INT64), n + 1, a, b, c FROM r WHERE n < 3) SELECT k, n, a, b, c FROM r ORDER BY k, n LIMIT 9`,
    [
      [null, '2', 'a', 'b', 'c'],
      [null, '3', 'a', 'b', 'c'],
      ['1', '1', 'a', 'b', 'c'],
    ],
  ],
  [
    'the first rows of several sets of groups in a pipe',
    `FROM events |> WHERE id < 3 |> AGGREGATE COUNT(*) AS n, MIN(id) AS a, MAX(id) AS b, SUM(id) AS c GROUP BY ROLLUP (id)
      |> ORDER BY id |> LIMIT 9`,
    [
      [null, '2', '1', '2', '3'],
      ['1', '1', '1', '1', '1'],
      ['2', '1', '2', '2', '2'],
    ],
  ],
  [
    'a column that is selected twice is one key of sets of groups',
    `SELECT a, b, GROUPING(a) AS g, GROUPING(b) AS h FROM (SELECT id AS a, id AS b FROM logs WHERE id < 3)
      GROUP BY GROUPING SETS (a, b) ORDER BY a`,
    [
      ['1', '1', '0', '0'],
      ['1', '1', '0', '0'],
      ['2', '2', '0', '0'],
      ['2', '2', '0', '0'],
    ],
  ],
  [
    'two equal fields are two keys of sets of groups',
    `SELECT a, b, GROUPING(a) AS g, GROUPING(b) AS h FROM (SELECT d.kind AS a, d.kind AS b FROM (SELECT detail AS d FROM events WHERE id = 1))
      GROUP BY GROUPING SETS (a, b) ORDER BY g`,
    [
      ['a', null, '0', '1'],
      [null, 'a', '1', '0'],
    ],
  ],
  [
    'quantiles that DISTINCT compares as a whole',
    `SELECT q[OFFSET(1)] AS m FROM (SELECT DISTINCT APPROX_QUANTILES(x, 2) AS q FROM UNNEST(
      [STRUCT('a' AS s, 1 AS x), ('a', 5), ('a', 9), ('b', 2), ('b', 5), ('b', 8)]) GROUP BY s)`,
    [['5'], ['5']],
  ],
  [
    'a random value that is read twice is one value',
    'SELECT LOGICAL_AND(r = s) AS same FROM (SELECT r, r AS s FROM (SELECT RAND() AS r FROM logs))',
    [[true]],
  ],
  [
    'a random value below a window is the one that the window reads',
    'SELECT COUNT(*) AS n FROM (SELECT r = MAX(r) OVER (PARTITION BY project) AS largest FROM (SELECT project, RAND() AS r FROM logs)) WHERE largest',
    [['3']],
  ],
  [
    'one row of groups, of which nothing is read',
    'SELECT 1 AS one FROM (SELECT COUNT(*) AS n FROM events ORDER BY CURRENT_TIMESTAMP())',
    [['1']],
  ],
  [
    'QUALIFY, of whose window nothing is read',
    'SELECT k FROM (SELECT id AS k, ROW_NUMBER() OVER (ORDER BY id) AS rn FROM events QUALIFY id > 2) ORDER BY k',
    [['3'], ['4']],
  ],
  [
    'QUALIFY of groups, of whose window nothing is read',
    'SELECT k FROM (SELECT project AS k, RANK() OVER (ORDER BY COUNT(*)) AS r FROM logs GROUP BY k QUALIFY COUNT(*) > 1) ORDER BY k',
    [['a']],
  ],
  [
    'QUALIFY of ordered rows, of whose window nothing is read',
    'SELECT k FROM (SELECT id AS k, ROW_NUMBER() OVER (ORDER BY id) AS rn FROM events QUALIFY id > 1 ORDER BY k DESC LIMIT 2)',
    [['4'], ['3']],
  ],
  [
    'one row of groups beside a subquery with an aggregate',
    'SELECT COUNT(*) AS n FROM (SELECT (SELECT COUNT(*) FROM logs) AS a, COUNT(*) AS b FROM events)',
    [['1']],
  ],
  [
    'one row of groups in a common table, of which the subquery with an aggregate is read',
    `WITH q AS (SELECT (SELECT MAX(id) FROM logs) AS a, MAX(id) AS b FROM events)
      SELECT a, EXISTS(SELECT 1 FROM (SELECT (SELECT MAX(id) FROM logs) AS a, MAX(id) AS b FROM events WHERE id < 0)) AS e FROM q`,
    [['4', true]],
  ],
  [
    'NULL first, of the side of an outer join that may be missing',
    '(SELECT 0 AS id, 0 AS k FROM logs) UNION ALL (SELECT a.id, b.id FROM logs AS a FULL JOIN logs AS b ON b.id = a.id + 1) ORDER BY id, k LIMIT 3',
    [
      [null, '1'],
      ['0', '0'],
      ['0', '0'],
    ],
  ],
  [
    'an array of a subquery that reads the row to its left',
    "SELECT id, tag, t FROM logs LEFT JOIN UNNEST(tags) AS tag ON tag <> 'x' LEFT JOIN UNNEST(SPLIT(tag)) AS t ON TRUE WHERE id = 1",
    [['1', 'y', 'y']],
  ],
  [
    'an aggregate over an array of at most one record belongs to its subquery',
    'SELECT id, (SELECT COUNT(m.level) FROM UNNEST(metadata) AS m) AS n FROM logs ORDER BY id',
    [
      ['1', '1'],
      ['2', '1'],
      ['3', '0'],
      ['4', '0'],
    ],
  ],
  [
    'an aggregate over an aggregate of an array of at most one record',
    'SELECT SUM(IFNULL((SELECT MAX(LENGTH(m.level)) FROM UNNEST(metadata) AS m), 0)) AS n FROM logs',
    [['9']],
  ],
  [
    'a condition with an aggregate over an array of at most one record',
    'SELECT id FROM logs WHERE (SELECT STRING_AGG(DISTINCT m.level ORDER BY m.level) FROM UNNEST(metadata) AS m) IS NULL ORDER BY id',
    [['3'], ['4']],
  ],
  [
    'an aggregate over a column of an outer query that a subquery names',
    'SELECT id, (SELECT SUM(s.x) FROM (SELECT l.id AS x, y FROM UNNEST([1, 2]) AS y) AS s WHERE s.y < 5) AS n FROM logs AS l ORDER BY id',
    [
      ['1', '2'],
      ['2', '4'],
      ['3', '6'],
      ['4', '8'],
    ],
  ],
  [
    'a value of a constant key of several sets of groups is NULL where the key is',
    'SELECT COUNT(*) AS n, CAST(c AS STRING) AS c FROM (SELECT 7 AS c FROM projects) GROUP BY CUBE(c) ORDER BY c',
    [
      ['2', null],
      ['2', '7'],
    ],
  ],
  [
    'a window function beside a value that is computed once',
    "SELECT NULLIF(TIME '12:00:00', MIN(TIME '01:02:03') OVER ()) AS t, NULLIF(MAX(TIME '01:02:03'), MIN(MAX(TIME '01:02:03')) OVER ()) AS none FROM logs",
    [['12:00:00', null]],
  ],
  [
    'the first value of each group, whose keys may be NULL',
    `SELECT g, ARRAY_AGG(x ORDER BY k DESC LIMIT 1)[OFFSET(0)] AS a, ARRAY_AGG(x ORDER BY k LIMIT 1)[SAFE_OFFSET(0)] AS b,
       ARRAY_AGG(x ORDER BY k NULLS LAST LIMIT 1)[ORDINAL(1)] AS c, ARRAY_AGG(x ORDER BY k DESC NULLS FIRST LIMIT 1)[0] AS d,
       ARRAY_AGG(x IGNORE NULLS ORDER BY k DESC LIMIT 1)[OFFSET(0)] AS e
     FROM UNNEST([STRUCT(1 AS g, 1 AS x, 5 AS k), (1, 2, NULL), (1, NULL, 9), (2, 3, NULL), (3, NULL, 1)]) GROUP BY g ORDER BY g`,
    [
      ['1', null, '2', '1', '2', '1'],
      ['2', '3', '3', '3', '3', '3'],
      ['3', null, null, null, null, null],
    ],
  ],
  [
    'the first value by a key that may be NaN or infinite',
    `SELECT ARRAY_AGG(x ORDER BY k DESC LIMIT 1)[OFFSET(0)] AS a, ARRAY_AGG(x ORDER BY k NULLS LAST LIMIT 1)[OFFSET(0)] AS b,
       ARRAY_AGG(x ORDER BY k DESC LIMIT 4) AS c
     FROM UNNEST([STRUCT(1 AS x, CAST('nan' AS FLOAT64) AS k), (2, CAST('-inf' AS FLOAT64)), (3, NULL), (4, 2.5)])`,
    [['4', '1', ['4', '2', '1', '3']]],
  ],
  [
    'the first values of no rows, and those of fewer rows than the limit',
    `SELECT ARRAY_AGG(x ORDER BY k DESC LIMIT 1)[SAFE_OFFSET(0)] AS a, ARRAY_AGG(IF(x > 9, x, NULL) IGNORE NULLS ORDER BY k DESC LIMIT 2) AS b, ARRAY_LENGTH(ARRAY_AGG(x ORDER BY k DESC LIMIT 3)) AS n
     FROM UNNEST([STRUCT(1 AS x, 2 AS k), (2, 1)]) WHERE x < 2`,
    [['1', null, '1']],
  ],
  [
    'a condition over an array that fails for elements which the one before it leaves out',
    `SELECT id, ARRAY(SELECT t FROM UNNEST(tags) AS t WITH OFFSET AS o
       WHERE o > 0 AND t <> tags[OFFSET(o - 1)] AND 1 / (o - 2) < 0 ORDER BY o) AS a FROM logs WHERE id < 3 ORDER BY id`,
    [
      ['1', ['y']],
      ['2', []],
    ],
  ],
  [
    'AND and OR over an array, of which an operand fails for elements that another one decides',
    `SELECT ARRAY(SELECT x FROM UNNEST(p) AS x WITH OFFSET AS o WHERE o = 0 OR x <> p[OFFSET(o - 1)] ORDER BY o) AS a,
       ARRAY(SELECT x FROM UNNEST(p) AS x WITH OFFSET AS o WHERE (o > 0 AND x <> p[OFFSET(o - 1)]) OR x = 9 ORDER BY o) AS b,
       (SELECT COUNT(*) FROM UNNEST(p) AS x WITH OFFSET AS o WHERE x > 0 AND (o = 0 OR x <> p[OFFSET(o - 1)])) AS c
     FROM (SELECT 1 AS id, [3, 3, 1, NULL, 9] AS p UNION ALL SELECT 2, []) ORDER BY id`,
    [
      [['3', '1'], ['1', '9'], '2'],
      [[], [], '0'],
    ],
  ],
  [
    'subqueries over an array that may be NULL or empty',
    `SELECT id, EXISTS(SELECT 1 FROM UNNEST(tags) AS t WHERE t = 'x') AS a, EXISTS(SELECT 1 FROM UNNEST(tags)) AS b,
       NOT EXISTS(SELECT 1 FROM UNNEST(tags) AS t WHERE t > project) AS c, (SELECT COUNT(*) FROM UNNEST(tags) AS t WHERE t <> 'x') AS d,
       ARRAY(SELECT CONCAT(t, project) FROM UNNEST(tags) AS t WHERE t <> 'x') AS e, (SELECT t FROM UNNEST(tags) AS t WHERE t < 'y') AS f,
       (SELECT LENGTH(t) FROM UNNEST(tags) AS t WITH OFFSET AS i WHERE i = 0) AS g FROM logs ORDER BY id`,
    [
      ['1', true, true, false, '1', ['ya'], 'x', '1'],
      ['2', false, false, true, '0', [], null, null],
      ['3', false, true, false, '1', ['zb'], null, '1'],
      ['4', false, false, true, '0', [], null, null],
    ],
  ],
  [
    'subqueries over an array of the keys of groups',
    `SELECT SPLIT(project) AS parts, project, EXISTS(SELECT 1 FROM UNNEST(SPLIT(project)) AS t WHERE t = project) AS a,
       ARRAY(SELECT CONCAT(t, project) FROM UNNEST(SPLIT(project)) AS t) AS b, COUNT(*) AS n
     FROM logs GROUP BY project ORDER BY project`,
    [
      [null, null, false, [], '1'],
      [['a'], 'a', true, ['aa'], '2'],
      [['b'], 'b', true, ['bb'], '1'],
    ],
  ],
  [
    'subqueries over an array in the argument of an aggregate, in WHERE and beside a window',
    `SELECT id, SUM((SELECT COUNT(*) FROM UNNEST(tags) AS t WHERE t < project)) OVER () AS n, MAX(EXISTS(SELECT 1 FROM UNNEST(tags) AS t WHERE t = 'z')) OVER () AS z
     FROM logs WHERE EXISTS(SELECT 1 FROM UNNEST(tags) AS t WHERE t LIKE '%' || SUBSTR(t, 1)) ORDER BY id`,
    [
      ['1', '0', true],
      ['3', '0', true],
    ],
  ],
])('passes keep the rows of %s', async (_, sql, rows) => {
  expect(await dialect.query(sql)).toEqual(rows);
});

/** The rows of several sets of groups of one row of `events`, with `o` as the second key. */
const sets = (o: string, n: string, from = 'events WHERE id = 1') =>
  `SELECT id, ${o} AS o, ${n} AS n FROM ${from} GROUP BY ROLLUP (id, o) ORDER BY id, o`;

test.each([
  ['a literal', sets('0', 'COUNT(*) > 0'), true],
  ['a literal that an operator has', sets('1', 'COUNT(*) + 1'), '2'],
  ['a text', sets("'x'", "IF(COUNT(*) > 0, 'x', 'y')"), 'x'],
  ['a parameter', sets("IF(@s = '', 0, id)", 'COUNT(*) > 0'), true],
  [
    'the offset of a record',
    sets('o', 'COUNT(*) > 0', 'logs, UNNEST(metadata) WITH OFFSET AS o WHERE id = 1'),
    true,
  ],
  ['a literal of a subquery', sets('c', 'COUNT(*) + 1', '(SELECT id, 1 AS c FROM events WHERE id = 1)'), '2'],
  [
    'a field of a subquery',
    sets('s.c', 'COUNT(*) + 1', '(SELECT id, STRUCT(1 AS c) AS s FROM events WHERE id = 1)'),
    '2',
  ],
])('a key of several sets of groups that is %s is no other value', async (_, sql, n) => {
  const rows = await dialect.query(sql, { s: '' });
  expect(rows.map(([id, , value]) => [id, value])).toEqual([
    [null, n],
    ['1', n],
    ['1', n],
  ]);
  expect(rows.map(([, o]) => o === null)).toEqual([true, true, false]);
});

test.each([
  ['computed', sets('id + 1', 'id + 1 + 10'), null, '12'],
  [
    'computed by a subquery',
    sets('c', 'id + 1', '(SELECT id, id + 1 AS c FROM events WHERE id = 1)'),
    null,
    '2',
  ],
  ['equal to another', sets("CASE @s WHEN '' THEN id END", 'COALESCE(id, -1)'), '-1', '1'],
  ['a test', sets('id IS NULL', "IF(id IS NULL, 'total', 'part')"), 'total', 'part'],
])('an expression of a key of several sets of groups is not the key that is %s', async (_, sql, total, n) => {
  const rows = await dialect.query(sql, { s: '' });
  expect(rows.map(([, , value]) => value)).toEqual([total, n, n]);
});

test('clauses after several sets of groups know a key from its expression by its name', async () => {
  const of = (clauses: string) =>
    dialect.query(`SELECT id, id + 1 AS o FROM events WHERE id < 3 GROUP BY ROLLUP (id, 2) ${clauses}`);
  const rows = { one: ['1', null], first: ['1', '2'], two: ['2', null], second: ['2', '3'] };
  expect(await of('HAVING o = 2')).toEqual([rows.first]);
  expect(await of('HAVING id + 1 = 2 ORDER BY o')).toEqual([rows.one, rows.first]);
  expect(await of('HAVING GROUPING(id + 1) = 0 ORDER BY id')).toEqual([rows.first, rows.second]);
  expect(await of('QUALIFY RANK() OVER (ORDER BY id + 1) > 1 ORDER BY id + 1, o')).toEqual([
    rows.one,
    rows.first,
    rows.two,
    rows.second,
  ]);
});

test.each([
  [
    'rows chosen at random',
    'SELECT id, happened, detail FROM events WHERE RAND() < 2 ORDER BY happened LIMIT 2',
  ],
  [
    'the rows of a LIMIT',
    'SELECT id, happened, detail FROM (SELECT * FROM events LIMIT 3) ORDER BY happened LIMIT 2',
  ],
  [
    'numbered rows',
    'SELECT id, happened, detail, n FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY happened) AS n FROM events) WHERE n < 4 ORDER BY happened LIMIT 2',
  ],
])('top n first: %s are not read twice', async (_, sql) => {
  const { text } = await dialect.explain(sql);
  expect(text).not.toContain('querygate_threshold');
});

test.each([
  [
    'an array over a join',
    `SELECT x.v FROM logs AS a JOIN logs AS b ON a.id = b.id, UNNEST([STRUCT(LENGTH(a.project) AS v, b.project AS w)]) AS x
      WHERE a.id = 1 ORDER BY 1`,
    [['1']],
  ],
  [
    'UNPIVOT over a join',
    `SELECT name, v FROM (SELECT a.id + 1 AS p, b.id * 2 AS q FROM logs AS a JOIN logs AS b ON a.id = b.id WHERE a.id = 1)
      UNPIVOT (v FOR name IN (p, q)) ORDER BY name`,
    [
      ['p', '2'],
      ['q', '2'],
    ],
  ],
])('every plan of a saved query names the fields of %s', async (_, sql, rows) => {
  const outcomes = await dialect.savedQuery(sql, {});
  for (const outcome of outcomes) expect(outcome.rows, outcome.plan).toEqual(rows);
});

test('filter lists: a value of two elements fails with every pass and without any', async () => {
  const sql = 'SELECT (SELECT t FROM UNNEST(tags) AS t) AS t FROM logs WHERE id = 1';
  await expect(dialect.query(sql)).rejects.toThrow('More than one row');
  const outcomes = await dialect.savedQuery(sql, {});
  for (const { rows } of outcomes) expect(rows).toMatch(/more than one/i);
});

test('inline queries: a random condition is asked once for each row of its own table', async () => {
  const { text } = await dialect.explain(
    'SELECT COUNT(*) AS n FROM logs JOIN (SELECT id FROM events WHERE RAND() < 0.5) AS e ON e.id = logs.id',
  );
  expect(text).toMatch(/JOIN \(SELECT/);
});
