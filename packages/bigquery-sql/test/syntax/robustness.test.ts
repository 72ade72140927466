import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuery } from '../../src/syntax/parse-query.ts';
import { misplaced, problemOf } from './dump.ts';
import { mutationsOf } from './mutations.ts';
import { times } from '../../../../test/support/nightly.ts';

const texts = [
  ...globSync('queries/*.sql').map((file) => readFileSync(file, 'utf8')),
  "WITH a AS (SELECT r'\\'' AS b, [1, 2][OFFSET(0)] AS c) SELECT a.*, IF(TRUE, STRUCT(1 AS x), NULL).x FROM a |> WHERE c IN ((SELECT 1)) |> AGGREGATE COUNT(*) GROUP BY b",
  'SELECT CAST(a AS STRUCT<x ARRAY<INT64>>), SUM(b) OVER (PARTITION BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM `p.d.t` AS t LEFT JOIN UNNEST(t.arr) AS u WITH OFFSET o, (x JOIN y USING (z)) GROUP BY ROLLUP (a) ORDER BY 1 DESC LIMIT @n',
  "SELECT * FROM my-project.d.t PIVOT (MAX(a) FOR b IN ('c' AS d)) UNION ALL (SELECT * EXCEPT (a) REPLACE (1 AS b) FROM t)",
];

const mutated = mutationsOf(texts);

describe('no text makes anything but a tree or a SyntaxProblem', () => {
  test('mutations of queries', () => {
    fc.assert(
      fc.property(mutated, (sql) => {
        if (problemOf(sql) === undefined) expect(misplaced(parseQuery(sql))).toEqual([]);
      }),
      { numRuns: times(2_000), seed: 14 },
    );
  }, 300_000);

  test('any characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const sql of [text, `SELECT ${text}`, `SELECT '${text}'`, `SELECT \`${text}\``]) problemOf(sql);
      }),
      { numRuns: times(800), seed: 14 },
    );
  }, 300_000);
});

describe('deep or long texts', () => {
  const limitMs = 2_000;
  const timed = (sql: string) => {
    // The time of this thread alone: tests run beside others.
    const start = process.threadCpuUsage();
    const problem = problemOf(sql);
    const { user, system } = process.threadCpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(limitMs);
    return problem?.replace(/^\d+: /, '');
  };
  const tooDeep = 'expected at most 200 levels of nesting, found more';

  test.each([
    '(',
    '[',
    '- ',
    'NOT ',
    '-(',
    'f(',
    'CASE ',
    'IF(a, ',
    '(SELECT ',
    'ARRAY(',
    'EXISTS(SELECT ',
    '1 IN (',
    'a[',
    'INTERVAL ',
    'STRUCT(',
    'WITH(a AS ',
    'CAST(a AS ARRAY<',
    'f() OVER (PARTITION BY ',
  ])('100,000 times %j', (piece) => {
    expect(timed(`SELECT ${piece.repeat(100_000)}`)).toBeDefined();
  });

  test.each(['(', '((SELECT 1) UNION ALL ', '(SELECT * FROM ', '(a JOIN '])(
    '100,000 times %j in FROM',
    (piece) => {
      expect(timed(`SELECT * FROM ${piece.repeat(100_000)}`)).toBe(tooDeep);
    },
  );

  test('parentheses that close', () => {
    expect(timed(`SELECT ${'('.repeat(100_000)}1${')'.repeat(100_000)}`)).toBe(tooDeep);
    expect(problemOf(`SELECT ${'('.repeat(90)}1${')'.repeat(90)}`)).toBeUndefined();
  });

  test.each([' AND a', ' OR a = 1', ' || a', ', a'])(
    'a chain of 100,000 times %j is one flat node',
    (piece) => {
      expect(timed(`SELECT a${piece.repeat(100_000)}`)).toBeUndefined();
    },
  );

  test('a chain of 20,000 set operations is flat', () => {
    expect(timed(`SELECT 1${' UNION ALL SELECT 1'.repeat(20_000)}`)).toBeUndefined();
  });

  test('a chain of pipe operators is bounded, in each query by itself', () => {
    const pipes = ' |> WHERE a'.repeat(200);
    expect(problemOf(`WITH b AS (FROM t${pipes}) FROM b${pipes}`)).toBeUndefined();
    const tooMany =
      'expected at most 200 pipe operators, found more: begin with those before it as a WITH query';
    expect(timed(`FROM t${' |> WHERE a'.repeat(20_000)}`)).toBe(tooMany);
    expect(problemOf(`SELECT (FROM t${pipes} |> SELECT a)`)).toContain(tooMany);
  });

  test('each pipe operator is a level of what it is over', () => {
    const nested = (times: number) =>
      `${'FROM ('.repeat(times)}FROM t${' |> WHERE a'.repeat(100)}${`)${' |> WHERE a'.repeat(100)}`.repeat(times)}`;
    expect(problemOf(nested(2))).toBeUndefined();
    expect(problemOf(nested(3))).toContain('expected at most 400 levels of operators, joins and subqueries');
  });

  test.each([' + a', ' - 1', '[0]'])('a chain that nests is bounded: 100,000 times %j', (piece) => {
    expect(timed(`SELECT f()${piece.repeat(100_000)}`)).toBe(
      'expected at most 400 levels of operators, joins and subqueries, found more',
    );
    expect(problemOf(`SELECT f()${piece.repeat(150)}`)).toBeUndefined();
  });

  test('many joins', () => {
    expect(problemOf(`SELECT * FROM t${' JOIN t USING (a)'.repeat(300)}`)).toBeUndefined();
    expect(timed(`SELECT * FROM t${' JOIN t USING (a)'.repeat(50_000)}`)).toBe(
      'expected at most 400 levels of operators, joins and subqueries, found more',
    );
    expect(timed(`SELECT * FROM t${' JOIN t'.repeat(50_000)}${' ON a'.repeat(50_000)}`)).toBe(
      'expected at most 400 levels of operators, joins and subqueries, found more',
    );
  });

  test.each([
    ['digits', `SELECT ${'9'.repeat(1_000_000)}`],
    ['a name', `SELECT ${'a'.repeat(1_000_000)}`],
    ['a string', `SELECT '${'\\n'.repeat(500_000)}'`],
    ['a string without end', `SELECT '${'a'.repeat(1_000_000)}`],
    ['blanks', `SELECT ${' '.repeat(1_000_000)}1`],
    ['comments', `SELECT ${'/**/'.repeat(250_000)}1`],
    ['dots', `SELECT * FROM \`${'a.'.repeat(500_000)}a\``],
    ['elements', `SELECT [1${',1'.repeat(500_000)}]`],
    ['backquotes', '`'.repeat(1_000_000)],
  ])('a megabyte of %s', (_what, sql) => {
    timed(sql);
  });
});
