import { expect, test } from 'vitest';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';

const sandbox = openSandbox(
  {
    sql: "with logs as (select 'a' as s, 1 as n) select s from logs",
    source: { file: 'logs.sql', line: 1 },
    parameters: [],
    tenant: undefined,
  },
  [],
);

/** An expression around another one, and so on. */
const nested = (levels: number, start: string, wrap: (inner: string) => string): string =>
  Array.from({ length: levels }).reduce<string>((inner) => wrap(inner), start);

const listed = (count: number, separator: string, item: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => item(at)).join(separator);

const inside = 'too many calls and subqueries are inside each other; compute parts of it in a common table';

/** The most levels or items that a caller's SQL may have, and what is said of one more. */
test.each<[string, (count: number) => string, number, string]>([
  ['calls with a lambda', (n) => nested(n, 's', (of) => `regexp_extract(${of}, 'a')`), 8, inside],
  ['subqueries', (n) => nested(n, 'n', (of) => `(select max(x + ${of}) from unnest([1]) as x)`), 4, inside],
  ['BETWEEN', (n) => nested(n, 's', (of) => `if(${of} between 'a' and 'b', 'c', 'd')`), 25, inside],
  ['short calls', (n) => nested(n, 's', (of) => `lower(${of})`), 25, inside],
  ['calls of two macros', (n) => nested(n, 's', (of) => `substr(upper(${of}), -2)`), 12, inside],
  [
    'conditions',
    (n) => listed(n, ' and ', () => 'timestamp_trunc(timestamp_seconds(n), isoyear) = current_timestamp()'),
    172,
    'this expression becomes too large; compute parts of it in a common table',
  ],
  [
    'columns',
    (n) => listed(n, ', ', (at) => `format_timestamp('%F %T', timestamp_seconds(n)) as c${at}`),
    178,
    'this query becomes too large; ask for less at once',
  ],
])('%s: the limit of a text, and the message of the next one', (_, columns, most, message) => {
  expect(() => sandbox.judge(`select ${columns(most)} from logs`)).not.toThrow();
  expect(() => sandbox.judge(`select ${columns(most + 1)} from logs`)).toThrow(message);
});

const pivoted = (aggregates: string, values: number) =>
  `select 1 as x from (select s, n from logs) pivot(${aggregates} for n in (${listed(values, ', ', String)}))`;

test.each([
  ['columns', pivoted('max(s) as a, min(s) as a', 151), 'this query has 302 columns; the limit is 300'],
  [
    'copies of a long expression',
    pivoted(`max(concat(${listed(100, ', ', () => 's')}))`, 150),
    'sql becomes too large here; ask for less at once',
  ],
])('PIVOT is refused before its columns are built: %s', (_, sql, message) => {
  expect(() => sandbox.judge(sql)).toThrow(message);
});

test('PIVOT has as many columns as any query', () => {
  expect(() => sandbox.judge(pivoted('max(s) as a, min(s) as a', 150))).not.toThrow();
});
