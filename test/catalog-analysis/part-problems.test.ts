import { expect, test } from 'vitest';
import { unreadProblems } from '../../src/catalog-analysis/sql-problems.ts';
import { buildAnalyze } from '../../src/catalog-analysis/analyze-catalog.ts';
import { parseCatalog } from '../../src/catalog/folder/load-catalog.ts';
import { describeProblem, StartError } from '../../src/errors.ts';
import { partText, queryText } from '../support/queries.ts';

/** The problems of a folder with a saved query, and of the parts that no query reads. */
function problemsIn(sql: string, texts: Readonly<Record<string, string>>): readonly string[] {
  const files = { 'reader.sql': queryText({ name: 'reader', columns: { x: 'integer' }, sql }), ...texts };
  const contents = new Map(Object.entries(files).map(([path, text]) => [path, { text }]));
  const catalog = buildAnalyze({ sql: 'bigquery' })(parseCatalog('', contents));
  const ofQueries = catalog.queries.flatMap((query) => {
    try {
      catalog.analysisOf(query).compiled();
      return [];
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return error.problems;
    }
  });
  return [...ofQueries, ...unreadProblems(catalog, { sql: 'bigquery' })].map(describeProblem);
}

test('functions over rows that no query calls are checked as such', () => {
  const texts = {
    'functions/f.sql': `CREATE AGGREGATE FUNCTION d.total(n INT64) AS (SUM(n));
CREATE AGGREGATE FUNCTION d.scaled(n FLOAT64, k FLOAT64 NOT AGGREGATE) AS (SUM(n) * k);
CREATE AGGREGATE FUNCTION d.wrong(n INT64) AS (SUM(m));`,
  };
  expect(problemsIn('SELECT 1 AS x', texts)).toEqual(['functions/f.sql:3:52 no column is named m']);
});

test('scripts and WITH RECURSIVE are refused in a part that no query reads, at their place', () => {
  const texts = {
    's.sql': partText('DECLARE n INT64; SELECT n AS x'),
    'r.sql': partText('WITH RECURSIVE a AS (SELECT 1 AS x) SELECT x FROM a'),
    'views/v.sql': 'CREATE VIEW d.v AS\nWITH RECURSIVE n AS (SELECT 1 AS x) SELECT x FROM n',
  };
  expect(problemsIn('SELECT 1 AS x', texts)).toEqual([
    's.sql:4:1 s.sql is a script, which no query can read: write its tables in a WITH clause',
    'r.sql:4:1 r.sql begins with WITH RECURSIVE, so that no query can read it',
    'views/v.sql:2:1 views/v.sql begins with WITH RECURSIVE, so that no query can read it',
  ]);
});

test('a function that cannot run has one problem, and its callers none', () => {
  const texts = {
    'functions/f.sql': "CREATE FUNCTION d.f(n INT64) RETURNS INT64 LANGUAGE python AS 'n';",
    'functions/g.sql': 'CREATE FUNCTION d.g(n INT64) AS (d.f(n) + 1);',
  };
  expect(problemsIn('SELECT d.g(1) + d.f(2) AS x', texts)).toEqual([
    'functions/f.sql:1:53 functions in python are not supported, only in SQL and js',
  ]);
});

test('tests behind functions are no part of them', () => {
  const texts = {
    'functions/f.sql': `CREATE FUNCTION d.f(n INT64) AS (n);
-- Tests
SELECT assert.equals(1, d.f(1)), missing.f(2);
ASSERT d.f(1) = 1 AS 'f';`,
  };
  expect(problemsIn('SELECT d.f(1) AS x', texts)).toEqual([]);
});

test('problems have the names that authors wrote', () => {
  const texts = {
    'base.sql': partText('SELECT 1 AS x'),
    'views/v.sql': 'CREATE VIEW `my-project.d.v` AS SELECT 1 AS x, 2 AS y',
    'functions/f.sql': 'CREATE FUNCTION d.plus(a INT64, b INT64) AS (a + b)',
  };
  expect(problemsIn('SELECT d.plus(1) + D.Plus(b => 1, c => 2) AS x', texts)).toEqual([
    'reader.sql:9:8 d.plus takes 2 arguments',
    'reader.sql:9:35 d.plus has no argument named c',
  ]);
  expect(problemsIn('SELECT x FROM query.base UNION ALL SELECT x, y FROM d.v', texts)[0]).not.toMatch(
    /part_/,
  );
});
