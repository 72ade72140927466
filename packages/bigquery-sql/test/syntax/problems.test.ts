import { expect, test } from 'vitest';
import { problemOf } from './dump.ts';

test.each([
  ['SELECT f(1 from t', '11: expected ")" or ",", found "from"'],
  ['SELECT (1 + 2', '13: expected ")" or ",", found the end of the text'],
  ['SELECT FROM t', '7: expected a column, found "FROM"'],
  ['SELECT a,, b', '9: expected an expression, found ","'],
  ['SELECT x, as y FROM t', '10: expected an expression, found "as"'],
  ['SELECT CASE WHEN 1 THEN END', '24: expected an expression, found "END"'],
  [
    'SELECT 1 AS at FROM t',
    '12: expected a name after AS, found "at", a reserved word: for a name, write `at` in backquotes',
  ],
  [
    'SELECT 1 FROM [p:d.t]',
    '14: expected the name of a table, as in `project.dataset.table`, because legacy SQL is not supported, found "["',
  ],
  ['\n#legacySQL\nSELECT a FROM t1, t2', '1: legacy SQL is not supported: write the query in GoogleSQL'],
  ["SELECT 1 AS 'a'", '12: expected a name after AS, found a string: a name is written in backquotes'],
  ['SELECT * FROM WHERE x', '14: expected the name of a table, found "WHERE"'],
  ['SELECT a = b = c', '13: expected parentheses around the comparison before an operator, found "="'],
  ['SELECT a IN 1', '12: expected "(" or "UNNEST", found "1"'],
  ['SELECT a IN ()', '13: expected an expression, found ")"'],
  ['SELECT a IS 1', '12: expected "NULL", "TRUE", "FALSE", "UNKNOWN" or "DISTINCT FROM", found "1"'],
  ['SELECT a BETWEEN 1, 2', '18: expected "AND" of BETWEEN, found ","'],
  ['SELECT CASE a END', '14: expected "WHEN", found "END"'],
  ['SELECT CASE WHEN a THEN 1', '25: expected "WHEN", "ELSE" or "END", found the end of the text'],
  ['SELECT CAST(a, INT64)', '13: expected "AS" and a type, found ","'],
  ['SELECT CAST(a AS ARRAY)', '22: expected "<" after ARRAY, found ")"'],
  ['SELECT EXTRACT(DAY, a)', '18: expected "FROM", found ","'],
  ['SELECT INTERVAL 1', '17: expected a part of an interval such as DAY, found the end of the text'],
  ['SELECT ARRAY(1)', '13: expected "SELECT" or a query in parentheses, found "1"'],
  ['SELECT UNNEST([1])', '7: expected an expression, found "UNNEST", which is allowed in FROM and after IN'],
  ['SELECT STRUCT<a INT64>(1 AS a)', '25: expected ")" or "," (the type names the fields), found "AS"'],
  ['SELECT WITH(a AS 1)', '18: expected ",", found ")"'],
  ['SELECT f(a) OVER', '16: expected "(" or the name of a window after OVER, found the end of the text'],
  ['SELECT f(a) OVER (ROWS 1)', '24: expected "PRECEDING" or "FOLLOWING", found ")"'],
  [
    'SELECT @{a = 1} b',
    '8: expected the name of a parameter after "@", found "{": hints are not supported: leave @{…} out',
  ],
  ['SELECT a WHERE b', '9: expected "FROM" before "WHERE", found "WHERE"'],
  ['SELECT a FROM t GROUP a', '22: expected "BY", found "a"'],
  [
    'SELECT a FROM t LIMIT 1 ORDER BY a',
    '24: expected the end of the query, found "ORDER": ORDER BY comes before LIMIT',
  ],
  ['SELECT 1 UNION SELECT 2', '15: expected "ALL" or "DISTINCT", found "SELECT"'],
  ['SELECT 1 FULL UNION ALL SELECT 2', '24: expected "BY NAME" or "CORRESPONDING", found "SELECT"'],
  [
    'SELECT 1 UNION ALL SELECT 2 UNION DISTINCT SELECT 3',
    '28: expected the same set operator as before, or parentheses, found another one',
  ],
  ['WITH a AS SELECT 1 SELECT 2', '10: expected "(", found "SELECT"'],
  ['WITH a AS (1) SELECT 2', '11: expected a query, found "1"'],
  ['WITH a AS (SELECT 1), SELECT 2', '22: expected the name of a common table, found "SELECT"'],
  ['SELECT * FROM t UNPIVOT ((a, b) FOR c IN (d))', '42: expected 2 columns as before FOR, found 1'],
  [
    'SELECT\u200b1',
    '6: expected a character of GoogleSQL, found the invisible U+200B: write a blank, or nothing',
  ],
  [
    'SELECT 1\u1680',
    '8: expected a character of GoogleSQL, found the invisible U+1680: write a blank, or nothing',
  ],
  [
    'SELECT 1\u180e',
    '8: expected a character of GoogleSQL, found the invisible U+180E: write a blank, or nothing',
  ],
  [
    '\ufeffSELECT \ufeff1',
    '8: expected a character of GoogleSQL, found the invisible U+FEFF: write a blank, or nothing',
  ],
  ['SELECT é', '7: expected a character of GoogleSQL, found "é"'],
  ['SELECT a FROM t$2', '15: expected the end of the query, found "$"'],
  ['SELECT a == b', '10: expected an expression, found "=": write = once'],
  ['SELECT a <=> b', '11: expected an expression, found ">": write IS NOT DISTINCT FROM'],
  [
    'SELECT a FROM t WHERE b ILIKE c',
    '24: expected the end of the query, found "ILIKE": write LOWER(…) LIKE \'…\'',
  ],
  [
    'SELECT a FROM t MINUS SELECT b',
    '22: expected the end of the query, found "SELECT": write EXCEPT DISTINCT',
  ],
  [
    "SELECT '1'::INT64",
    '10: expected the end of the query, found ":": write CAST(value AS TYPE) for value::TYPE',
  ],
  [
    "SELECT a->>'b'",
    `9: expected an expression, found ">": write JSON_VALUE(json, '$.name'), or JSON_QUERY for a part of it`,
  ],
  ['SELECT a % b', '9: expected the end of the query, found "%": write MOD(a, b)'],
  ["SELECT a ~ 'b'", '9: expected the end of the query, found "~": write REGEXP_CONTAINS(text, pattern)'],
  ['SELECT a && b', '10: expected an expression, found "&": write AND'],
  ['SELECT TOP 10 a FROM t', '11: expected the end of the query, found "10": write LIMIT 10 at the end'],
  ['SELECT a FROM t LIMIT 10, 20', '24: expected the end of the query, found ",": write LIMIT 20 OFFSET 10'],
  [
    'SELECT a FROM t FETCH FIRST 1 ROW',
    '16: expected the end of the query, found "FETCH": write LIMIT and a number',
  ],
  ['SELECT a FROM t WHERE b = :c', '26: expected an expression, found ":": a parameter is written @name'],
  [
    'SELECT a FROM t WHERE b = {{ c }}',
    '26: expected an expression, found "{": a parameter is written @name',
  ],
  [
    "SELECT a FROM {{ ref('b') }}",
    '14: expected the name of a table, found "{": templates are not run here: take the SQL that dbt compile writes',
  ],
  [
    'SELECT a FROM b.c@2',
    '17: expected the end of the query, found "@": a name with - or @ is in backquotes',
  ],
  [
    'SELECT a FROM b.c-d',
    '17: expected the end of the query, found "-": a name with - or @ is in backquotes',
  ],
  ['SELECT a FROM t WHERE b = $c', '26: expected an expression, found "$": a parameter is written @name'],
  ['SELECT 1 // one', '10: expected an expression, found "/": a comment begins with -- or #'],
  ['SELECT a FROM "t"', '14: expected the name of a table, found a string: a name is written in backquotes'],
  [
    'SELECT a FROM t WHERE b = ‘c’',
    `26: expected a character of GoogleSQL, found "‘": write a straight quote, '`,
  ],
  ['SELECT 1， 2', '8: expected a character of GoogleSQL, found "，": write ,'],
  ['SELECT ＠a', '7: expected a character of GoogleSQL, found "＠": write @'],
  ['SELECT 2 – 1', '9: expected a character of GoogleSQL, found "–": write -'],
  ['SELECT 2 − 1', '9: expected a character of GoogleSQL, found "−": write -'],
  ['SELECT аmount', '7: expected a character of GoogleSQL, found "а" (U+0430), which looks like a: write a'],
  [
    "SELECT INTERVAL '1 day'",
    '16: expected a number and a part outside of quotes, found a string: write INTERVAL 1 DAY',
  ],
  [
    "SELECT INTERVAL '-3 months'",
    '16: expected a number and a part outside of quotes, found a string: write INTERVAL -3 MONTH',
  ],
  ["SELECT 1 + 'abc", "11: expected ' at the end of the string that starts here, found none"],
  ["SELECT 1 2 'abc", '9: expected the end of the query, found "2"'],
])('%s is refused: %s', (sql, problem) => {
  expect(problemOf(sql)).toBe(problem);
});

test.each([
  ...['SELECT x, one FROM t', 'SELECT one, x FROM t', 'SELECT DISTINCT one FROM t', 'SELECT one.x FROM t'],
  ...['SELECT 1 AS one FROM t', 'SELECT x + one FROM t', 'SELECT MAX(one) FROM t', 'SELECT [one] FROM t'],
  ...['SELECT x FROM t WHERE one = 1', 'SELECT x FROM t WHERE one IS NULL', 'SELECT x FROM one'],
  ...['SELECT x FROM t GROUP BY one', 'SELECT x FROM t ORDER BY one DESC', 'SELECT * EXCEPT (one) FROM t'],
  ...['WITH one AS (SELECT 1 AS x) SELECT x FROM t', 'FROM t |> WHERE one > 1 |> SELECT one'],
])('a reserved word as a name is said to need backquotes: %s', (sql) => {
  const words =
    'order group select from where having limit window union by if case end interval range array struct exists left in like is desc rows groups any default hash to set';
  for (const word of words.split(' '))
    expect(problemOf(sql.replace('one', word))).toMatch(
      `found "${word}", a reserved word: for a name, write \`${word}\` in backquotes`,
    );
});

test('a comma before a clause is no list of names', () => {
  for (const sql of [
    'SELECT x, FROM t',
    'FROM t |> AGGREGATE COUNT(*) AS n, GROUP AND ORDER BY x',
    'SELECT ARRAY<INT64>[1] < x, STRUCT<INT64>(1), INTERVAL -1 DAY, CASE -x WHEN 1 THEN 2 END, NULL, TRUE, FROM t',
    'SELECT CASE WHEN x THEN 1 ELSE 2 END, FROM t',
  ])
    expect(problemOf(sql)).toBeUndefined();
});

test.each(
  `SELECT
  SELECT ()
  SELECT (1,)
  SELECT [1,]
  SELECT (1, 2 AS b)
  SELECT (a AS b)
  SELECT f(SELECT 1)
  SELECT f(, a)
  SELECT f(a, )
  SELECT f(DISTINCT)
  SELECT f(x ORDER BY y IGNORE NULLS)
  SELECT f(x) IGNORE NULLS OVER ()
  SELECT f(x) OVER (ORDER BY b GROUPS 1 PRECEDING)
  SELECT a.*.b FROM t
  SELECT a[] FROM t
  SELECT a[0, 1] FROM t
  SELECT * AS x FROM t
  SELECT * EXCEPT () FROM t
  SELECT * EXCEPT a FROM t
  SELECT * REPLACE (1 AS a) EXCEPT (a) FROM t
  SELECT 1 NOT 2
  SELECT 1 + NOT a
  SELECT a = NOT b
  SELECT a IS NOT NOT NULL
  SELECT a LIKE 'x' ESCAPE '!'
  SELECT a = ANY (1, 2)
  SELECT a % b
  SELECT 'a' COLLATE 'und:ci'
  SELECT STRUCT(1 a)
  SELECT ARRAY<INT64>(SELECT 1)
  SELECT EXISTS (1)
  SELECT DISTINCT ON (a) 1
  SELECT AS STRUCT DISTINCT 1
  SELECT x -> x + 1
  SELECT hash FROM t
  SELECT interval FROM t
  SELECT 1 EXCEPT SELECT 2
  SELECT 1 UNION ALL STRICT BY NAME SELECT 2
  SELECT 1 UNION ALL SELECT 2 ORDER BY 1 UNION ALL SELECT 3
  (SELECT 1) + 1
  VALUES (1)
  TABLE t
  SELECT * FROM LATERAL t
  SELECT * FROM 't'
  SELECT * FROM t,
  SELECT * FROM t x y
  SELECT * FROM t AS x (a, b)
  SELECT * FROM ((a JOIN b ON TRUE))
  SELECT * FROM (a JOIN b ON TRUE) AS x
  SELECT * FROM a, b ON TRUE
  SELECT * FROM t JOIN u USING a
  SELECT * FROM t JOIN u USING (t.a)
  SELECT * FROM t OUTER JOIN u ON TRUE
  SELECT * FROM t FOR SYSTEM_TIME AS OF ts AS x
  SELECT * FROM t TABLESAMPLE SYSTEM (10)
  SELECT * FROM t PIVOT (SUM(x) FOR y IN (SELECT 1))
  SELECT * FROM t PIVOT (SUM(x) FOR y IN ())
  SELECT * FROM UNNEST [1]
  SELECT * FROM f(SELECT 1)
  SELECT a FROM t GROUP BY a AS b
  SELECT a FROM t GROUP BY ROLLUP (())
  SELECT a FROM t WINDOW w AS () QUALIFY TRUE
  SELECT a FROM t WHERE a WHERE b
  SELECT a FROM t ORDER BY a NULLS
  SELECT 1 FOR UPDATE
  ;SELECT 1`.split(/\n\s*/),
)('not GoogleSQL: %s', (sql) => {
  expect(problemOf(sql)).toBeDefined();
});
