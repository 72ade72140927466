import { expect, test } from 'vitest';
import { outsideNames } from '../../src/syntax/outside-names.ts';
import { parseQuery } from '../../src/syntax/parse-query.ts';

const tablesIn = (sql: string): readonly string[] =>
  outsideNames(parseQuery(sql)).tables.map(({ node, isArgument, host }) => {
    const { parts } = node.kind === 'Table' ? node.path : node.name;
    const mark = `${isArgument ? 'TABLE ' : ''}${host === undefined ? 'no query: ' : ''}`;
    return mark + parts.map(({ name }) => name).join('.');
  });

test.each<[string, string, readonly string[]]>([
  [
    'a table, a path and a table function',
    'SELECT 1 FROM t, d.u JOIN query.b(n => 1) ON TRUE',
    ['t', 'd.u', 'query.b'],
  ],
  ['a name in backquotes', 'SELECT 1 FROM `query.a.b`', ['query.a.b']],
  [
    'a common table hides a table of its name',
    'WITH T AS (SELECT 1 FROM t) SELECT 1 FROM t JOIN d.t USING (a)',
    ['t', 'd.t'],
  ],
  [
    'a common table is hidden from those before it',
    'WITH a AS (SELECT 1 FROM b), b AS (SELECT 1 FROM a) SELECT 1',
    ['b'],
  ],
  [
    'WITH RECURSIVE shows all to all',
    'WITH RECURSIVE a AS (SELECT 1 FROM b), b AS (SELECT 1 FROM a) SELECT 1',
    [],
  ],
  ['a common table of a subquery', 'SELECT (WITH a AS (SELECT 1 AS x) SELECT x FROM a) FROM a', ['a']],
  ['an array of a FROM item', 'SELECT 1 FROM query, query.items JOIN r ON TRUE, r.items', ['query', 'r']],
  ['an array in a subquery', 'SELECT (SELECT COUNT(*) FROM query.items) FROM logs AS query', ['logs']],
  ['a subquery in ORDER BY', 'SELECT 1 FROM logs AS query ORDER BY (SELECT 1 FROM query.items)', ['logs']],
  [
    'a query in FROM, beside an item of that name',
    'SELECT 1 FROM logs AS q JOIN (SELECT 1 FROM q.d) ON TRUE, (SELECT (SELECT 1 FROM q.e) FROM u AS q), UNNEST(ARRAY(SELECT 1 FROM q.x))',
    ['logs', 'q.d', 'u'],
  ],
  [
    'a query in FROM of a subquery',
    'SELECT (SELECT 1 FROM (SELECT 1 FROM q.x) AS r JOIN (SELECT 1 FROM r.d) ON TRUE) FROM logs AS q',
    ['logs', 'r.d'],
  ],
  [
    'a query beside the rows of pipes',
    'FROM t AS q |> JOIN (SELECT 1 FROM q.d) ON TRUE |> AS r |> UNION ALL (SELECT 1 FROM r.d)',
    ['t', 'q.d', 'r.d'],
  ],
  [
    'a name to the right is not an array',
    'SELECT 1 FROM query.items, logs AS query',
    ['query.items', 'logs'],
  ],
  [
    'pipes',
    'FROM query.a |> JOIN b ON TRUE |> WITH c AS (SELECT 1) |> UNION ALL (SELECT 1 FROM c) |> AS q |> WHERE EXISTS (SELECT 1 FROM q.x)',
    ['query.a', 'b'],
  ],
  ['an argument', "SELECT 1 FROM GAP_FILL(TABLE query.a, ts_column => 'x')", ['GAP_FILL', 'TABLE query.a']],
  [
    'functions and values of a script',
    'DECLARE n INT64 DEFAULT (SELECT 1 FROM a); CREATE TEMP FUNCTION f() AS ((SELECT 1 FROM b)); CREATE TEMP TABLE t AS SELECT 1 FROM c; SELECT 1 FROM t',
    ['no query: b', 'no query: a', 'c'],
  ],
  ['texts and comments', "SELECT 'FROM query.a' /* FROM query.b */ FROM t -- JOIN query.c", ['t']],
  [
    'PIVOT and TABLESAMPLE',
    'SELECT 1 FROM (query.a PIVOT (SUM(x) FOR y IN (1)) AS p JOIN query.b ON TRUE) TABLESAMPLE SYSTEM (10 PERCENT)',
    ['query.a', 'query.b'],
  ],
])('%s', (_, sql, tables) => {
  expect(tablesIn(sql)).toEqual(tables);
});

test('calls and parameters are found, also in functions', () => {
  const { calls, parameters } = outsideNames(
    parseQuery('CREATE TEMP FUNCTION f(x INT64) AS (d.g(x) + @n); SELECT f(a.b.h(@m)) FROM query.b(n => @k)'),
  );
  expect(calls.map(({ name }) => name.parts.map((part) => part.name).join('.'))).toEqual([
    'd.g',
    'f',
    'a.b.h',
  ]);
  expect(parameters.map(({ name }) => name.name)).toEqual(['n', 'k', 'm']);
});
