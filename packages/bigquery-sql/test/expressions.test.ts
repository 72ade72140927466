import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDialect, problemsOf } from './harness.ts';

let dialect: Awaited<ReturnType<typeof openDialect>>;
beforeAll(async () => {
  dialect = await openDialect();
});
afterAll(() => dialect.close());

/** The one value of `SELECT expression`. */
const valueFor = async (expression: string, parameters: Readonly<Record<string, string>> = {}) =>
  (await dialect.query(`SELECT ${expression}`, parameters))[0]?.[0];

/** The messages of the problems of `SELECT expression`, without their places. */
const messagesOf = (sql: string) => problemsOf(sql).map((problem) => problem.replace(/^\d+:\d+ /, ''));

test.each([
  [
    "TIMESTAMP('%_R|%-s|%-n|%-t|%^c|%#H|%_Y', TIMESTAMP '0105-03-02 03:04:05')",
    '03:04|-58848497755|\n|\t|MON MAR  2 03:04:05 105|03|105',
  ],
  ["DATE('%-X|%_H|%^p|%H|%:z|%:::z', DATE '2024-01-02')", '00:00:00| 0|AM|%H|+00:00|+00'],
  ["TIME('%_R|%::z', TIME '03:04:05')", '03:04|+00:00:00'],
])(
  'an element with a flag, and the offset of a type without a zone, are written: FORMAT_%s',
  async (call, text) => {
    expect(await valueFor(`FORMAT_${call}`)).toBe(text);
  },
);

test.each(["DATE('%0X', DATE '2024-01-02')", "TIME('%-d', TIME '03:04:05')"])(
  'an element with a flag that a type does not have is refused: FORMAT_%s',
  (call) => expect(messagesOf(`SELECT FORMAT_${call}`).join()).toMatch(/format element .* is not supported/),
);

describe('structs are compared by position', () => {
  test.each([
    ['STRUCT(1 AS a, 2 AS b) = STRUCT(1 AS x, 2 AS y)', true],
    ['STRUCT(1 AS a, 2 AS b) IN (STRUCT(2 AS b, 1 AS a))', false],
    ['(1, CAST(NULL AS INT64)) IN ((1, 2))', null],
    ['(1, 2) IN UNNEST([(1, 2), (3, 4)])', true],
    ['(1, 2) NOT IN (SELECT (1, CAST(NULL AS INT64)))', null],
    ['(1, 3) NOT IN (SELECT (2, CAST(NULL AS INT64)))', true],
    [
      '(SELECT COUNT(*) FROM (SELECT 1 AS a, 2 AS b) WHERE STRUCT(a, b) IN (SELECT STRUCT(1 AS x, 2 AS y)))',
      '1',
    ],
  ])('%s is %s', async (expression, expected) => {
    expect(await valueFor(expression)).toBe(expected);
  });
});

test.each([
  ["LOWER('ΑΣ ΣΑΣ Σ ΑΣ.Β, İΣ a')", 'ας σας σ ασ.β, i̇ς a'],
  ["LOWER('ÀİB')", 'ài̇b'],
])('%s is %s', async (expression, expected) => {
  expect(await valueFor(expression)).toBe(expected);
});

test.each([
  ['a"."c', null],
  ['a"b', '1'],
  ['*', '4'],
  ['', '3'],
])('of a JSON object, a parameter with the name %j is one name', async (k, expected) => {
  const object = `(SELECT JSON '{"a":{"c":2},"a\\\\"b":1,"":3,"*":4}' AS j)`;
  const sql = `(SELECT JSON_VALUE(j[@k]) FROM ${object})`;
  expect(await valueFor(sql, { k })).toBe(expected);
});

describe('numbers of parameters are checked as literals are', () => {
  const numbers = 'UNNEST(GENERATE_ARRAY(1, 10)) AS x';
  const integer = 'CAST(@n AS INT64)';
  const ofWindow = (call: string) => `(SELECT STRING_AGG(CAST(v AS STRING) ORDER BY v) FROM (${call}))`;
  const window = (call: string) => ofWindow(`SELECT ${call} OVER (ORDER BY x) AS v FROM ${numbers}`);
  const percentile = (name: string, fraction: string) =>
    ofWindow(`SELECT DISTINCT ${name}(x, ${fraction}) OVER () AS v FROM ${numbers}`);
  test.each([
    [window(`LAG(x, ${integer})`), '8', '1,2', '-1', 'LAG must be at least 0'],
    [window(`LEAD(x, ${integer})`), '8', '9,10', '-1', 'LEAD must be at least 0'],
    [window(`NTH_VALUE(x, ${integer})`), '9', '9,9', '0', 'NTH_VALUE must be at least 1'],
    [window(`NTILE(${integer})`), '1', '1,1,1,1,1,1,1,1,1,1', '0', 'NTILE must be at least 1'],
    [
      `(SELECT ARRAY_LENGTH(APPROX_TOP_COUNT(x, ${integer})) FROM ${numbers})`,
      '2',
      '2',
      '0',
      'APPROX_TOP_COUNT must be at least 1',
    ],
    [
      `(SELECT ARRAY_LENGTH(APPROX_TOP_SUM(x, x, ${integer})) FROM ${numbers})`,
      '2',
      '2',
      '-1',
      'APPROX_TOP_SUM must be at least 1',
    ],
    [percentile('PERCENTILE_CONT', 'CAST(@n AS FLOAT64)'), '0.5', '5.5', '1.5', 'must be from 0 to 1'],
    [percentile('PERCENTILE_CONT', 'CAST(@n AS FLOAT64)'), '0.5', '5.5', 'nan', 'must be from 0 to 1'],
    [percentile('PERCENTILE_DISC', 'CAST(@n AS FLOAT64)'), '0.9', '10', '-1', 'must be from 0 to 1'],
    [percentile('PERCENTILE_DISC', 'CAST(@n AS NUMERIC)'), '0.9', '9', '-1', 'must be from 0 to 1'],
  ])('%s', async (sql, right, expected, wrong, problem) => {
    expect(await valueFor(sql, { n: right })).toBe(expected);
    await expect(valueFor(sql, { n: wrong })).rejects.toThrow(problem);
  });
});

describe('BYTES', () => {
  test.each([
    ["TO_HEX(b'\\x0f\\xf0' << 4)", 'ff00'],
    ["TO_HEX(b'\\x0f\\xf0' >> 4)", '00ff'],
    ["TO_HEX(b'\\xff\\xff' << 9)", 'fe00'],
    ["TO_HEX(b'\\xff\\xff' >> 9223372036854775807)", '0000'],
    ["TO_HEX(b'' << 3)", ''],
    ["TO_HEX(b'a' << CAST(NULL AS INT64))", null],
    ["TO_HEX(LTRIM(b'\\x00\\x10\\x01\\x00', b'\\x10\\x00'))", '0100'],
    ["TO_HEX(RTRIM(b'\\x21\\x12\\x22\\x21', b'\\x22\\x21'))", '2112'],
    ["TO_HEX(TRIM(b'..a.', b'.'))", '61'],
    ["TO_JSON_STRING(TO_CODE_POINTS(b'\\x00\\xffa'))", '[0,255,97]'],
    ["TO_JSON_STRING(TO_CODE_POINTS(b''))", '[]'],
  ])('%s is %s', async (expression, expected) => {
    expect(await valueFor(expression)).toBe(expected);
  });

  test('are not shifted by a negative number', async () => {
    await expect(valueFor("b'a' << -1")).rejects.toThrow('shift by a negative offset');
  });
});

describe('NUMERIC is exact', () => {
  test.each([
    ["CAST(POW(10, BIGNUMERIC '-38') AS STRING)", '0.00000000000000000000000000000000000001'],
    ["CAST(POW(BIGNUMERIC '1.1', 3) AS STRING)", '1.331'],
    ["CAST(POW(BIGNUMERIC '-3', -1) AS STRING)", `-0.${'3'.repeat(38)}`],
    ['CAST(-123456789012.12 AS NUMERIC)', '-123456789012.120000000'],
    // The digits of a literal count unless they are out of range.
    ['CAST(CAST(1e29 AS NUMERIC) AS STRING)', '99999999999999991433150857216'],
    ['CAST(SAFE_CAST(-1e29 AS NUMERIC) AS STRING)', '-99999999999999991433150857216'],
    [
      'CAST(CAST(99999999999999999999999999999.9999999999 AS NUMERIC) AS STRING)',
      '99999999999999991433150857216',
    ],
    ['CAST(CAST(99999999999999999999999999999.9 AS NUMERIC) AS STRING)', '99999999999999999999999999999.9'],
    ['CAST(SAFE_CAST(1.1e29 AS NUMERIC) AS STRING)', null],
    ['CAST(CAST(1e29 AS BIGNUMERIC) AS STRING)', '100000000000000000000000000000'],
    [
      'CAST(CAST(5.78960446186580977117854925043439539267e38 AS BIGNUMERIC) AS STRING)',
      '578960446186580955070694765308237840384',
    ],
    ["NUMERIC '1.5' + 2.25", '3.750000000'],
    [
      "(SELECT AVG(x) FROM UNNEST([NUMERIC '10000000000000000.01', NUMERIC '10000000000000000.03']) AS x)",
      '10000000000000000.020000000',
    ],
    [
      "(SELECT STDDEV(x) FROM UNNEST([NUMERIC '1000000000000000000000000.1', NUMERIC '1000000000000000000000000.2']) AS x)",
      0.0707106781186548,
    ],
  ])('%s is %s', async (expression, expected) => {
    const value = await valueFor(expression);
    if (typeof expected === 'number') expect(value).toBeCloseTo(expected, 12);
    else expect(value).toBe(expected);
  });
});

test.each([
  ['\\uu0041 \\ud83d', null],
  ['\\\\uu0041 \\ud83d', '\\uu0041 �'],
])('JSON_VALUE of the text %s, which has half of a surrogate pair, is %s', async (text, expected) => {
  expect(await valueFor(`JSON_VALUE(r'"${text}"')`)).toBe(expected);
});

describe('JSON_VALUE of a text gives a number as it is written there', () => {
  test.each([
    ['{"a":1.50}', '$.a', '1.50'],
    ['{"b":"x","a": -1.5e0}', '$.a', '-1.5e0'],
    ['{"a_b":2.5,"a%b":2.50}', '$.a_b', '2.5'],
    ['{"a_b":2.5,"a%b":2.50}', '$."a%b"', '2.50'],
    ['{"c":{"a":2.5},"a":2.50}', '$.a', '2.50'],
    ['{"tags":[2.50],"0":2.5}', '$.tags[0]', '2.50'],
    ['{"tags":[2.50],"0":2.5}', '$.tags.0', '2.50'],
    ['{"tags":[2.50],"":2.5}', '$.tags[0]', '2.50'],
    ['2.50', '$', '2.50'],
  ])('%s %s', async (json, path, expected) => {
    expect(await valueFor(`JSON_VALUE('${json}', '${path}')`)).toBe(expected);
    expect(await valueFor(`JSON_EXTRACT_SCALAR('${json}', '${path.replace('."a%b"', "[\\'a%b\\']")}')`)).toBe(
      expected,
    );
  });
});

describe('NaN is the smallest number in every order', () => {
  const numbers = "UNNEST([1.0, CAST('nan' AS FLOAT64), 2.0]) AS x";

  test('in a window', async () => {
    const rows = await dialect.query(
      `SELECT IS_NAN(x), RANK() OVER (ORDER BY x) AS r FROM ${numbers} ORDER BY r`,
    );
    expect(rows).toEqual([
      [true, '1'],
      [false, '2'],
      [false, '3'],
    ]);
  });

  test.each([
    [`(SELECT ARRAY_TO_STRING(ARRAY_AGG(CAST(x AS STRING) ORDER BY x), ' ') FROM ${numbers})`, 'nan 1 2'],
    [
      `(SELECT ARRAY_TO_STRING(ARRAY(SELECT CAST(d AS STRING) FROM UNNEST(a) AS d WITH OFFSET o ORDER BY o), ' ') FROM (SELECT ARRAY_AGG(DISTINCT x ORDER BY x DESC) AS a FROM ${numbers}))`,
      '2 1 nan',
    ],
    [`(SELECT ANY_VALUE(IS_NAN(p)) FROM (SELECT PERCENTILE_DISC(x, 0) OVER () AS p FROM ${numbers}))`, true],
    [`(SELECT COUNT(x HAVING MAX x) FROM ${numbers})`, '0'],
  ])('%s is %s', async (expression, expected) => {
    expect(await valueFor(expression)).toBe(expected);
  });
});

describe('aggregates', () => {
  const rows = 'UNNEST([STRUCT(1 AS x, 1 AS y), (2, 2), (4, 2), (3, NULL)])';

  test.each([
    [`(SELECT SUM(x HAVING MAX y) FROM ${rows})`, '6'],
    [`(SELECT STRING_AGG(CAST(x AS STRING) HAVING MAX y ORDER BY x DESC) FROM ${rows})`, '4,2'],
    [`(SELECT ARRAY_AGG(x LIMIT 0) IS NULL FROM ${rows})`, true],
    ["(SELECT STRING_AGG(x LIMIT 0) FROM UNNEST(['a']) AS x)", null],
    ["(SELECT STDDEV(x) FROM UNNEST([CAST('nan' AS FLOAT64)]) AS x)", null],
    ['(SELECT STDDEV(x) / 1e300 > 1.4 FROM UNNEST([1e300, -1e300]) AS x)', true],
    ['(SELECT CAST(AVG(x) AS STRING) FROM UNNEST([INTERVAL 1 MONTH, INTERVAL 2 DAY]) AS x)', '0-0 16 0:0:0'],
    ['(SELECT APPROX_COUNT_DISTINCT(x) FROM UNNEST([1, 2, 1]) AS x)', '2'],
  ])('%s is %s', async (expression, expected) => {
    expect(await valueFor(expression)).toBe(expected);
  });

  test('a frame that ends before it begins has no rows', async () => {
    const sql =
      'SELECT COUNT(*) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND 2 PRECEDING) FROM UNNEST([1.0, 2.5]) AS x';
    expect(await dialect.query(sql)).toEqual([['0'], ['0']]);
  });

  test('a bound of a frame may lie beyond INT64', async () => {
    const sql =
      'SELECT COUNT(*) OVER (ORDER BY x RANGE BETWEEN 9223372036854775807 PRECEDING AND CURRENT ROW) AS n FROM UNNEST([-2, 9223372036854775807]) AS x ORDER BY n';
    expect(await dialect.query(sql)).toEqual([['1'], ['1']]);
  });
});

describe('what people write', () => {
  test.each([
    ['IF(TRUE, STRUCT(1 AS a), NULL).a', '1'],
    ['(SELECT ARRAY_AGG(STRUCT(x AS v))[OFFSET(0)].v FROM UNNEST([7]) AS x)', '7'],
    ['WITH(a AS 2, b AS a + 1, a * b)', '6'],
    ["CAST(DATE '2024-01-02' AS STRING FORMAT 'DD/MM/YYYY')", '02/01/2024'],
    ["EXTRACT(HOUR FROM INTERVAL '1 2:3:4' DAY TO SECOND)", '2'],
    ["RANGE_END(RANGE<DATE> '[2024-01-01, UNBOUNDED)') IS NULL", true],
    ["TO_JSON_STRING(JSON_SET(JSON '{\"a\":1}', '$.b', [1, 2]))", '{"a":1,"b":[1,2]}'],
    ["TO_JSON_STRING(JSON_SET(JSON '{\"a\":1}', NULL, 3, '$.b', 4))", '{"a":1,"b":4}'],
    ['TO_JSON_STRING(JSON_REMOVE(JSON \'{"a":1}\', CAST(NULL AS STRING)))', '{"a":1}'],
    ["TO_JSON_STRING(JSON_ARRAY_APPEND(JSON '[1]', '$', CAST(NULL AS ARRAY<INT64>)))", '[1]'],
    ['CAST(IEEE_DIVIDE(0, 0) AS STRING)', 'nan'],
    [`FORMAT('%T', [JSON '{"a": 1}', JSON '2', NULL])`, `[JSON '{"a":1}', JSON "2", NULL]`],
    ["FORMAT('%t %T', -CAST('nan' AS FLOAT64), IEEE_DIVIDE(0, 0))", 'nan CAST("nan" AS FLOAT64)'],
    ['SAFE.COSINE_DISTANCE(CAST(NULL AS ARRAY<FLOAT64>), [1e308, 3.0])', null],
    ["CONTAINS_SUBSTR(('x', ['ÄPFEL']), 'äpfel')", true],
    ['STRUCT(1, 2)[OFFSET(1)]', '2'],
    ['-9223372036854775808', '-9223372036854775808'],
    ["'b' LIKE ANY UNNEST(['a%', 'b%'])", true],
    ["'b' LIKE ALL (SELECT 'b%')", true],
    ['NULL IS UNKNOWN', true],
    ['CAST([1.255] AS ARRAY<NUMERIC(5, 2)>)[0]', '1.260000000'],
  ])('%s is %s', async (expression, expected) => {
    expect(await valueFor(expression)).toBe(expected);
  });

  test('a parameter as LIMIT is cast', async () => {
    const sql = 'SELECT x FROM UNNEST([1, 2]) AS x ORDER BY x LIMIT CAST(@n AS INT64)';
    expect(await dialect.query(sql, { n: '1' })).toEqual([['1']]);
    expect(messagesOf('SELECT 1 LIMIT @n')).toEqual([expect.stringContaining('CAST(@n AS INT64)')]);
  });

  test('a function of the query is computed from its arguments', async () => {
    const define =
      'CREATE TEMP FUNCTION twice(x FLOAT64) AS (x + x); CREATE TEMP FUNCTION f(x INT64, s STRING) RETURNS STRING AS (CONCAT(s, twice(x)));';
    expect(await dialect.query(`${define} SELECT f(1 + 2, 'a')`)).toEqual([['a6']]);
    expect(messagesOf(`${define} SELECT f('x', 'a')`)).toEqual(['expected INT64, got STRING']);
    const sum =
      'CREATE TEMP FUNCTION f(x ARRAY<STRUCT<key STRING, n INT64>>) AS ((SELECT SUM(n) FROM UNNEST(x)));';
    expect(
      await dialect.query(`${sum} SELECT f([STRUCT('a' AS key, NULL AS n)]), f([('a', NULL), ('b', 2)])`),
    ).toEqual([[null, '2']]);
    expect(messagesOf(`${sum} SELECT f([STRUCT('a' AS key, 1.5 AS n)])`)).toEqual([
      'expected ARRAY<STRUCT<key STRING, n INT64>>, got ARRAY<STRUCT<key STRING, n FLOAT64>>',
    ]);
    expect(messagesOf('CREATE TEMP FUNCTION f(x INT64) AS (f(x)); SELECT f(1)')).toEqual([
      'the function F is not supported',
    ]);
  });
});

describe('what BigQuery refuses', () => {
  test.each([
    ['SELECT 1 + NULL', 'operands of + cannot be literal NULL'],
    ['SELECT NOT NULL', 'operands of NOT cannot be literal NULL'],
    ['SELECT 1 = NULL', 'operands of = cannot be literal NULL: write IS NULL'],
    ['SELECT 1 <> NULL', 'operands of != cannot be literal NULL: write IS NOT NULL'],
    [
      'SELECT `p.d.f`(1)',
      'the function p.d.f is not available locally: define it with CREATE TEMP FUNCTION before the query',
    ],
    [
      'SELECT LAG(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM UNNEST([1]) AS x',
      'LAG takes no frame in its window',
    ],
    ['SELECT LAG(x, 1, x) OVER (ORDER BY x) FROM UNNEST([1]) AS x', 'the default of LAG must be a constant'],
    [
      'SELECT NTH_VALUE(x, 0) OVER (ORDER BY x) FROM UNNEST([1]) AS x',
      'the number in NTH_VALUE must be at least 1',
    ],
    ['SELECT NTILE(NULL) OVER (ORDER BY x) FROM UNNEST([1]) AS x', 'the number in NTILE must be at least 1'],
    [
      'SELECT ROW_NUMBER() OVER (ORDER BY x ROWS 1 PRECEDING) FROM UNNEST([1]) AS x',
      'ROW_NUMBER takes no frame in its window',
    ],
    [
      "SELECT STRING_AGG(x, NULL) FROM UNNEST(['a']) AS x",
      'the delimiter of STRING_AGG must be a literal or a parameter, not NULL',
    ],
    [
      'SELECT APPROX_TOP_COUNT(x, 0) FROM UNNEST([1]) AS x',
      'the number in APPROX_TOP_COUNT must be at least 1',
    ],
    ["SELECT CAST('a' AS STRING COLLATE 'und:ci')", 'COLLATE in a type is not supported'],
    ["SELECT NUMERIC '1.1234567891'", 'invalid NUMERIC literal: 1.1234567891'],
  ])('%s: %s', (sql, message) => {
    expect(messagesOf(sql)).toEqual([message]);
  });
});

describe('FORMAT with a format string that conditions choose', () => {
  /** Calls inside calls, as deep as a number says. */
  const nested = (depth: number, call: (inner: string) => string): string =>
    depth === 0 ? "CONCAT('a', '')" : call(nested(depth - 1, call));

  test.each([
    ["FORMAT(CASE 1 WHEN 1 THEN IF(FALSE, '%d', '%3d|') ELSE '%t' END, 1 + 1)", '  2|'],
    ["FORMAT(CASE 1 WHEN 2 THEN '%d' END, 1)", null],
    ["FORMAT('<' || IF(x < 0, 'm', 'p') || '%3d>', ABS(x)) FROM UNNEST([-7]) AS x", '<m  7>'],
    [
      "FORMAT(IF((SELECT COUNT(*) > 1 FROM UNNEST([1, 2])), '%05d', '%d'), (SELECT MAX(x) FROM UNNEST([7, 8]) AS x))",
      '00008',
    ],
    [
      "(SELECT FORMAT(IF(COUNT(*) > 2, 'many %t', IF(COUNT(*) > 1, 'two %t', NULL)), SUM(x)) FROM UNNEST([1, 2]) AS x)",
      'two 3',
    ],
    [
      nested(14, (inner) => `FORMAT(IF(1 < 2, '(%s)', '[%s]'), ${inner})`),
      `${'('.repeat(14)}a${')'.repeat(14)}`,
    ],
    [nested(14, (inner) => `FORMAT(IF((SELECT TRUE), '%s', '[%s]'), ${inner})`), 'a'],
  ])('%s', async (expression, expected) => {
    expect(await valueFor(expression)).toBe(expected);
  });

  test('chooses among two hundred specifiers at most', () => {
    const chosen = (count: number) => `FORMAT(CASE id ${"WHEN 1 THEN '%d' ".repeat(count)}END, id) FROM logs`;
    expect(messagesOf(`SELECT ${chosen(200)}`)).toEqual([]);
    const message = 'the format strings that FORMAT chooses among have at most 200 specifiers together';
    expect(messagesOf(`SELECT ${chosen(201)}`)).toEqual([message]);
    expect(messagesOf(`SELECT FORMAT(IF(id = 1, '${'%d'.repeat(200)}', ''), id) FROM logs`)).toEqual([
      message,
    ]);
  });
});

describe('values of many megabytes are not made', () => {
  test.each([
    [
      'TO_JSON_STRING(JSON \'{"a":[1,{}],"b":"]{"}\', TRUE)',
      '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": "]{"\n}',
    ],
    ["LENGTH(REPEAT('x', 1048576))", '1048576'],
    ["REPEAT('', 1000000000000)", ''],
    ["TO_HEX(REPEAT(b'\\x01\\x02', 2))", '01020102'],
    ['ARRAY_LENGTH(GENERATE_ARRAY(1, 1048575))', '1048575'],
    ['ARRAY_LENGTH(GENERATE_ARRAY(0.5, 3))', '3'],
  ])('%s is %s', async (expression, expected) => {
    expect(await valueFor(expression)).toBe(expected);
  });

  test.each([
    ["REPEAT('x', 1048577)", 'Output of REPEAT exceeds max allowed output size of 1MB'],
    ["REPEAT(REPEAT('ü', 1000), 1000)", 'Output of REPEAT exceeds'],
    ["REPEAT(b'xy', 1000000000000)", 'Output of REPEAT exceeds'],
    ["LPAD('x', 2000000000)", 'Output of LPAD/RPAD exceeds max allowed output size of 1MB'],
    ["RPAD(b'x', 1048577, b'y')", 'Output of LPAD/RPAD exceeds'],
    [
      "TO_JSON_STRING(PARSE_JSON(REPEAT('[', 2000) || REPEAT('1,', 2000) || '1' || REPEAT(']', 2000)), TRUE)",
      'TO_JSON_STRING makes at most 10 MB',
    ],
    ['GENERATE_ARRAY(1, 100000000)', 'Cannot generate arrays with more than 1048575 elements'],
    ['GENERATE_ARRAY(-9223372036854775808, 9223372036854775807, 2)', 'Cannot generate arrays'],
    ["GENERATE_ARRAY(NUMERIC '0', 1e9)", 'Cannot generate arrays'],
    ['GENERATE_ARRAY(0.0, 1e300, 0.1)', 'Cannot generate arrays'],
  ])('%s fails', async (expression, message) => {
    await expect(valueFor(expression)).rejects.toThrow(message);
  });
});
