import { expect, test } from 'vitest';
import { ownSession } from './support/own-session.ts';

const { answer } = ownSession();

const badZone = "'Nowhere/No'";

test.each([
  ['x << p', 'INT64', '-1'],
  ['x >> p', 'BYTES', '-1'],
  ['REGEXP_EXTRACT(x, p)', 'STRING', "'(a)(b)'"],
  ['REGEXP_SUBSTR(x, p)', 'BYTES', "b'('"],
  ['REGEXP_EXTRACT_ALL(x, p)', 'STRING', "'('"],
  ["REGEXP_REPLACE(x, p, 'b')", 'STRING', "'('"],
  ["REGEXP_REPLACE(x, 'a', p)", 'STRING', "'\\\\9'"],
  ["REGEXP_REPLACE('a', p, x)", 'STRING', "'('"],
  ['TIMESTAMP(x, p)', 'DATETIME', badZone],
  ['TIMESTAMP(x, p)', 'STRING', "'+99:00'"],
  ['DATE(x, p)', 'TIMESTAMP', badZone],
  ['STRING(x, p)', 'TIMESTAMP', badZone],
  ["FORMAT_TIMESTAMP('%F', x, p)", 'TIMESTAMP', badZone],
  ['TIMESTAMP_TRUNC(x, DAY, p)', 'TIMESTAMP', badZone],
  ['EXTRACT(HOUR FROM x AT TIME ZONE p)', 'TIMESTAMP', badZone],
  ['EXTRACT(DATE FROM x AT TIME ZONE p)', 'TIMESTAMP', badZone],
  ['TIME(x, p, 0)', 'INT64', '99'],
  ['DATETIME(2020, p, 1, x, 0, 0)', 'INT64', '99'],
  ['DATETIME(x, 1, 1, p, 0, 0)', 'INT64', '99'],
  ['GENERATE_ARRAY(x, 10, p)', 'INT64', '0'],
  ['GENERATE_RANGE_ARRAY(x, p)', 'RANGE<DATE>', 'INTERVAL 1 HOUR'],
  ['DATE_BUCKET(x, p)', 'DATE', 'INTERVAL 0 DAY'],
  ["TIMESTAMP_BUCKET(TIMESTAMP '2024-01-01', p, x)", 'TIMESTAMP', 'INTERVAL 1 MONTH'],
  ["TRANSLATE(x, p, 'bc')", 'STRING', "'aa'"],
  ['COSINE_DISTANCE(x, p)', 'ARRAY<FLOAT64>', '[1.0, NULL]'],
  ['x / p', 'INTERVAL', '0'],
  ['RANGE_BUCKET(x, p)', 'FLOAT64', "[CAST('nan' AS FLOAT64)]"],
  ['MAKE_INTERVAL(year => x, hour => p)', 'INT64', '87840001'],
  ['NET.IP_NET_MASK(p, x)', 'INT64', '99'],
  ['NET.IP_TRUNC(p, x)', 'INT64', "b'abc'"],
  ['TIMESTAMP(p, x)', 'STRING', "'bad'"],
  ["PARSE_TIMESTAMP('%F', p, x)", 'STRING', "'bad'"],
  ["CAST(p AS TIMESTAMP FORMAT 'YYYY' AT TIME ZONE x)", 'STRING', "'bad'"],
  ['CODE_POINTS_TO_BYTES([x, p])', 'INT64', '-1'],
])('%s is NULL in a row where x is NULL, whatever p is', async (call, type, wrong) => {
  const row = `UNNEST([STRUCT(CAST(NULL AS ${type}) AS x, ${wrong} AS p)])`;
  expect(await answer(`SELECT ${call} FROM ${row}`)).toEqual([[null]]);
});

test('a wrong operand fails in the rows where the others have values', async () => {
  const rows = "UNNEST([STRUCT(CAST(NULL AS STRING) AS x, '(a)(b)' AS p), ('a', '(a)(b)')])";
  expect(await answer(`SELECT REGEXP_EXTRACT(x, p) FROM ${rows}`)).toMatch(/more than 1 capturing group/);
});
