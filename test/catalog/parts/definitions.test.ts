import { problemAt } from '@querygate/bigquery-sql/problem';
import { compileTree } from '@querygate/bigquery-sql/tree';
import { describe, expect, test } from 'vitest';
import { parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import type { CatalogFiles } from '../../../src/catalog/folder/read-folder.ts';
import { readParts } from '../../../src/catalog/folder/read-parts.ts';
import { describeProblem, StartError } from '../../../src/errors.ts';
import { queryText } from '../../support/queries.ts';

type Texts = Readonly<Record<string, string>>;

const filesOf = (texts: Texts): CatalogFiles =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { text }]));

const reader = (sql: string) => queryText({ name: 'reader', columns: { x: 'integer' }, sql });

/** The SQL of a saved query beside some definitions, its white space as one blank. */
const linked = (sql: string, texts: Texts): string =>
  parseCatalog('', filesOf({ 'reader.sql': reader(sql), ...texts }))
    .queries[0]?.sql.replace(/\s+/g, ' ')
    .trim() ?? '';

function problemsIn(texts: Texts): readonly string[] {
  try {
    parseCatalog('', filesOf({ 'reader.sql': reader('SELECT 1 AS x'), ...texts }));
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.problems.map(describeProblem);
  }
}

test('a view with the name of a table is one problem: its readers read the table', () => {
  const table = JSON.stringify([{ name: 'x', type: 'INT64' }]);
  const texts = { 'views/t.sql': 'CREATE VIEW t AS SELECT 1 AS y', 'tables/t.json': table };
  expect(linked('SELECT x FROM t', { 'tables/t.json': table })).toBe('SELECT x FROM t');
  expect(problemsIn({ ...texts, 'reader.sql': reader('SELECT x FROM t') })).toEqual([
    'views/t.sql:1 t is also the table of tables/t.json: give the view another name, or a data set',
  ]);
});

test('a query that cannot be read leaves no parameter of its reader unused', () => {
  const text = queryText({
    name: 'reader',
    columns: { x: 'integer' },
    parameters: { shop: 'string' },
    sql: 'SELECT x FROM query.misspelt',
  });
  expect(problemsIn({ 'reader.sql': text })).toEqual([
    expect.stringMatching(/^reader.sql:11:15 no saved query is named misspelt/),
  ]);
});

describe('functions in JavaScript', () => {
  const notJavascript = 'not valid JavaScript: SyntaxError:';

  test.each([
    [
      'an expression without its end',
      'CREATE FUNCTION udf.f(a INT64) RETURNS INT64 LANGUAGE js AS "return a +"',
      '1:61',
    ],
    [
      'a line of several',
      'CREATE FUNCTION udf.f(a INT64) RETURNS INT64 LANGUAGE js AS r"""\n  const b = a;\n  return b b;\n""";',
      '3:1',
    ],
    [
      'escaped line breaks',
      String.raw`CREATE FUNCTION udf.f() RETURNS INT64 LANGUAGE js AS "\nreturn (";`,
      '1:54',
    ],
    [
      'a second definition',
      'CREATE FUNCTION a() AS (1);\nCREATE FUNCTION b() RETURNS INT64 LANGUAGE js AS "}";',
      '2:50',
    ],
    [
      'an aggregate',
      'CREATE AGGREGATE FUNCTION udf.f(a FLOAT64) RETURNS FLOAT64 LANGUAGE js AS r"""\nexport function initialState() { return {;\n""";',
      '2:1',
    ],
  ])('are compiled: %s', (_, text, place) => {
    expect(problemsIn({ 'functions/f.sql': text })).toEqual([
      expect.stringContaining(`functions/f.sql:${place} ${notJavascript}`),
    ]);
  });

  test('of a query are compiled too, and none is run', () => {
    const own = (code: string) =>
      `CREATE TEMP FUNCTION f(x INT64) RETURNS INT64 LANGUAGE js AS '${code}'; SELECT f(1) AS x`;
    expect(problemsIn({ 'reader.sql': reader(own('return (')) })).toEqual([
      expect.stringMatching(/^reader.sql:9:62 not valid JavaScript: SyntaxError: /),
    ]);
    expect(problemsIn({ 'reader.sql': reader(own('throw new Error()')) })).toEqual([]);
  });
});

describe('views', () => {
  const views = {
    'views/daily.sql':
      'CREATE OR REPLACE VIEW `my-project.stats.daily` AS SELECT x FROM stats.raw; CREATE VIEW alone AS SELECT 2 AS x;',
  };

  test.each([
    ['my-project.stats.daily', 'daily'],
    ['`my-project`.stats.Daily', 'Daily'],
    ['`my-project.stats.daily`', 'daily'],
    ['stats.daily', 'daily'],
    ['alone', 'alone'],
  ])('are read as %s', (name, alias) => {
    expect(linked(`SELECT x FROM ${name}`, views)).toMatch(
      new RegExp(`^WITH part_\\w+ AS \\( SELECT .* \\) SELECT x FROM part_\\w+ AS \`${alias}\`$`),
    );
  });

  test('of a data set named query have a project, in the file and where they are read', () => {
    const texts = { 'views/q.sql': 'CREATE VIEW `my-project.query.daily` AS SELECT 3 AS x' };
    expect(linked('SELECT x FROM my-project.query.daily', texts)).toMatch(/^WITH part_\w+ AS \( SELECT 3/);
    expect(problemsIn({ 'views/q.sql': 'CREATE VIEW Query.daily AS SELECT 3 AS x' })).toEqual([
      'views/q.sql:1:1 Query.daily would be a saved query: write the project of the view before it, as in my-project.Query.daily',
    ]);
    expect(
      problemsIn({ ...texts, 'a.sql': reader('SELECT x FROM query.daily').replaceAll('reader', 'a') }),
    ).toEqual([
      expect.stringMatching(
        /^a.sql:\d+:15 no saved query is named daily; a table of a data set named query has/,
      ),
    ]);
  });

  test.each(['other.stats.daily', 'daily', 'stats.raw', 'a.my-project.stats.daily'])(
    'are not read as %s',
    (name) => {
      expect(linked(`SELECT x FROM \`${name}\``, views)).toBe(`SELECT x FROM \`${name}\``);
    },
  );

  test('that no query reads are checked as their queries', () => {
    const texts = { 'views/v.sql': 'CREATE VIEW d.v (a) AS SELECT 1 AS x; CREATE VIEW d.w AS SELECT 2 AS x' };
    const { unreadParts = [] } = parseCatalog(
      '',
      filesOf({ 'reader.sql': reader('SELECT 1 AS x'), ...texts }),
    );
    expect(unreadParts.map(({ sql }) => sql.trim())).toEqual(['SELECT 1 AS x', 'SELECT 2 AS x']);
  });

  test('are hidden by a common table of the same name, and by a temporary one', () => {
    for (const sql of [
      'WITH alone AS (SELECT 1 AS x) SELECT x FROM alone',
      'CREATE TEMP TABLE alone AS SELECT 1 AS x; SELECT x FROM alone',
    ])
      expect(linked(sql, views)).toBe(sql);
  });

  test('have the names of their list of columns', () => {
    const texts = {
      'views/v.sql':
        'CREATE VIEW d.v (day, n, `a b`) AS SELECT DATE(ts) AS d, COUNT(*), t.x FROM t GROUP BY d, t.x UNION ALL SELECT 1, 2, 3',
    };
    expect(linked('SELECT n AS x FROM d.v', texts)).toBe(
      'WITH part_d_v AS ( SELECT `d` AS `day`, `part_column` AS `n`, `x` AS `a b` FROM ( SELECT DATE(ts) AS d, COUNT(*) AS part_column, t.x FROM t GROUP BY d, t.x UNION ALL SELECT 1, 2, 3 ) ) SELECT n AS x FROM part_d_v AS `v`',
    );
  });

  test('are listed with the columns that their readers see', () => {
    const texts = {
      'views/v.sql': `CREATE VIEW d.v (n, suf) AS SELECT COUNT(*), s FROM d.raw GROUP BY s;
        CREATE VIEW \`my-project.d.w\` (a, b) AS SELECT s AS x, 1 AS y FROM d.raw UNION ALL BY NAME SELECT 2 AS y, 'c' AS x;
        CREATE VIEW alone (k, l) AS SELECT AS STRUCT s, 3 AS t FROM d.raw;
        CREATE VIEW d.raw AS SELECT 'a' AS s;`,
    };
    const files = filesOf({
      'reader.sql': reader('SELECT 1 AS x FROM INFORMATION_SCHEMA.COLUMNS'),
      ...texts,
    });
    const columnsOf = (sql: string) =>
      compileTree({ sql, source: { file: '', line: 1 } }, []).columns.map(({ name }) => name);
    expect(
      parseCatalog('', files).queries[0]?.listedViews?.map(({ name, sql }) => [name, ...columnsOf(sql)]),
    ).toEqual([
      ['d.v', 'n', 'suf'],
      ['my-project.d.w', 'a', 'b'],
      ['alone', 'k', 'l'],
      ['d.raw', 's'],
    ]);
  });

  test('read views and queries', () => {
    const texts = {
      'views/a.sql': 'CREATE VIEW d.a AS SELECT x FROM d.b',
      'views/b.sql': 'CREATE VIEW d.b AS SELECT x FROM query.base(n => 1)',
      'base.sql':
        '/*---\nserve: off\nparameters: { n: { type: integer, bind: INT64, description: N. } }\n---*/\nSELECT @n AS x',
    };
    expect(linked('SELECT x FROM d.a', texts)).toBe(
      'WITH part_base AS ( SELECT 1 AS x ), part_d_b AS ( SELECT x FROM part_base AS `base` ), part_d_a AS ( SELECT x FROM part_d_b AS `b` ) SELECT x FROM part_d_a AS `a`',
    );
  });
});

describe('functions', () => {
  const functions = {
    'functions/all.sql': `CREATE FUNCTION d.plus(n INT64) AS (p.d.one() + n);
      CREATE OR REPLACE FUNCTION p.d.one() RETURNS INT64 LANGUAGE js AS r"""return 1""";
      CREATE TEMP FUNCTION IF NOT EXISTS alone(x ANY TYPE) AS (x);
      CREATE AGGREGATE FUNCTION d.total(n INT64) AS (SUM(n));`,
  };

  test.each([
    ['d.plus(1)', 'part_d_plus(1)'],
    ['my.d.Plus(1)', 'part_d_plus(1)'],
    ['`any.d`.plus(1)', 'part_d_plus(1)'],
    ['ALONE(d.plus(2))', 'part_alone(part_d_plus(2))'],
    ['d.one()', 'part_p_d_one()'],
    ['other.d.one()', 'other.d.one()'],
    ['SAFE.d.plus(1)', 'SAFE.d.plus(1)'],
    ['plus(1)', 'plus(1)'],
    ['d.total(1)', 'part_d_total(1)'],
  ])('%s is %s', (call, expected) => {
    expect(linked(`SELECT ${call} AS x`, functions)).toMatch(
      new RegExp(`SELECT ${RegExp.escape(expected)} AS x$`),
    );
  });

  test('precede the query, each after those that it calls', () => {
    expect(linked('SELECT d.total(d.plus(1)) AS x', functions)).toBe(
      'CREATE TEMP AGGREGATE FUNCTION part_d_total(n INT64) AS (SUM(n)); CREATE TEMP FUNCTION part_p_d_one() RETURNS INT64 LANGUAGE js AS r"""return 1"""; CREATE TEMP FUNCTION part_d_plus(n INT64) AS (part_p_d_one() + n); SELECT part_d_total(part_d_plus(1)) AS x',
    );
  });

  test("are hidden by the query's own", () => {
    const sql = 'CREATE TEMP FUNCTION Alone(x INT64) AS (x); SELECT alone(1) AS x';
    expect(linked(sql, functions)).toBe(sql);
  });
});

test.each<[string, Texts, readonly string[]]>([
  [
    'two definitions of a name',
    {
      'views/a.sql': 'CREATE VIEW p.d.v AS SELECT 1 AS x',
      'views/b.sql': '\nCREATE VIEW D.V AS SELECT 1 AS x',
    },
    ['views/b.sql:2 D.V is already defined in views/a.sql'],
  ],
  [
    "functions with names of BigQuery's, which queries would no longer call",
    {
      'functions/f.sql':
        'CREATE TEMP FUNCTION Upper(a STRING) AS (a);\nCREATE FUNCTION net.host(a STRING) AS (a);\nCREATE FUNCTION safe.f(a STRING) AS (a);\nCREATE FUNCTION own.upper(a STRING) AS (a);',
    },
    [
      'functions/f.sql:1:1 Upper is a function of BigQuery: give this one another name, or a data set',
      'functions/f.sql:2:1 net.host is a function of BigQuery: give this one another name, or a data set',
      'functions/f.sql:3:1 safe.f is a function of BigQuery: give this one another name, or a data set',
    ],
  ],
  [
    'a name of two projects without its project',
    {
      'views/a.sql': 'CREATE VIEW p.d.v AS SELECT 1 AS x; CREATE VIEW q.d.v AS SELECT 1 AS x',
      'reader.sql': reader('SELECT x FROM d.v'),
    },
    ['reader.sql:9:15 d.v is p.d.v in views/a.sql and q.d.v in views/a.sql: write its project'],
  ],
  [
    'a view and a function that read themselves',
    {
      'views/a.sql': 'CREATE VIEW d.v AS SELECT x FROM d.v',
      'functions/f.sql': 'CREATE FUNCTION d.f() AS (d.g()); CREATE FUNCTION d.g() AS (d.f());',
    },
    [
      'views/a.sql:1:34 d.v reads itself: views/a.sql:1 → views/a.sql',
      'functions/f.sql:1:27 d.f reads itself: functions/f.sql:1 → functions/f.sql:1 → functions/f.sql',
    ],
  ],
  [
    'a view that passes on a parameter, and a function that reads a view',
    {
      'views/a.sql': 'CREATE VIEW d.v AS SELECT x FROM query.base',
      'functions/f.sql': 'CREATE FUNCTION d.f() AS ((SELECT x FROM d.v));',
      'base.sql':
        '/*---\nserve: off\nparameters: { n: { type: string, description: N. } }\n---*/\nSELECT @n AS x',
    },
    [
      'views/a.sql:1:34 @n is a parameter of base.sql, and a view has none: bind it: query.base(n => …)',
      'functions/f.sql:1:42 d.v cannot be read in a function, or in DECLARE, SET and IF: read it in the query',
    ],
  ],
  [
    'columns without a name, or with that of another one, and two ways to keep a definition',
    {
      'views/a.sql': 'CREATE VIEW d.a AS SELECT t.x, 2 FROM t',
      'views/b.sql': 'CREATE VIEW d.b AS SELECT t.x, *, X FROM t',
      'views/c.sql': 'CREATE VIEW d.c (a, A) AS SELECT 1, 2',
      'views/d.sql': 'CREATE VIEW d.d AS SELECT AS STRUCT 1, 2',
      'functions/f.sql': 'CREATE OR REPLACE FUNCTION IF NOT EXISTS d.f() AS (1)',
    },
    [
      'views/a.sql:1:1 a column of the view has no name: add AS and a name',
      'views/b.sql:1:1 the query of the view returns two columns named x',
      'views/c.sql:1:1 the view lists two columns named a',
      'functions/f.sql:1:28 IF NOT EXISTS and OR REPLACE exclude each other',
    ],
  ],
  [
    'a list of columns for * and for another number of columns',
    {
      'views/a.sql': 'CREATE VIEW d.v (a) AS SELECT * FROM t;',
      'views/b.sql': 'CREATE VIEW d.w (a) AS SELECT 1, 2',
    },
    [
      'views/a.sql:1:1 a view with a list of columns names each of them in its SELECT, without *',
      'views/b.sql:1:1 the view lists 1 columns, and its query returns 2',
    ],
  ],
  [
    'parameters',
    {
      'views/a.sql': 'CREATE VIEW d.v AS SELECT @project AS x',
      'functions/f.sql': 'CREATE FUNCTION d.f() AS (@n)',
    },
    [
      'views/a.sql:1:27 a view has no parameters: @project',
      'functions/f.sql:1:27 a function has no parameters: @n',
    ],
  ],
  [
    'a view of the name of a table',
    {
      'views/a.sql': 'CREATE VIEW T AS SELECT 1 AS x; CREATE VIEW d.t AS SELECT 1 AS x',
      'tables/t.json': '[{"name": "x", "type": "INT64"}]',
    },
    ['views/a.sql:1 T is also the table of tables/t.json: give the view another name, or a data set'],
  ],
  [
    'definitions with a mistake, but not those that use them',
    {
      'reader.sql': reader('SELECT x FROM d.V JOIN `p.d.w` USING (x) JOIN d.f(1) USING (x) WHERE d.g(x)'),
      'views/v.sql': 'DROP VIEW d.v;\nCREATE OR REPLACE VIEW `p`.`d.v` AS SELECT 1 AS x',
      'views/w.sql': 'CREATE MATERIALIZED VIEW IF NOT EXISTS d.w (a, b) AS SELECT 1 AS x',
      'functions/f.sql': 'CREATE TABLE FUNCTION d.f(n INT64) AS SELECT 1 AS x',
      'functions/g.sql': 'CREATE FUNCTION d.g(n INT64) AS (n +)',
    },
    [
      'views/v.sql:1:1 expected "CREATE VIEW" or "CREATE FUNCTION", found "DROP"',
      'views/w.sql:1:1 the view lists 2 columns, and its query returns 1',
      'functions/f.sql:1:1 CREATE TABLE FUNCTION is not supported: a saved query with parameters can be read like one',
      'functions/g.sql:1:37 expected an expression, found ")"',
    ],
  ],
  [
    'a function in JavaScript for values of any type, which BigQuery does not have',
    { 'functions/f.sql': 'CREATE FUNCTION d.f(a INT64, b ANY TYPE) RETURNS INT64 LANGUAGE js AS "return a"' },
    ['functions/f.sql:1:30 JavaScript takes no parameter of ANY TYPE'],
  ],
  [
    'names of four parts',
    {
      'views/v.sql':
        'CREATE VIEW `p.d`.e.v AS SELECT 1 AS x; CREATE VIEW `example.com:p.d.v` AS SELECT 1 AS x',
      'functions/f.sql': 'CREATE FUNCTION p.d.e.f() AS (1)',
    },
    [
      'views/v.sql:1:1 p.d.e.v has too many parts: a project, a data set and a name',
      'functions/f.sql:1:1 p.d.e.f has too many parts: a project, a data set and a name',
    ],
  ],
  [
    'a view that is read like a table function',
    { 'views/v.sql': 'CREATE VIEW d.v AS SELECT 1 AS x', 'reader.sql': reader('SELECT x FROM d.v()') },
    ['reader.sql:9:15 d.v is a view, which has no brackets and no arguments'],
  ],
  [
    'two arguments of a name',
    {
      'functions/f.sql': 'CREATE FUNCTION d.f(a INT64, A INT64) AS (1)',
      'functions/g.sql':
        'CREATE FUNCTION d.g(n INT64, b INT64, `N` INT64) RETURNS INT64 LANGUAGE js AS "return n"',
    },
    ['functions/f.sql:1:30 two arguments are named A', 'functions/g.sql:1:39 two arguments are named N'],
  ],
  [
    'a query among definitions',
    { 'views/a.sql': 'SELECT 1' },
    ['views/a.sql:1:1 expected "CREATE VIEW" or "CREATE FUNCTION", found "SELECT"'],
  ],
])('%s: refused', (_, texts, problems) => {
  expect(problemsIn(texts)).toEqual(problems);
});

test('a definition that reads itself through others is no query by itself, in none of their files', () => {
  const files = filesOf({
    'views/v.sql': 'CREATE VIEW d.v AS SELECT x FROM d.w',
    'views/w.sql': 'CREATE VIEW d.w AS SELECT x FROM d.v',
    'functions/f.sql': 'CREATE FUNCTION d.f(n INT64) AS (d.g(n))',
    'functions/g.sql': 'CREATE FUNCTION d.g(n INT64) AS (d.f(n))',
  });
  const { asQueries } = readParts('', files);
  expect(
    [...files.keys()].map((path) => asQueries(path).flatMap((part) => part.problems.map(describeProblem))),
  ).toEqual([
    ['views/v.sql:1:34 d.v reads itself: views/v.sql:1 → views/w.sql:1 → views/v.sql'],
    ['views/v.sql:1:34 d.v reads itself: views/v.sql:1 → views/w.sql:1 → views/v.sql'],
    ['functions/f.sql:1:34 d.f reads itself: functions/f.sql:1 → functions/g.sql:1 → functions/f.sql'],
    ['functions/f.sql:1:34 d.f reads itself: functions/f.sql:1 → functions/g.sql:1 → functions/f.sql'],
  ]);
});

describe('many definitions in a file', () => {
  const calls = 'd.f0(1) + d.f1(2)';
  const definition = (at: number) => `CREATE FUNCTION d.f${at}(a INT64) AS (a + ${at});`;

  test('are not all put together with a query that calls two, nor with one another', () => {
    const text = Array.from({ length: 1_000 }, (_, at) => definition(at)).join('\n');
    const files = filesOf({ 'functions/f.sql': text, 'reader.sql': reader(`SELECT ${calls} AS x`) });
    const { queries, unreadParts } = parseCatalog('', files);
    const lengths = [...queries, ...(unreadParts ?? [])].map(({ source }) =>
      (source.written?.texts ?? []).reduce((sum, one) => sum + one.text.length, 0),
    );
    expect(lengths).toHaveLength(999);
    expect(Math.max(...lengths)).toBeLessThan(5 * definition(999).length);
  });

  test('have their places, also in one line', () => {
    const text = `-- Two in a line.\n${definition(0)} ${definition(1)}`;
    const files = filesOf({ 'functions/f.sql': text, 'reader.sql': reader(`SELECT ${calls} AS x`) });
    const [query] = parseCatalog('', files).queries;
    if (query === undefined) throw new Error('no query');
    const placeOf = (part: string) => {
      const { file, line, column } = problemAt(query.sql, query.source, query.sql.indexOf(part), '');
      return `${file}:${line}:${column}`;
    };
    expect(placeOf('a + 0')).toBe('functions/f.sql:2:35');
    expect(placeOf('a + 1')).toBe('functions/f.sql:2:77');
  });
});
