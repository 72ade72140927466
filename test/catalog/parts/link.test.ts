import { expect, test } from 'vitest';
import { CatalogError, parseCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import type { CatalogFiles } from '../../../src/catalog/folder/read-folder.ts';
import { describeProblem, StartError } from '../../../src/errors.ts';
import { partText, queryText } from '../../support/queries.ts';

type Texts = Readonly<Record<string, string>>;

const filesOf = (texts: Texts): CatalogFiles =>
  new Map(Object.entries(texts).map(([path, text]) => [path, { text }]));

/** A saved query with the column x, whose SQL begins in line 9, or later if it has parameters. */
const reader = (sql: string, parameters: Texts = {}) =>
  queryText({ name: 'reader', columns: { x: 'integer' }, sql, parameters });

/** The SQL of the saved query `reader` after it was linked, its white space as one blank. */
function linked(texts: Texts): string {
  const { queries } = parseCatalog('', filesOf(texts));
  const query = queries.find(({ name }) => name === 'reader');
  return query?.sql.replace(/\s+/g, ' ').trim() ?? '';
}

function problemsIn(texts: Texts): readonly string[] {
  try {
    parseCatalog('', filesOf(texts));
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.problems.map(describeProblem);
  }
}

const base = partText('SELECT 1 AS x');

test.each<[string, string, string, Texts]>([
  [
    'a part is a common table, under the name by which BigQuery knows it',
    'SELECT base.x FROM query.base',
    'WITH part_base AS ( SELECT 1 AS x ) SELECT base.x FROM part_base AS `base`',
    { 'base.sql': base },
  ],
  [
    'an alias stays, and a part is there once',
    'SELECT a.x FROM query.base AS a JOIN query.base b USING (x)',
    'WITH part_base AS ( SELECT 1 AS x ) SELECT a.x FROM part_base AS a JOIN part_base b USING (x)',
    { 'base.sql': base },
  ],
  [
    'a name with dots, dashes or a version is in backquotes, in one pair or in two',
    'SELECT x FROM query.`usage.base-2@2`, `query.usage.base-2@2` AS b',
    'WITH part_usage_base_2_2 AS ( SELECT 1 AS x ) SELECT x FROM part_usage_base_2_2 AS `base-2@2`, part_usage_base_2_2 AS b',
    { 'usage.base-2@2.sql': base },
  ],
  [
    'parts precede the common tables of the reader',
    'WITH base AS (SELECT x FROM query.base) SELECT x FROM base',
    'WITH part_base AS ( SELECT 1 AS x ), base AS (SELECT x FROM part_base AS `base`) SELECT x FROM base',
    { 'base.sql': base },
  ],
  [
    'a part reads parts, which precede it',
    'SELECT x FROM query.outer_part',
    'WITH part_base AS ( SELECT 1 AS x ), part_outer_part AS ( SELECT x FROM part_base AS `base` ) SELECT x FROM part_outer_part AS `outer_part`',
    { 'base.sql': base, 'outer_part.sql': partText('SELECT x FROM query.base; -- all') },
  ],
  [
    'a served query is a part too',
    'SELECT x FROM query.served',
    'WITH part_served AS ( SELECT 2 AS x ORDER BY x LIMIT 3 ) SELECT x FROM part_served AS `served`',
    {
      'served.sql': queryText({
        name: 'served',
        columns: { x: 'integer' },
        sql: 'SELECT 2 AS x ORDER BY x LIMIT 3',
      }),
    },
  ],
  [
    'functions of a part come before the query, under names of their own',
    'CREATE TEMP FUNCTION f(a INT64) AS (a); SELECT f(x) AS x FROM query.base',
    'CREATE TEMP FUNCTION part_f(a INT64) AS (a + 1); CREATE TEMP FUNCTION part_g(a INT64) AS (part_f(a)); CREATE TEMP FUNCTION f(a INT64) AS (a); WITH part_base AS ( SELECT part_g(1) AS x ) SELECT f(x) AS x FROM part_base AS `base`',
    {
      'base.sql': partText(
        'CREATE TEMP FUNCTION f(a INT64) AS (a + 1); CREATE TEMP FUNCTION G(a INT64) AS (F(a)); SELECT g(1) AS x',
      ),
    },
  ],
  [
    'names that some text has are not taken',
    'WITH part_base AS (SELECT 2 AS x) SELECT x FROM query.base UNION ALL SELECT x FROM part_base',
    'WITH part_base_3 AS ( SELECT PART_BASE_2 AS x FROM t ), part_base AS (SELECT 2 AS x) SELECT x FROM part_base_3 AS `base` UNION ALL SELECT x FROM part_base',
    { 'base.sql': partText('SELECT PART_BASE_2 AS x FROM t') },
  ],
  [
    'an argument of a table function has no alias',
    "SELECT x FROM GAP_FILL(TABLE query.base, ts_column => 'x')",
    "WITH part_base AS ( SELECT 1 AS x ) SELECT x FROM GAP_FILL(TABLE part_base, ts_column => 'x')",
    { 'base.sql': base },
  ],
  [
    'brackets around the query, and pipes',
    '(FROM query.base |> SELECT x)',
    '(WITH part_base AS ( SELECT 1 AS x ) FROM part_base AS `base` |> SELECT x)',
    { 'base.sql': partText('((SELECT 1 AS x))') },
  ],
  [
    'each query of a script has its parts',
    'DECLARE n INT64 DEFAULT 1; CREATE TEMP TABLE t AS SELECT f(x) AS x FROM query.base; SELECT x FROM t JOIN query.base USING (x)',
    'DECLARE n INT64 DEFAULT 1;CREATE TEMP FUNCTION part_f(a INT64) AS (a); CREATE TEMP TABLE t AS WITH part_base AS ( SELECT part_f(1) AS x ) SELECT f(x) AS x FROM part_base AS `base`; WITH part_base_2 AS ( SELECT part_f(1) AS x ) SELECT x FROM t JOIN part_base_2 AS `base` USING (x)',
    { 'base.sql': partText('CREATE TEMP FUNCTION f(a INT64) AS (a); SELECT f(1) AS x') },
  ],
  [
    'functions are behind the semicolon of DECLARE, not one in a comment before it',
    'DECLARE n INT64 /* ; */; SELECT x FROM query.base',
    'DECLARE n INT64 /* ; */;CREATE TEMP FUNCTION part_f(a INT64) AS (a); WITH part_base AS ( SELECT part_f(1) AS x ) SELECT x FROM part_base AS `base`',
    { 'base.sql': partText('CREATE TEMP FUNCTION f(a INT64) AS (a); SELECT f(1) AS x') },
  ],
  [
    'texts, comments, arrays and other data sets are left as they are',
    "SELECT 'FROM query.base' AS t, x /* FROM query.base */ FROM logs AS query, query.base, my.query.base",
    "SELECT 'FROM query.base' AS t, x /* FROM query.base */ FROM logs AS query, query.base, my.query.base",
    { 'base.sql': base },
  ],
])('%s', (_, sql, expected, texts) => {
  expect(linked({ 'reader.sql': reader(sql), ...texts })).toBe(expected);
});

const byProject = partText('SELECT x FROM t WHERE p = @project AND n < @n LIMIT @n', {
  project: 'string',
  n: '{ type: integer, bind: INT64, description: N. }',
});
const projectAndN = {
  project: 'string',
  n: '{ type: integer, bind: INT64, default: 3, description: N. }',
  other: 'string',
};

test.each([
  ['capital letters', 'Base.sql', 'base'],
  ['letters apart from their accents', 'gro\u0308\u00dfe.sql', 'gr\u00f6\u00dfe'],
])('a file with %s is read by its name', (_, file, name) => {
  const texts = { 'reader.sql': reader(`SELECT x FROM query.\`${name}\``), [file]: base };
  expect(linked(texts)).toMatch(/^WITH part_\w+ AS \( SELECT 1 AS x \)/);
});

test('parameters pass on by their names', () => {
  const { project, n } = projectAndN;
  const texts = {
    'reader.sql': reader('SELECT x FROM query.base JOIN query.base(project => @project) AS b USING (x)', {
      project,
      n,
    }),
    'base.sql': byProject,
  };
  expect(linked(texts)).toBe(
    'WITH part_base AS ( SELECT x FROM t WHERE p = @project AND n < @n LIMIT @n ) SELECT x FROM part_base AS `base` JOIN part_base AS b USING (x)',
  );
  const [query] = parseCatalog('', filesOf(texts)).queries;
  expect(query?.parameters.find(({ name }) => name === 'n')?.min).toBe('0');
});

test.each<[string, string, string]>([
  [
    'a parameter',
    'SELECT x FROM query.base(project => @other) WHERE @project = @other',
    'WITH part_base AS ( SELECT x FROM t WHERE p = @other AND n < @n LIMIT @n ) SELECT x FROM part_base AS `base` WHERE @project = @other',
  ],
  [
    'literals, also negative ones and texts with quotes',
    "SELECT x FROM query.base(n => 7, project => 'it''s') b WHERE @project = @other AND @n = 1",
    "WITH part_base AS ( SELECT x FROM t WHERE p = 'it''s' AND n < 7 LIMIT 7 ) SELECT x FROM part_base b WHERE @project = @other AND @n = 1",
  ],
  [
    'other arguments, which make another table of it',
    "SELECT x FROM query.base(project => 'a') AS a JOIN query.base(n => -1, project => \"a\") AS c USING (x) JOIN query.base(project=>'a') USING (x) WHERE @project = @other",
    'WITH part_base AS ( SELECT x FROM t WHERE p = \'a\' AND n < @n LIMIT @n ), part_base_2 AS ( SELECT x FROM t WHERE p = "a" AND n < CAST(-1 AS INT64) LIMIT CAST(-1 AS INT64) ) SELECT x FROM part_base AS a JOIN part_base_2 AS c USING (x) JOIN part_base AS `base` USING (x) WHERE @project = @other',
  ],
])('an argument takes the place of a parameter: %s', (_, sql, expected) => {
  const text = sql.replace("'it''s'", `"it's"`);
  const texts = { 'reader.sql': reader(text, projectAndN), 'base.sql': byProject };
  expect(linked(texts)).toBe(expected.replace("'it''s'", `"it's"`));
});

test('arguments pass through parts', () => {
  const middle = partText(
    'SELECT x FROM query.base(n => 5) UNION ALL SELECT x FROM query.base(project => @p, n => 6)',
    { project: 'string', p: 'string' },
  );
  const sql = 'SELECT x FROM query.middle(project => @other, p => @project)';
  const { project, other } = projectAndN;
  const texts = {
    'reader.sql': reader(sql, { project, other }),
    'base.sql': byProject,
    'middle.sql': middle,
  };
  expect(linked(texts)).toBe(
    'WITH part_base AS ( SELECT x FROM t WHERE p = @other AND n < 5 LIMIT 5 ), part_base_2 AS ( SELECT x FROM t WHERE p = @project AND n < 6 LIMIT 6 ), part_middle AS ( SELECT x FROM part_base AS `base` UNION ALL SELECT x FROM part_base_2 AS `base` ) SELECT x FROM part_middle AS `middle`',
  );
});

test('literals have the type of the parameter', () => {
  const typed = partText('SELECT @f AS f, @d AS d, @l AS l, @b AS b', {
    f: '{ type: float, bind: FLOAT64, description: F. }',
    d: '{ type: date, bind: DATE, description: D. }',
    l: '{ type: integer, repeated: true, description: L. }',
    b: '{ type: boolean, bind: BOOL, description: B. }',
  });
  const sql = "SELECT 1 AS x FROM query.typed(f => 3, d => '2026-01-31', l => [1, -2], b => NULL)";
  expect(linked({ 'reader.sql': reader(sql), 'typed.sql': typed })).toContain(
    "SELECT CAST( 3.0 AS FLOAT64) AS f, CAST('2026-01-31' AS DATE) AS d, ARRAY<INT64>[ 1 , CAST(-2 AS INT64)] AS l, CAST(NULL AS BOOL) AS b",
  );
});

test('literals of the type of the parameter stay literals, which some places require', () => {
  const typed = partText(
    'SELECT PERCENTILE_CONT(x, @f) OVER () AS p, NTILE(@n) OVER (ORDER BY x) AS t, @l AS l FROM t',
    {
      f: '{ type: float, bind: FLOAT64, description: F. }',
      n: '{ type: integer, bind: INT64, description: N. }',
      l: '{ type: string, repeated: true, description: L. }',
    },
  );
  const linkedWith = (f: string) => {
    const sql = `SELECT 1 AS x FROM query.typed(f => ${f}, n => +1, l => array < String >['a'])`;
    return linked({ 'reader.sql': reader(sql), 'typed.sql': typed });
  };
  expect(linkedWith('0.5')).toContain(
    "SELECT PERCENTILE_CONT(x, 0.5 ) OVER () AS p, NTILE( 1 ) OVER (ORDER BY x) AS t, ARRAY<STRING>[ 'a' ] AS l",
  );
  expect(linkedWith('1')).toContain('PERCENTILE_CONT(x, 1.0 )');
  expect(linkedWith('+1e0')).toContain('PERCENTILE_CONT(x, 1e0 )');
});

test('literals are no positions, and of no other type than the parameter', () => {
  const typed = partText(
    `SELECT x, SUM(NUMERIC '1' / @f) AS f, STRING_AGG(s ORDER BY @n LIMIT @n) AS l
      FROM t TABLESAMPLE SYSTEM (@f PERCENT) WHERE x > @n GROUP BY x, @n, ROLLUP (@s)
      QUALIFY SUM(x) OVER (PARTITION BY (@n) ORDER BY x RANGE @f PRECEDING) > 1 ORDER BY @n, x + @n, @m`,
    {
      f: '{ type: float, bind: FLOAT64, description: F. }',
      n: '{ type: integer, bind: INT64, description: N. }',
      m: '{ type: integer, bind: INT64, description: M. }',
      s: '{ type: string, description: S. }',
    },
  );
  const sql = "SELECT 1 AS x FROM query.typed(f => 1.5, n => 1, s => 'a', m => @m)";
  const m = { m: '{ type: integer, bind: INT64, description: M. }' };
  expect(linked({ 'reader.sql': reader(sql, m), 'typed.sql': typed })).toContain(
    `SELECT x, SUM(NUMERIC '1' / CAST( 1.5 AS FLOAT64)) AS f, STRING_AGG(s ORDER BY CAST( 1 AS INT64) LIMIT 1 ) AS l FROM t TABLESAMPLE SYSTEM ( 1.5 PERCENT) WHERE x > 1 GROUP BY x, CAST( 1 AS INT64), ROLLUP (CAST( 'a' AS STRING)) QUALIFY SUM(x) OVER (PARTITION BY (CAST( 1 AS INT64)) ORDER BY x RANGE 1.5 PRECEDING) > 1 ORDER BY CAST( 1 AS INT64), x + 1 , @m`,
  );
});

test.each<[string, Texts, readonly string[]]>([
  [
    'a part that is not there',
    { 'reader.sql': reader('SELECT x\n  FROM query.bsae'), 'base.sql': base },
    ['reader.sql:10:8 no saved query is named bsae; did you mean query.base?'],
  ],
  [
    'a view that begins with WITH RECURSIVE',
    {
      'reader.sql': reader('SELECT x FROM d.v'),
      'views/v.sql': 'CREATE VIEW d.v AS WITH RECURSIVE n AS (SELECT 1 AS x) SELECT x FROM n',
    },
    ['reader.sql:9:15 views/v.sql begins with WITH RECURSIVE, so that no query can read it'],
  ],
  [
    'a bound date that does not exist: one problem, at the argument',
    {
      'reader.sql': reader("SELECT x FROM query.a(d => '2026-02-30')"),
      'a.sql': partText('SELECT 1 AS x FROM t WHERE y > @d AND z > @d', {
        d: '{ type: date, bind: DATE, description: D. }',
      }),
    },
    ["reader.sql:9:28 d: invalid DATE literal: 2026-02-30; write it as in '2026-01-31'"],
  ],
  [
    'bound numbers that their types do not have',
    {
      'reader.sql': reader('SELECT x FROM query.a(n => -1e30, m => 1.0e28, b => [5.79e38, 1e38])'),
      'a.sql': partText('SELECT 1 AS x FROM t WHERE y > @n + @m AND y NOT IN UNNEST(@b)', {
        n: '{ type: float, bind: NUMERIC, description: N. }',
        m: '{ type: float, bind: NUMERIC, description: M. }',
        b: '{ type: float, bind: BIGNUMERIC, repeated: true, max_items: 2, description: B. }',
      }),
    },
    [
      'reader.sql:9:28 n: -1e30 is outside the range of NUMERIC',
      'reader.sql:9:53 b: 5.79e38 is outside the range of BIGNUMERIC',
    ],
  ],
  [
    'parts in a circle are one problem, whichever file reads them',
    {
      'reader.sql': reader('SELECT x FROM query.b'),
      'a.sql': partText('SELECT x\nFROM query.b'),
      'b.sql': partText('SELECT x FROM query.c'),
      'c.sql': partText('SELECT x FROM query.a'),
    },
    ['a.sql:5:6 query.a reads itself: a.sql:5 → b.sql:4 → c.sql:4 → a.sql'],
  ],
  [
    'a query that reads itself',
    { 'reader.sql': reader('SELECT x FROM query.reader') },
    ['reader.sql:9:15 query.reader reads itself: reader.sql:9 → reader.sql'],
  ],
  [
    'a mistake in a part is one problem, at its place, however many queries read it',
    {
      'reader.sql': reader('SELECT x FROM query.base'),
      'b.sql': queryText({ name: 'b', columns: { x: 'integer' }, sql: 'SELECT x FROM query.base' }),
      'base.sql': partText('SELECT x\n FROM WHERE'),
    },
    [
      'base.sql:5:7 expected the name of a table, found "WHERE", a reserved word: for a name, write `WHERE` in backquotes',
    ],
  ],
  [
    'a name in a part that is not there',
    { 'reader.sql': reader('SELECT x FROM query.base'), 'base.sql': partText('SELECT x\nFROM query.other') },
    [
      'base.sql:5:6 no saved query is named other; a table of a data set named query has its project before it',
    ],
  ],
  [
    'a header of a part with other keys',
    {
      'reader.sql': reader('SELECT x FROM query.base'),
      'base.sql': base.replace('serve: off', 'serve: on\nmax_rows: 1'),
    },
    [
      'base.sql:2 serve: must be off; the header of a query that is served has no serve',
      'base.sql:3 a query with serve: off has no max_rows',
    ],
  ],
  [
    'the header of a query that is served, with another value of serve: one problem',
    {
      'reader.sql': reader('SELECT x FROM query.base'),
      'base.sql': reader('SELECT 1 AS x').replace('max_rows', 'serve: false\nmax_rows'),
    },
    ['base.sql:4 serve: must be off; the header of a query that is served has no serve'],
  ],
  [
    'the header of a query that was served before: one problem',
    {
      'reader.sql': reader('SELECT x FROM query.base'),
      'base.sql': reader('SELECT 1 AS x').replace('max_rows', 'serve: off\nmaxrows: 1\nmax_rows'),
    },
    [
      'base.sql:5 unknown: maxrows',
      'base.sql:2 a query with serve: off has no id, max_rows, caching, columns',
    ],
  ],
  [
    'two files of one name, as SQL has no case',
    {
      'reader.sql': reader('SELECT x FROM query.BASE'),
      'Base.sql': partText('SELECT y AS x FROM t'),
      'base.sql': base,
    },
    ['Base.sql has the name of base.sql, as FROM knows no case: give it another one'],
  ],
  [
    'the name of the file of a part, and one among values',
    { 'reader.sql': reader('SELECT query.base(1) AS x FROM query.base.sql'), 'base.sql': base },
    [
      'reader.sql:9:32 no saved query is named base.sql; did you mean query.base?',
      'reader.sql:9:8 query.base is a query: read it in FROM',
    ],
  ],
  [
    'an argument without a name is one problem',
    { 'reader.sql': reader("SELECT x FROM query.base('a')"), 'base.sql': byProject },
    ['reader.sql:9:26 an argument of query.base has the name of its parameter, as in project => @project'],
  ],
  [
    'a parameter that a part over a table never uses',
    { 'reader.sql': reader('SELECT 1 AS x'), 'base.sql': partText('SELECT x FROM t', { a: 'string' }) },
    ['base.sql:4 parameters.a: declared, but the SQL never uses @a'],
  ],
  [
    'a view without its folder',
    { 'reader.sql': reader('SELECT 1 AS x'), 'v.sql': '-- all\nCREATE VIEW d.v AS SELECT 1 AS x' },
    [
      'v.sql:1 must start with a YAML header between /*--- and ---*/; views and functions are files of the folders views and functions',
    ],
  ],
  [
    'parameters of a part that the reader does not have, or has as another type',
    { 'reader.sql': reader('SELECT x FROM query.base', { n: 'integer' }), 'base.sql': byProject },
    [
      'reader.sql:11:15 @project is a parameter of base.sql: declare it under parameters, or bind it: query.base(project => …)',
      'reader.sql:11:15 @n is STRING here and INT64 in base.sql: declare both with the same bind, or bind it: query.base(n => …)',
    ],
  ],
  [
    'parameters that are a list: that a part takes one of them is no further problem',
    {
      'reader.sql': reader('SELECT x FROM query.base').replace(
        /^columns:/m,
        'parameters: [project]\ncolumns:',
      ),
      'base.sql': byProject,
    },
    [
      'reader.sql:6 parameters: must be an object, as in { project: { type: string, description: Project reference. } }',
    ],
  ],
  [
    'arguments that are wrong',
    {
      'reader.sql': reader(
        "SELECT x FROM query.base(@project, projct => @project, project => @n, n => 'x', n => 1 + 1)",
        { project: 'string', n: projectAndN.n },
      ),
      'base.sql': byProject,
    },
    [
      'reader.sql:12:26 an argument of query.base has the name of its parameter, as in project => @project',
      'reader.sql:12:36 base.sql has no parameter projct; did you mean project?',
      'reader.sql:12:67 project: expected STRING, got @n, which is INT64',
      'reader.sql:12:76 n: expected a parameter or a literal of type INT64',
      'reader.sql:12:81 the argument n is given twice',
    ],
  ],
  [
    'a parameter of a part that it never uses, and one that it does not declare',
    { 'reader.sql': reader('SELECT 1 AS x'), 'base.sql': partText('SELECT @b AS x', { a: 'string' }) },
    [
      'base.sql:4 parameters.a: declared, but the SQL never uses @a',
      'base.sql:6:8 @b is used, but not declared under parameters',
    ],
  ],
  [
    'a script as a part, and WITH RECURSIVE',
    {
      'reader.sql': reader('SELECT x FROM query.s, query.r'),
      's.sql': partText('DECLARE n INT64; SELECT n AS x'),
      'r.sql': partText('WITH RECURSIVE a AS (SELECT 1 AS x) SELECT x FROM a'),
    },
    [
      'reader.sql:9:15 s.sql is a script, which no query can read: write its tables in a WITH clause',
      'reader.sql:9:24 r.sql begins with WITH RECURSIVE, so that no query can read it',
    ],
  ],
  [
    'parts in functions and in values of a script',
    {
      'reader.sql': reader(
        'DECLARE n INT64 DEFAULT (SELECT x FROM query.base); CREATE TEMP FUNCTION f() AS ((SELECT x FROM query.base)); SELECT f() + n AS x',
      ),
      'base.sql': base,
    },
    [
      'reader.sql:9:97 query.base cannot be read in a function, or in DECLARE, SET and IF: read it in the query',
      'reader.sql:9:40 query.base cannot be read in a function, or in DECLARE, SET and IF: read it in the query',
    ],
  ],
  [
    'a function in DECLARE, before which BigQuery takes none, but not one in SET',
    {
      'reader.sql': reader(
        'DECLARE n INT64 DEFAULT (SELECT d.f(1)); DECLARE m INT64; SET m = d.f(2); SELECT d.f(n) + m AS x',
      ),
      'functions/f.sql': 'CREATE FUNCTION d.f(a INT64) AS (a)',
    },
    ['reader.sql:9:33 d.f cannot be called in DECLARE: use SET'],
  ],
  [
    'a common table that WITH RECURSIVE would put in place of a table of a part',
    {
      'reader.sql': reader('WITH RECURSIVE T AS (SELECT x FROM query.base) SELECT x FROM T'),
      'base.sql': partText('SELECT x FROM t'),
    },
    [
      'reader.sql:9:16 T is also a table that base.sql reads, which WITH RECURSIVE would hide from it: give this one another name',
    ],
  ],
  [
    "a function of the query's own that would be one which a part calls",
    {
      'reader.sql': reader(
        "CREATE TEMP FUNCTION Upper(a STRING) AS ('x'); SELECT Upper('a') AS x FROM query.base",
      ),
      'base.sql': partText("SELECT UPPER('a') AS x"),
    },
    [
      'reader.sql:9:22 Upper is also a function that base.sql calls, which would be this one there: give this one another name',
    ],
  ],
  [
    'the past of a part',
    {
      'reader.sql': reader('SELECT x FROM query.base FOR SYSTEM_TIME AS OF @project', { project: 'string' }),
      'base.sql': base,
    },
    ['reader.sql:11:15 FOR SYSTEM_TIME AS OF is of a table, and query.base is a query'],
  ],
  [
    'LIMIT with a parameter that may be NULL',
    {
      'reader.sql': reader('SELECT x FROM query.base(project => "a")', {
        n: '{ type: integer, bind: INT64, description: N. }',
      }),
      'base.sql': byProject,
    },
    [
      'reader.sql:7 LIMIT @n: @n is NULL if it is absent, and LIMIT takes no NULL; give it a default, or required: true',
    ],
  ],
])('%s: refused', (_, texts, problems) => {
  expect(problemsIn(texts)).toEqual(problems);
});

test('a text that grows beyond what BigQuery takes is refused before it is there', () => {
  const parts = Array.from({ length: 40 }, (_, at): [string, string] => [
    `p${at}.sql`,
    partText(
      at === 0
        ? `SELECT @a0 AS x`
        : `SELECT x FROM query.p${at - 1}(a${at - 1} => 1) UNION ALL SELECT x FROM query.p${at - 1}(a${at - 1} => 2)`,
      Object.fromEntries(
        Array.from({ length: at + 1 }, (_, name) => [
          `a${name}`,
          '{ type: integer, bind: INT64, description: A. }',
        ]),
      ),
    ),
  ]);
  const all = { 'reader.sql': reader('SELECT x FROM query.p39(a39 => 1)'), ...Object.fromEntries(parts) };
  expect(problemsIn(all).at(-1)).toMatch(/has more than 1048576 characters|never uses|declare/);
});

test('the names of parts that have problems are no further problems', () => {
  const parse = () =>
    parseCatalog(
      '',
      filesOf({
        'base.sql': partText('SELECT @n AS x', { n: 'string' }),
        'views/v.sql': 'CREATE VIEW d.v AS SELECT x FROM query.base',
        'reader.sql': reader('SELECT x FROM d.v'),
      }),
    );
  let error: unknown;
  try {
    parse();
  } catch (thrown) {
    error = thrown;
  }
  if (!(error instanceof CatalogError)) throw error;
  expect(error.problems.map(({ file }) => file)).toEqual(['views/v.sql']);
  expect(error.broken).toEqual([]);
});

test('the common tables of materialized parts are known by name, for each binding of their parameters', () => {
  const { queries } = parseCatalog(
    '',
    filesOf({
      'rows.sql': partText('SELECT @n AS x', { n: '{ type: integer, bind: INT64, description: N. }' }, [
        'materialize: refresh',
      ]),
      'plain.sql': partText('SELECT x FROM query.rows(n => 1)'),
      'reader.sql': reader('SELECT x FROM query.plain, query.rows(n => 2) UNION ALL SELECT 3'),
      'other.sql': queryText({ name: 'other', columns: { x: 'integer' }, sql: 'SELECT 1 AS x' }),
    }),
  );
  expect(queries.map(({ materializedTables }) => materializedTables)).toEqual([
    ['part_rows', 'part_rows_2'],
    undefined,
  ]);
});

test('a materialized part draws no random values, also not through what it reads', () => {
  const message = (name: string) =>
    `${name} gives each reader other values, so that query.base cannot be computed once for all: remove materialize from base.sql`;
  const drawing = {
    'base.sql': partText('SELECT x, udf.draw() AS y FROM query.inner', {}, ['materialize: refresh']),
    'inner.sql': partText('SELECT generate_uuid() AS x'),
    'functions/draw.sql': 'CREATE FUNCTION udf.draw() AS (SAFE.RAND());',
    'reader.sql': reader('SELECT 1 AS x FROM query.base'),
  };
  expect(problemsIn(drawing)).toEqual([
    `inner.sql:4:8 ${message('GENERATE_UUID')}`,
    `functions/draw.sql:1:32 ${message('RAND')}`,
  ]);
  expect(problemsIn({ ...drawing, 'base.sql': partText('SELECT x FROM query.inner') })).toEqual([]);
});

test('samples and JavaScript draw too, and functions with the name of one that draws do not', () => {
  const message = (name: string) => expect.stringContaining(` ${name} gives each reader other values`);
  const texts = {
    'functions/js.sql': `CREATE FUNCTION udf.declared() RETURNS INT64 NOT DETERMINISTIC LANGUAGE js AS 'return 1';
      CREATE FUNCTION udf.found() RETURNS FLOAT64 LANGUAGE js AS 'return Math.random()';
      CREATE FUNCTION udf.pure() RETURNS INT64 LANGUAGE js AS 'return 1';
      CREATE FUNCTION udf.rand(x INT64) AS (x * 2);`,
  };
  const problemsOf = (sql: string) =>
    problemsIn({ ...texts, 'base.sql': partText(sql, {}, ['materialize: refresh']) });
  expect(problemsOf('SELECT x FROM logs TABLESAMPLE SYSTEM (10 PERCENT)')).toEqual([message('TABLESAMPLE')]);
  for (const name of ['udf.declared', 'udf.found'])
    expect(problemsOf(`SELECT ${name}() AS x`)).toEqual([message(`the JavaScript of ${name}`)]);
  expect(problemsOf('SELECT udf.declared() AS x')).toEqual([
    expect.stringMatching(/remove materialize from base\.sql, or declare the function DETERMINISTIC$/),
  ]);
  expect(problemsOf('SELECT udf.pure() + udf.rand(1) AS x')).toEqual([]);
  expect(problemsOf('CREATE TEMP FUNCTION rand() AS (4); SELECT rand() AS x')).toEqual([]);
});

test.each([
  [true, 'return Math.random()'],
  [true, 'return "//" + x;\n/* The time. */ return Date.now()'],
  [true, 'return new Date().getTime()'],
  [true, 'return new Date'],
  [true, 'return Date()'],
  [true, 'return (Date(x))'],
  [true, 'return crypto.randomUUID()'],
  [false, 'return new Date(Number(x)).toISOString()'],
  [false, 'return new Date( x )'],
  [false, 'return Date.UTC(x) + Date.parse(x)'],
  [false, 'return x; // not random, as Math.random() is'],
  [false, '/* Math.random() */ return toDate(x); function toDate(y) { return y instanceof Date ? y : 0 }'],
])('the JavaScript of a materialized part draws or reads the clock, or is taken: %s %s', (draws, code) => {
  const define = (name: string) =>
    `CREATE TEMP FUNCTION ${name}(x INT64) RETURNS STRING LANGUAGE js AS r"""${code}""";`;
  const problemsOf = (sql: string) => problemsIn({ 'base.sql': partText(sql, {}, ['materialize: refresh']) });
  const problems = draws ? [expect.stringContaining('the JavaScript of f gives each reader')] : [];
  const around = 'CREATE TEMP FUNCTION g() AS (F(1));';
  expect(problemsOf(`${define('f')} ${around} SELECT g() AS x`)).toEqual(problems);
  expect(problemsOf(`${define('unused')} ${around.replace('F(1)', '1')} SELECT g() AS x`)).toEqual([]);
});

test('a part is materialized for refreshes only, and a served query is not', () => {
  expect(problemsIn({ 'base.sql': partText('SELECT 1 AS x', {}, ['materialize: daily']) })).toEqual([
    'base.sql:3 materialize: must be refresh',
  ]);
  const served = reader('SELECT 1 AS x').replace('max_rows', 'materialize: refresh\nmax_rows');
  expect(problemsIn({ 'reader.sql': served })).toEqual([expect.stringContaining('unknown: materialize')]);
});
