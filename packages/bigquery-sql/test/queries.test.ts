import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../src/compile.ts';
import { schemaTables } from '../src/rules/from/table-relations.ts';
import { openDialect, problemsOf, tables } from './harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

describe('UNNEST', () => {
  test.each([
    [
      'CROSS JOIN drops rows without elements',
      'SELECT id, m.level FROM logs CROSS JOIN UNNEST(metadata) AS m ORDER BY id',
      [
        ['1', 'info'],
        ['2', 'error'],
      ],
    ],
    [
      'a comma join is the same',
      'SELECT id, m.level FROM logs t, t.metadata AS m ORDER BY id',
      [
        ['1', 'info'],
        ['2', 'error'],
      ],
    ],
    [
      'LEFT JOIN keeps them',
      'SELECT id, m.level FROM logs LEFT JOIN UNNEST(metadata) AS m ON TRUE ORDER BY id',
      [
        ['1', 'info'],
        ['2', 'error'],
        ['3', null],
        ['4', null],
      ],
    ],
    [
      'nested arrays',
      'SELECT id, r.path FROM logs t CROSS JOIN UNNEST(t.metadata) m CROSS JOIN UNNEST(m.request) r ORDER BY 2',
      [
        ['1', '/auth'],
        ['1', '/rest'],
      ],
    ],
    [
      "the alias may be the column's name",
      'SELECT id, metadata.level FROM logs, UNNEST(metadata) AS metadata ORDER BY id',
      [
        ['1', 'info'],
        ['2', 'error'],
      ],
    ],
    [
      'fields need no qualifier',
      'SELECT id, level, path FROM logs, UNNEST(metadata), UNNEST(request) ORDER BY path',
      [
        ['1', 'info', '/auth'],
        ['1', 'info', '/rest'],
      ],
    ],
    [
      'WITH OFFSET',
      'SELECT id, tag, place FROM logs, UNNEST(tags) AS tag WITH OFFSET AS place ORDER BY id, place',
      [
        ['1', 'x', '0'],
        ['1', 'y', '1'],
        ['3', 'z', '0'],
      ],
    ],
    [
      'WITH OFFSET without a name',
      'SELECT tag, offset FROM logs, logs.tags AS tag WITH OFFSET WHERE offset = 1',
      [['y', '1']],
    ],
    [
      'LEFT JOIN WITH OFFSET',
      'SELECT id, o FROM logs LEFT JOIN UNNEST(tags) WITH OFFSET o ON TRUE WHERE id > 1 ORDER BY id',
      [
        ['2', null],
        ['3', '0'],
        ['4', null],
      ],
    ],
    [
      'beside a join',
      'SELECT p.tier, m.level FROM logs t JOIN projects p ON p.project = t.project, UNNEST(t.metadata) m ORDER BY 2',
      [
        ['PRO', 'error'],
        ['PRO', 'info'],
      ],
    ],
    [
      'of the nullable side of an outer join',
      'SELECT p.project, m.level FROM projects p LEFT JOIN logs t ON p.project = t.project CROSS JOIN UNNEST(t.metadata) m ORDER BY 2',
      [
        ['a', 'error'],
        ['a', 'info'],
      ],
    ],
    [
      'with a condition',
      "SELECT id, tag FROM logs JOIN UNNEST(tags) AS tag ON tag <> 'x' ORDER BY id",
      [
        ['1', 'y'],
        ['3', 'z'],
      ],
    ],
    ['on its own', 'SELECT n FROM UNNEST([3, 1, 2]) AS n ORDER BY n', [['1'], ['2'], ['3']]],
    [
      "star takes an element's fields",
      'SELECT * EXCEPT (timestamp, metadata, tags, request) FROM logs, UNNEST(metadata) ORDER BY id LIMIT 1',
      [['1', 'a', 'info']],
    ],
    [
      'star of an element',
      'SELECT r.* FROM logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r ORDER BY path',
      [
        ['/auth', '500'],
        ['/rest', '200'],
      ],
    ],
    [
      'in a subquery of the row',
      "SELECT id FROM logs t WHERE EXISTS (SELECT 1 FROM UNNEST(t.tags) AS tag WHERE tag = 'z')",
      [['3']],
    ],
  ])('gives the elements %s', async (_, sql, rows) => {
    expect(await dialect.query(sql)).toEqual(rows);
  });
});

describe('the time', () => {
  test.each([
    ['CURRENT_TIMESTAMP()', '2024-03-10 12:34:56.789123+00'],
    ['TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 7 DAY)', '2024-03-03 12:34:56.789123+00'],
    ['TIMESTAMP_TRUNC(CURRENT_TIMESTAMP(), MINUTE)', '2024-03-10 12:34:00+00'],
    ["TIMESTAMP_TRUNC(TIMESTAMP '1969-12-31 23:59:59.5+00', DAY)", '1969-12-31 00:00:00+00'],
    ["TIMESTAMP '9999-12-31 23:59:59.999999+00'", '9999-12-31 23:59:59.999999+00'],
    ["DATETIME(TIMESTAMP '2024-01-01 00:00:00+00', 'UTC')", '2024-01-01 00:00:00'],
    ['CURRENT_DATE()', '2024-03-10'],
  ])('is that of the run in %s', async (expression, value) => {
    expect(await dialect.query(`SELECT ${expression}`)).toEqual([[value]]);
  });
});

test.each([
  ['UNION ALL CORRESPONDING', 'COUNT(*) AS n, 5 AS a FROM logs', [['1'], ['5']]],
  ['UNION ALL CORRESPONDING', '5 AS a, COUNT(*) AS n FROM logs HAVING n > 9', [['1']]],
  ['LEFT UNION ALL BY NAME', 'COUNT(*) AS n, 5 AS a FROM logs', [['1'], ['5']]],
  ['EXCEPT DISTINCT CORRESPONDING', 'MAX(id) AS n, 1 AS a FROM logs WHERE FALSE', []],
])(
  'a set operation by name leaves an aggregate out, and not its one row: %s SELECT %s',
  async (words, second, rows) => {
    expect(await dialect.query(`SELECT 1 AS a ${words} SELECT ${second}`)).toEqual(rows);
  },
);

test.each([
  [
    'COUNT(*) AS project GROUP BY project',
    [
      [null, '1'],
      ['a', '2'],
      ['b', '1'],
    ],
  ],
  ['SUM(id) AS id GROUP BY project, id |> WHERE project > "a"', [['b', '3', '3']]],
  ['COUNT(*) AS n GROUP BY LOWER(project) AS id, id > 3 AS project |> WHERE project', [[null, true, '1']]],
  ['COUNT(*) AS n GROUP BY id > 9 AS project, project AS p |> WHERE p = "a"', [[false, 'a', '2']]],
  ['COUNT(*) AS n GROUP BY project, RAND() < 2 AS x |> WHERE project = "a"', [['a', true, '2']]],
])('AGGREGATE groups by the columns of its input, not by its own: %s', async (items, rows) => {
  expect(await dialect.query(`FROM logs |> AGGREGATE ${items} |> ORDER BY 1`)).toEqual(rows);
});

test.each([
  ['GROUPING SETS (project, (project, id), ())', ['project', 'id', 'n']],
  ['GROUPING SETS ((project, id, project), (id, logs.project))', ['project', 'id', 'n']],
  ['ROLLUP (project, id), CUBE (project)', ['project', 'id', 'n']],
  ['project AS a, project AS b, ROLLUP (id)', ['a', 'id', 'n']],
  ['UPPER(project) AS a, UPPER(project) AS b, ROLLUP (id)', ['a', 'id', 'n']],
  ['project, project', ['project', 'project', 'n']],
])('equal keys of several sets are one column: GROUP BY %s', (items, names) => {
  const sql = `FROM logs |> AGGREGATE COUNT(*) AS n GROUP BY ${items}`;
  const { columns } = compile({ sql, source: { file: 'test.sql', line: 1 } }, schemaTables(tables));
  expect(columns.map(({ name }) => name)).toEqual(names);
});

test('columns that are computed alike are keys of their own', async () => {
  const sets =
    'FROM logs |> EXTEND id > 0 AS a, id > 0 AS b |> AGGREGATE COUNT(*) AS n GROUP BY GROUPING SETS (a, b)';
  expect(await dialect.query(`${sets} |> ORDER BY a`)).toEqual([
    [null, true, '4'],
    [true, null, '4'],
  ]);
});

test.each([
  ['SELECT id FROM events JOIN (SELECT 1 AS id) USING (id)', [true]],
  ['SELECT id FROM events JOIN (SELECT 1 AS id) USING (id) RIGHT JOIN projects ON TRUE', [undefined]],
  ['SELECT id, l.id FROM logs AS l RIGHT JOIN events USING (id)', [true, undefined]],
  ['SELECT * FROM events AS e FULL JOIN (SELECT id FROM events) USING (id)', Array(3).fill(undefined)],
  ['SELECT v FROM logs LEFT JOIN (SELECT AS VALUE id FROM events) AS v ON TRUE', [undefined]],
  ['FROM events |> AGGREGATE COUNT(*) AS n GROUP BY CUBE (id)', [undefined, undefined]],
  [
    'WITH RECURSIVE r AS (SELECT id FROM events UNION ALL SELECT NULL FROM r WHERE id > 1) SELECT id FROM r',
    [undefined],
  ],
])('only a column that is never NULL is required: %s', (sql, required) => {
  const { columns } = compile({ sql, source: { file: 'test.sql', line: 1 } }, schemaTables(tables));
  expect(columns.map((column) => column.required)).toEqual(required);
});

describe('JOIN USING', () => {
  const a = '(SELECT 1 AS k, 2 AS id) AS a';
  const b = '(SELECT 1 AS k, 20 AS bv) AS b';
  const c = '(SELECT 99 AS k, 2 AS cid) AS c';

  test.each([
    [`${a} JOIN ${b} USING (k) JOIN ${c} ON c.cid = a.id`, ['1', '2', '20', '99', '2']],
    [`${a} JOIN (${b} JOIN (SELECT 1 AS k, 3 AS j) AS d USING (k)) ON TRUE`, ['1', '2', '1', '20', '3']],
    [`${a} JOIN ${b} USING (k) JOIN (SELECT 2 AS id) AS d USING (id)`, ['2', '1', '20']],
  ])('gives the keys first, then the others of both sides: %s', async (from, row) => {
    expect(await dialect.query(`SELECT * FROM ${from}`)).toEqual([row]);
    expect(await dialect.query(`FROM ${from}`)).toEqual([row]);
  });

  test('merges the columns of its two sides only', async () => {
    const ambiguous = "1:8 k is ambiguous: qualify it with the table's name";
    for (const join of [`JOIN ${c} ON c.cid = a.id`, `, ${c}`, `CROSS JOIN ${c}`])
      expect(problemsOf(`SELECT k FROM ${a} JOIN ${b} USING (k) ${join}`)).toEqual([ambiguous]);
    expect(problemsOf(`SELECT k FROM ${a} JOIN (${b} JOIN ${c} USING (k)) ON TRUE`)).toEqual([ambiguous]);
    expect(
      await dialect.query(
        `SELECT k FROM (SELECT 7 AS x) CROSS JOIN (${b} JOIN (SELECT 1 AS k) AS d USING (k))`,
      ),
    ).toEqual([['1']]);
  });

  test('merges the elements of arrays', async () => {
    const sql = 'SELECT x FROM UNNEST([1]) AS x FULL JOIN UNNEST([2]) AS x USING (x) ORDER BY x';
    expect(await dialect.query(sql)).toEqual([['1'], ['2']]);
  });

  test('gives equal names that * REPLACE cannot choose among', () => {
    expect(problemsOf(`SELECT * REPLACE (5 AS k) FROM ${a} JOIN ${b} USING (k) CROSS JOIN ${c}`)).toEqual([
      '1:24 REPLACE of k is ambiguous: * has several columns of this name',
    ]);
  });
});

describe('WITH', () => {
  test('in parentheses after another WITH, with a name of its own that shadows', async () => {
    const sql = `WITH a AS (SELECT x FROM UNNEST([1, 2]) AS x)
      (WITH b AS (SELECT x AS y FROM a), a AS (SELECT 5 AS x)
       SELECT b.y, a.x FROM b JOIN b AS c USING (y), a UNION ALL SELECT 3, x FROM a) ORDER BY 1`;
    expect(await dialect.query(sql)).toEqual([
      ['1', '5'],
      ['2', '5'],
      ['3', '5'],
    ]);
  });

  test('the order inside the parentheses is kept', async () => {
    const sql = `WITH a AS (SELECT x FROM UNNEST([1, 3, 2]) AS x)
      (WITH b AS (SELECT x FROM a) SELECT b.x FROM b JOIN b AS c USING (x) JOIN a USING (x) ORDER BY x DESC)`;
    expect(await dialect.query(sql)).toEqual([['3'], ['2'], ['1']]);
  });
});

describe('names', () => {
  test('parameters are STRINGs', async () => {
    const sql = "SELECT id FROM logs WHERE project = @project AND COALESCE(@none, '') = '' ORDER BY id";
    expect(await dialect.query(sql, { project: 'a', none: '' })).toEqual([['1'], ['2']]);
  });

  test('a table is found by the last part of its path, quoted or not', async () => {
    for (const table of ['`my-project.set.logs`', 'my-project.set.logs', '`set`.`logs`', 'LOGS']) {
      expect(await dialect.query(`SELECT COUNT(*) FROM ${table}`)).toEqual([['4']]);
    }
  });

  test('GROUP BY and ORDER BY prefer output names, and NULL sorts first', async () => {
    const sql =
      'SELECT IFNULL(project, "-") AS project, COUNT(*) AS n FROM logs GROUP BY project ORDER BY n DESC, project';
    expect(await dialect.query(sql)).toEqual([
      ['a', '2'],
      ['-', '1'],
      ['b', '1'],
    ]);
    expect(await dialect.query('SELECT project FROM logs GROUP BY project ORDER BY project')).toEqual([
      [null],
      ['a'],
      ['b'],
    ]);
  });
});

describe('aggregates', () => {
  test('APPROX_QUANTILES(x, n) returns n + 1 boundaries', async () => {
    const sql =
      'SELECT APPROX_QUANTILES(n, 4), APPROX_QUANTILES(n, 100)[OFFSET(95)] FROM UNNEST([5, 1, 4, 2, 3]) AS n';
    expect(await dialect.query(sql)).toEqual([[['1', '2', '3', '4', '5'], '5']]);
  });

  test('counts and sums are INT64', async () => {
    const sql =
      'SELECT COUNT(*), COUNTIF(r.status >= 400), SUM(r.status), AVG(r.status) FROM logs t, t.metadata m, m.request r';
    expect(await dialect.query(sql)).toEqual([['2', '1', '700', 350]]);
  });
});

test('FOR SYSTEM_TIME AS OF now gives the rows of a table', async () => {
  const sql =
    'SELECT COUNT(*) FROM logs AS l FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP() JOIN projects FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP USING (project)';
  expect(await dialect.query(sql)).toEqual(
    await dialect.query('SELECT COUNT(*) FROM logs JOIN projects USING (project)'),
  );
});

describe('IN over a common table, of a column of an outer query', () => {
  const v = 'WITH v AS (SELECT id FROM events WHERE id > 1)';
  test.each([
    [
      'in EXISTS',
      `${v} SELECT l.id FROM logs l WHERE EXISTS (SELECT 1 FROM projects WHERE l.id IN (SELECT id FROM v))`,
    ],
    [
      'twice inside',
      `${v} SELECT l.id FROM logs l WHERE EXISTS (SELECT 1 FROM projects WHERE EXISTS (SELECT 1 FROM events WHERE l.id IN (SELECT id FROM v)))`,
    ],
    [
      'with a column of the subquery',
      `${v} SELECT l.id FROM logs l WHERE EXISTS (SELECT 1 FROM projects p WHERE l.id + 0 * LENGTH(p.tier) IN (SELECT id FROM v))`,
    ],
    [
      'NOT IN',
      `${v} SELECT l.id FROM logs l WHERE NOT EXISTS (SELECT 1 FROM projects WHERE l.id NOT IN (SELECT id FROM v))`,
    ],
    [
      'NOT IN a NULL',
      'WITH v AS (SELECT NULLIF(id, 1) AS id FROM events) SELECT l.id FROM logs l WHERE l.id > 1 AND NOT EXISTS (SELECT 1 FROM projects WHERE l.id NOT IN (SELECT id FROM v))',
    ],
    [
      'in a scalar subquery',
      `${v} SELECT l.id FROM logs l WHERE (SELECT COUNT(*) FROM projects WHERE l.id IN (SELECT id FROM v)) = 2`,
    ],
    [
      'in an array',
      `${v} SELECT l.id FROM logs l WHERE ARRAY_LENGTH(ARRAY(SELECT l.id IN (SELECT id FROM v) FROM projects)) = 2 AND l.id > 1`,
    ],
    [
      'of an array',
      `${v} SELECT l.id FROM logs l WHERE l.id > 1 AND NOT EXISTS (SELECT 1 FROM UNNEST([1, l.id]) AS x WHERE l.id NOT IN (SELECT id FROM v))`,
    ],
  ])('gives the rows that match: %s', async (_, sql) => {
    expect(await dialect.query(`${sql} ORDER BY 1`)).toEqual([['2'], ['3'], ['4']]);
  });
});

test.each([
  'SELECT id FROM logs WHERE id > 1000 QUALIFY ROW_NUMBER() OVER (ORDER BY id DESC) = 1',
  'SELECT id FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY timestamp) AS n FROM logs WHERE id > 1000) WHERE n < 2',
])('the first of no rows is no row: %s', async (sql) => {
  expect(await dialect.query(sql)).toEqual([]);
});
