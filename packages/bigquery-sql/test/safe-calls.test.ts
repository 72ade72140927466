import { expect, test } from 'vitest';
import { ownSession } from './support/own-session.ts';

const { answer } = ownSession();

/** In a lambda, of columns and of literals: DuckDB computes each at another time. */
const rowsOf = (a: string, b: string) => `FROM UNNEST([STRUCT(${a} AS a, ${b} AS b), ('x', 'x')]) AS t`;

test.each([
  ['EDIT_DISTANCE(%a, %b)', "REPEAT('a', 4000)", "REPEAT('b', 4000)", /over 10,000,000 is not supported$/],
  ['EDIT_DISTANCE(%a, %b, max_distance => 9)', "REPEAT('é', 600)", "REPEAT('b', 600)", /250,000, is not/],
  ['REGEXP_INSTR(%a, %b)', "'aab'", "'(a|b)+'", /^REGEXP_INSTR is not supported for the group/],
  ['REGEXP_INSTR(%a, %b, 1, 2)', "'aab'", "'a*'", /is not supported if a match is empty$/],
])('SAFE.%s refuses what is not supported, instead of NULL', async (call, a, b, message) => {
  const [overLiterals, overColumns] = [[a, b] as const, ['t.a', 't.b'] as const].map(
    ([first, second]) => `SELECT SAFE.${call.replace('%a', first).replace('%b', second)}`,
  );
  expect(await answer(overLiterals ?? '')).toMatch(message);
  expect(await answer(`${overColumns} ${rowsOf(a, b)}`)).toMatch(message);
});

test.each([
  ["SAFE.EDIT_DISTANCE('a', 'b', max_distance => -1)", null],
  ["SAFE.REGEXP_INSTR('a', '(')", null],
  ["SAFE.REGEXP_EXTRACT_ALL('a', '(')", null],
  ["SAFE.REGEXP_INSTR('ab', '(a)(b)')", null],
  ["SAFE.REGEXP_INSTR('ab', 'b')", '2'],
  [String.raw`TO_JSON_STRING(SAFE.REGEXP_EXTRACT_ALL('xaxa x x', r'a|\b'))`, '["","a","a","","","",""]'],
  [String.raw`SAFE.REGEXP_EXTRACT('xaxa x', r'x|\b', 1, 3)`, ''],
  ["SAFE.JSON_QUERY(JSON '{}', '$.a.')", null],
  ["SAFE.JSON_QUERY(JSON '{}', 'lax $[')", null],
  ["SAFE.JSON_VALUE('{}', '$[')", null],
  ["SAFE.JSON_VALUE_ARRAY('{}', '$[')", null],
  ["SAFE.JSON_EXTRACT_ARRAY('{}', 'a')", null],
  [`SAFE.JSON_EXTRACT('{"a":1}', "$['a']")`, '1'],
  [`SAFE.JSON_QUERY('{"a":1}', "$['a']")`, null],
])('%s is %s', async (call, value) => {
  expect(await answer(`SELECT ${call}`)).toEqual([[value]]);
});

test.each([
  ["PARSE_DATE(IF(STRPOS(s, '/') > 0, '%d/%m/%Y', '%Y-%m-%d'), s)", ['2024-01-02', '2024-02-03', null]],
  ["PARSE_DATE(IF((SELECT STRPOS(s, '/')) > 0, '%d/%m', '%m') || '/%Y', s)", [null, '2024-02-03', null]],
  [
    "FORMAT(CASE WHEN s < '1' THEN '%t!' WHEN s < '3' THEN '%t' || '?' END, s)",
    ['2024-01-02?', '03/02/2024!', null],
  ],
  ["FORMAT_DATE('%Y' || '-%m', DATE '2024-01-02')", ['2024-01', '2024-01', '2024-01']],
])('a format that is joined, or chosen by conditions, is one of SAFE.%s', async (call, values) => {
  const rows = "FROM UNNEST(['2024-01-02', '03/02/2024', 'x']) AS s WITH OFFSET AS i ORDER BY i";
  expect(await answer(`SELECT SAFE.${call} ${rows}`)).toEqual(values.map((value) => [value]));
});

test('an error of the condition that chooses a format is an error', async () => {
  const call = "SAFE.PARSE_DATE(IF(1 / n > 1, '%Y', '%m'), '2024')";
  expect(await answer(`SELECT ${call} FROM UNNEST([0]) AS n`)).toMatch(/division by zero/);
});

test('a path that is wrong is NULL, in a literal, a parameter or a column, for each row of texts and JSON', async () => {
  const from = `FROM UNNEST(['{"a":1}', '{"a":2}']) AS j, UNNEST(['$.a', '$[']) AS p ORDER BY j, p`;
  const parameters = { parameters: { path: '$[' } };
  const sql = `SELECT SAFE.JSON_VALUE(j, '$.a'), SAFE.JSON_VALUE(j, '$['), SAFE.JSON_QUERY(PARSE_JSON(j), @path), SAFE.JSON_VALUE(j, p) ${from}`;
  expect(await answer(sql, parameters)).toEqual([
    ['1', null, null, '1'],
    ['1', null, null, null],
    ['2', null, null, '2'],
    ['2', null, null, null],
  ]);
});

test('a query of SEARCH whose meaning is not documented is refused by SAFE.SEARCH, too', async () => {
  const sql = 'SELECT SAFE.SEARCH(s, @q) FROM UNNEST(["a b"]) AS s';
  expect(await answer(sql, { parameters: { q: '"a AND b"' } })).toMatch(/AND or OR is not supported$/);
  expect(await answer(sql, { parameters: { q: '(a' } })).toEqual([[null]]);
});

test('SAFE is NULL for bad rows among good ones, also of a stored table', async () => {
  const rows = "SELECT * FROM UNNEST([STRUCT(2024 AS y, 2 AS m, 30 AS d, b'' AS x), (2024, 2, 29, b'ab')])";
  const columns = 'SAFE.DATE(y, m, d), SAFE.DATETIME(y, m, d, 0, 0, 0), x & x, ~x, BIT_COUNT(x)';
  const expected = [
    [null, null, '', '', '0'],
    ['2024-02-29', '2024-02-29T00:00:00.000000', 'YWI=', 'np0=', '6'],
  ];
  expect(await answer(`WITH t AS (${rows}) SELECT ${columns} FROM t ORDER BY d DESC`)).toEqual(expected);
  expect(await answer(`CREATE TEMP TABLE t AS ${rows}; SELECT ${columns} FROM t ORDER BY d DESC`)).toEqual(
    expected,
  );
});

test.each([
  'SAFE.TIMESTAMP(DATETIME "2024-01-01", zone)',
  'SAFE.DATETIME(TIMESTAMP "2024-01-01", zone)',
  'SAFE.STRING(TIMESTAMP "2024-01-01", zone)',
  'SAFE.TIMESTAMP_TRUNC(TIMESTAMP "2024-01-01", DAY, zone)',
  'SAFE.PARSE_TIMESTAMP("%F %Z", CONCAT("2024-01-01 ", zone))',
  'SAFE.FORMAT_TIMESTAMP("%F", TIMESTAMP "2024-01-01", zone)',
  'SAFE_CAST(CONCAT("2024-01-01 00:00:00 ", zone) AS TIMESTAMP)',
])('%s is NULL for zones that do not exist', async (call) => {
  const zones = "UNNEST(['UTC', 'EDT', 'Europe/Berlinn', 'Europe/Berlin']) AS zone";
  expect(await answer(`SELECT ${call} IS NULL FROM ${zones}`)).toEqual([[false], [true], [true], [false]]);
});
