import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDialect, problemsOf } from './harness.ts';
import { ownSession } from './support/own-session.ts';

const session = ownSession();
let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

/** The rows of a query. @throws Error with the message of its problem */
async function run(sql: string): Promise<readonly (readonly unknown[])[]> {
  const answer = await session.answer(sql);
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

/** The rows of a table function in order, each as the text of its values. */
const rowsOf = async (call: string, order: string): Promise<readonly unknown[]> =>
  (await run(`SELECT FORMAT('%t', t) AS r FROM ${call} AS t ORDER BY ${order}`)).map(([row]) => row);

/** Rows as BigQuery's documentation writes them. */
const devices = (...rows: readonly string[]) =>
  `(SELECT * FROM UNNEST(ARRAY<STRUCT<device_id INT64, time DATETIME, signal INT64, state STRING>>[${rows.join(', ')}]))`;
const [first, second, third, last] = [
  "(1, DATETIME '2023-11-01 09:34:01', 74, 'INACTIVE')",
  "(2, DATETIME '2023-11-01 09:36:00', 77, 'ACTIVE')",
  "(3, DATETIME '2023-11-01 09:37:00', 78, 'ACTIVE')",
  "(4, DATETIME '2023-11-01 09:38:01', 80, 'ACTIVE')",
];
const usual = devices(first, second, third, last);
const third_null = "(3, DATETIME '2023-11-01 09:37:00', NULL, 'ACTIVE')";
const minutely = (input: string, more = '') =>
  `GAP_FILL(${input}, ts_column => 'time', bucket_width => INTERVAL 1 MINUTE${more && `, ${more}`})`;
const signals = async (input: string, more: string) =>
  (await rowsOf(minutely(input, more), 'time')).map((row) => String(row).slice(12, -1));

describe('GAP_FILL', () => {
  test.each([
    ['locf', usual, '', ['09:35:00, 74', '09:36:00, 77', '09:37:00, 78', '09:38:00, 78']],
    ['linear', usual, '', ['09:35:00, 75', '09:36:00, 77', '09:37:00, 78', '09:38:00, 80']],
    ['null', usual, '', ['09:35:00, NULL', '09:36:00, 77', '09:37:00, 78', '09:38:00, NULL']],
    [
      'linear',
      devices(first, second, third_null, last),
      '',
      ['09:35:00, 75', '09:36:00, 77', '09:37:00, 78', '09:38:00, 80'],
    ],
    [
      'linear',
      devices(first, second, third_null, last),
      ', ignore_null_values => FALSE',
      ['09:35:00, 75', '09:36:00, 77', '09:37:00, NULL', '09:38:00, NULL'],
    ],
    [
      'locf',
      devices(first, second, third_null, last),
      ', ignore_null_values => FALSE',
      ['09:35:00, 74', '09:36:00, 77', '09:37:00, NULL', '09:38:00, NULL'],
    ],
    [
      'null',
      usual,
      ", origin => DATETIME '2023-11-01 09:30:01'",
      ['09:34:01, 74', '09:35:01, NULL', '09:36:01, NULL', '09:37:01, NULL', '09:38:01, 80'],
    ],
  ])('%s gives what the documentation of BigQuery shows (%#)', async (method, input, more, expected) => {
    expect(await signals(input, `value_columns => [('signal', '${method}')]${more}`)).toEqual(expected);
  });

  test('all other columns are values without a list, NULL where no row has the time', async () => {
    expect(await signals(usual, '')).toEqual([
      '09:35:00, NULL, NULL, NULL',
      '09:36:00, 2, 77, ACTIVE',
      '09:37:00, 3, 78, ACTIVE',
      '09:38:00, NULL, NULL, NULL',
    ]);
  });

  test('each series is filled from its own first to its own last time, also that of NULL', async () => {
    const input = `(SELECT * FROM UNNEST([
      STRUCT('a' AS k, DATE '2024-01-01' AS d, 1.5 AS x), ('a', DATE '2024-01-04', 3.0),
      (NULL, DATE '2024-01-02', 7.0), (NULL, DATE '2024-01-03', 9.0), ('b', NULL, 1.0)]))`;
    const call = `GAP_FILL(${input}, 'd', INTERVAL 1 DAY, ['k'], [('x', 'linear')])`;
    expect(await rowsOf(call, 'k, d')).toEqual([
      '(2024-01-02, NULL, 7.0)',
      '(2024-01-03, NULL, 9.0)',
      '(2024-01-01, a, 1.5)',
      '(2024-01-02, a, 2.0)',
      '(2024-01-03, a, 2.5)',
      '(2024-01-04, a, 3.0)',
    ]);
  });

  test('months begin at the day of the origin, or at the last day before it', async () => {
    const input = "(SELECT DATE '2024-01-31' AS d, 1 AS n UNION ALL SELECT DATE '2024-05-02', 5)";
    const call = `GAP_FILL(${input}, 'd', INTERVAL 1 MONTH, value_columns => [('n', 'locf')], origin => DATE '2020-01-31')`;
    expect(await rowsOf(call, 'd')).toEqual([
      '(2024-01-31, 1)',
      '(2024-02-29, 1)',
      '(2024-03-31, 1)',
      '(2024-04-30, 1)',
    ]);
  });

  test('times before the epoch, exact types and widths of parameters are right', async () => {
    const input = `(SELECT TIMESTAMP '1949-12-31 23:10:00' AS t, NUMERIC '1' AS n, 1 AS i
      UNION ALL SELECT TIMESTAMP '1950-01-01 00:10:00', NUMERIC '2', -2)`;
    const call = `GAP_FILL(${input}, 't', INTERVAL CAST(@minutes AS INT64) MINUTE, value_columns => [('n', 'linear'), ('i', 'linear')])`;
    const rows = await dialect.query(
      `SELECT FORMAT_TIMESTAMP('%F %R', t) AS t, CAST(n AS STRING) AS n, i FROM ${call} ORDER BY t`,
      { minutes: '20' },
    );
    expect(rows).toEqual([
      ['1949-12-31 23:20', '1.166666667', '1'],
      ['1949-12-31 23:40', '1.5', '-1'],
      ['1950-01-01 00:00', '1.833333333', '-2'],
    ]);
  });

  test('rows of one time count as one, unless they differ in what is shown', async () => {
    const twice = "(3, DATETIME '2023-11-01 09:37:00', 79, 'ACTIVE')";
    const input = devices(first, second, third, twice, last);
    expect(await signals(input, "value_columns => [('state', 'locf')]")).toEqual([
      '09:35:00, INACTIVE',
      '09:36:00, ACTIVE',
      '09:37:00, ACTIVE',
      '09:38:00, ACTIVE',
    ]);
    await expect(signals(input, "value_columns => [('signal', 'locf')]")).rejects.toThrow(
      'several rows of a series have the same time and different values',
    );
  });

  test('a common table, a stored table and no rows can be filled', async () => {
    const stored = `SELECT FORMAT_TIMESTAMP('%F %R', timestamp) AS t, n FROM GAP_FILL(
      (SELECT timestamp, COUNT(*) AS n FROM logs GROUP BY timestamp), 'timestamp', INTERVAL 6 HOUR, value_columns => [('n', 'locf')]) ORDER BY t`;
    expect(await dialect.query(stored)).toEqual([
      ['2024-03-10 00:00', '1'],
      ['2024-03-10 06:00', '1'],
      ['2024-03-10 12:00', '1'],
    ]);
    const table = `WITH input AS (SELECT id, timestamp FROM logs WHERE id < 0)
      SELECT id FROM GAP_FILL(TABLE input, 'timestamp', INTERVAL 1 DAY)`;
    expect(await dialect.query(table)).toEqual([]);
    expect(
      await dialect.query("SELECT COUNT(*) AS n FROM GAP_FILL(TABLE logs, 'timestamp', INTERVAL 12 HOUR)"),
    ).toEqual([['2']]);
  });

  test.each([
    ["GAP_FILL(TABLE logs, 'nothing', INTERVAL 1 DAY)", '1:36 GAP_FILL: no column is named nothing'],
    ["GAP_FILL(TABLE nothing, 'x', INTERVAL 1 DAY)", '1:30 no table is named nothing'],
    [
      "GAP_FILL(TABLE logs, 'id', INTERVAL 1 DAY)",
      '1:15 GAP_FILL: id is INT64; ts_column is a DATE, DATETIME or TIMESTAMP',
    ],
    ["GAP_FILL(TABLE logs, 'timestamp')", '1:15 GAP_FILL needs bucket_width'],
    ["GAP_FILL(TABLE logs, 'timestamp', 5)", '1:49 bucket_width is INTERVAL, not INT64'],
    ["GAP_FILL('timestamp')", '1:24 GAP_FILL takes TABLE and a name, or a query in parentheses, first'],
    [
      "GAP_FILL(TABLE logs, 'timestamp', INTERVAL 1 DAY, value_columns => [('project', 'linear')])",
      "1:83 'linear' takes numbers, and project is STRING: use 'locf' or 'null'",
    ],
    [
      "GAP_FILL(TABLE logs, 'timestamp', INTERVAL 1 DAY, value_columns => [('id', 'next')])",
      "1:83 GAP_FILL has no method next; it has 'null', 'linear' and 'locf'",
    ],
    [
      "GAP_FILL(TABLE logs, 'timestamp', INTERVAL 1 DAY, ['id'], [('id', 'null')])",
      '1:15 GAP_FILL takes each column once, and id twice',
    ],
    [
      "GAP_FILL(TABLE logs, 'timestamp', width => 1)",
      '1:49 GAP_FILL does not take the named argument width here',
    ],
    [
      'CHANGES(TABLE logs, NULL, NULL)',
      '1:15 the table function CHANGES is not supported: save its rows in a table that the query reads',
    ],
  ])('%s is refused: %s', (call, problem) => {
    expect(problemsOf(`SELECT * FROM ${call}`)).toEqual([problem]);
  });
});

describe('RANGE_SESSIONIZE', () => {
  const employees = `(SELECT * FROM UNNEST([STRUCT(10 AS emp_id, RANGE<DATE> '[2010-01-10, 2010-03-10)' AS duration),
    (10, RANGE<DATE> '[2010-03-10, 2010-07-15)'), (10, RANGE<DATE> '[2010-06-15, 2010-08-18)'),
    (20, RANGE<DATE> '[2010-03-10, 2010-07-20)'), (20, RANGE<DATE> '[2020-05-10, 2020-09-20)')]))`;

  test.each([
    ['', ['2010-01-10, 2010-08-18', '2010-01-10, 2010-08-18', '2010-01-10, 2010-08-18']],
    [", 'OVERLAPS'", ['2010-01-10, 2010-03-10', '2010-03-10, 2010-08-18', '2010-03-10, 2010-08-18']],
  ])('sessions%s are those of the documentation of BigQuery', async (option, expected) => {
    const rows = await run(
      `SELECT emp_id, session_range FROM RANGE_SESSIONIZE(${employees}, 'duration', ['emp_id']${option}) ORDER BY emp_id, RANGE_START(duration)`,
    );
    expect(rows.map(([id, range]) => `${id} ${range}`)).toEqual([
      ...expected.map((range) => `10 [${range})`),
      '20 [2010-03-10, 2010-07-20)',
      '20 [2020-05-10, 2020-09-20)',
    ]);
  });

  test('a long range joins what begins later in it, and unbounded ones have no side', async () => {
    const input = `(SELECT RANGE(a, b) AS r FROM UNNEST([
      STRUCT(CAST(NULL AS DATE) AS a, DATE '2024-01-10' AS b), (DATE '2024-01-02', DATE '2024-01-03'), (DATE '2024-01-05', DATE '2024-01-20'),
      (DATE '2024-02-01', DATE '2024-02-02'), (DATE '2024-03-01', NULL), (DATE '2025-01-01', DATE '2025-01-02')]))`;
    const rows = await run(
      `SELECT DISTINCT RANGE_START(session_range) AS a, RANGE_END(session_range) AS b FROM RANGE_SESSIONIZE(${input}, 'r', []) ORDER BY a`,
    );
    expect(rows).toEqual([
      [null, '2024-01-20'],
      ['2024-02-01', '2024-02-02'],
      ['2024-03-01', null],
    ]);
  });

  test('many ranges with the same start are in one session', async () => {
    const connection = await session.connect();
    await connection.run(
      'CREATE TABLE visits AS SELECT (i * 7919) % 100 AS day FROM range(100000) AS rows(i)',
    );
    const input = `(SELECT day, RANGE(DATE_ADD(DATE '2024-01-01', INTERVAL 10 * day DAY), DATE_ADD(DATE '2024-01-06', INTERVAL 10 * day DAY)) AS r FROM visits)`;
    const rows = await run(
      `SELECT COUNT(*) FROM RANGE_SESSIONIZE(${input}, 'r', []) WHERE RANGE_START(r) <> RANGE_START(session_range) OR RANGE_END(r) <> RANGE_END(session_range)`,
    );
    expect(rows).toEqual([['0']]);
  });

  test('a NULL range, another column and another option are refused', async () => {
    const nulls = '(SELECT CAST(NULL AS RANGE<DATE>) AS r)';
    await expect(run(`SELECT session_range FROM RANGE_SESSIONIZE(${nulls}, 'r', [])`)).rejects.toThrow(
      'RANGE_SESSIONIZE takes no NULL as range',
    );
    expect(problemsOf("SELECT * FROM RANGE_SESSIONIZE(TABLE logs, 'id', [])")).toEqual([
      '1:44 id is INT64, not a RANGE',
    ]);
    expect(problemsOf(`SELECT * FROM RANGE_SESSIONIZE(${nulls}, 'r', [], 'TOUCHES')`)).toEqual([
      "1:82 sessionize_option is 'MEETS' or 'OVERLAPS'",
    ]);
  });
});
