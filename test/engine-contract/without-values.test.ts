import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { problemWithoutValues, withoutValues } from '../../src/engine-contract/without-values.ts';
import { queryText } from '../support/queries.ts';
import { openTestApp, type Rows } from '../support/test-app.ts';

const messageOf = (text: string) => (withoutValues(new Error(text)) as { message: string }).message;

describe('an error in the log', () => {
  test.each([
    [
      "Conversion Error: Could not convert string 'error: Bad int64 value: secret,2' to INT8",
      'Conversion Error: Could not convert string … to INT8',
    ],
    [
      "Conversion Error: Could not convert string 'it's secret' to INT64",
      'Conversion Error: Could not convert string … to INT64',
    ],
    [
      "Conversion Error: Could not convert string 'it's secret",
      'Conversion Error: Could not convert string …',
    ],
    ['Conversion Error: Type DOUBLE with value 1e300 can', 'Conversion Error: Type DOUBLE with value …'],
    [
      'Out of Range Error: Overflow in multiplication of INT64 (12 * 3)!',
      'Out of Range Error: Overflow in multiplication of INT64 …',
    ],
    [
      'Invalid Input Error: Malformed JSON at byte 0 of input: secret',
      'Invalid Input Error: Malformed JSON at byte …',
    ],
    [
      'Out of Memory Error: failed to allocate 1.0 GiB (1/1)',
      'Out of Memory Error: failed to allocate 1.0 GiB (1/1)',
    ],
    ['IO Error: No space left on "a.duckdb"\nsecret', 'IO Error: No space left on "a.duckdb"'],
    ['BigQuery: 400 invalidQuery Bad int64 value: secret', 'BigQuery: 400 invalidQuery Bad int64 value: …'],
    ['BigQuery: 400 invalidQuery the text of ERROR(secret)', 'BigQuery: 400 invalidQuery …'],
    [
      'BigQuery: 400 invalidQuery Syntax error: Unexpected "x" at [1:2]',
      'BigQuery: 400 invalidQuery Syntax error: …',
    ],
    ['BigQuery: 404 notFound Not found: Table p:d.t', 'BigQuery: 404 notFound Not found: Table p:d.t'],
    ['BigQuery: 400 invalidQuery Cannot find secret', 'BigQuery: 400 invalidQuery Cannot …'],
    ['BigQuery: 400  secret', 'BigQuery: 400  …'],
    [
      "Conversion Error: Could not convert string 'x\n    at secret (a.ts:1:2)' to INT8",
      'Conversion Error: Could not convert string … to INT8',
    ],
    [`Unexpected token '<', "<script>sec"... is not valid JSON`, 'Unexpected token …'],
    ['the statement was closed', 'the statement was closed'],
  ])('%s is written as %s', (text, expected) => {
    expect(messageOf(text)).toBe(expected);
    expect(JSON.stringify(withoutValues(new Error(text)))).not.toContain('secret');
  });

  test('keeps where it was thrown, and the address of a failed connection', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9050'), { syscall: 'connect' });
    expect(withoutValues(error)).toMatchObject({
      message: error.message,
      stack: expect.stringMatching(/^at /),
    });
  });

  test('has no text of a caller or a row, whatever the quotes in it', () => {
    const hostile = fc.string({
      unit: fc.constantFrom("'", '"', '`', ' ', '\n', ':', '[', '1', 'zq', ' to ', '\\'),
    });
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const value = `${one}zqzq${other}`;
        for (const text of [
          `Conversion Error: Could not convert string '${value}' to INT8`,
          `Conversion Error: invalid timestamp field format: "${value}", expected format is (YYYY-MM-DD)`,
          `Invalid Input Error: Failed to parse string "${value}"`,
          `BigQuery: 400 invalidQuery Bad int64 value: ${value}`,
          `BigQuery: 400 invalidQuery ${value}`,
        ]) {
          expect(messageOf(text)).not.toContain('zq');
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each([
  ['logs.ndjson:3: ts: "yesterday" is not a timestamp', 'logs.ndjson:3: ts: … is not a timestamp'],
  [
    'a-2026.csv: 5 rows cannot be read, the first: row 4: ts: "x" is not',
    'a-2026.csv: 5 rows cannot be read, the first: row 4: ts: … is not',
  ],
  [
    'a.ndjson: 5 rows cannot be read, the first: line 4: ts: "x" is not 12',
    'a.ndjson: 5 rows cannot be read, the first: line 4: ts: … is not …',
  ],
  ['logs.ndjson:2: 9223372036854775808 is too large', 'logs.ndjson:2: … is too large'],
  [
    'logs.ndjson:2: not JSON: the last line is not finished',
    'logs.ndjson:2: not JSON: the last line is not finished',
  ],
  ['logs.csv: the header has \'a "b" c\' twice', 'logs.csv: the header has … twice'],
  [
    'logs.ndjson:2: Expected OBJECT, but got "secret that was cu',
    'logs.ndjson:2: Expected OBJECT, but got …',
  ],
  [
    'the disk of the store is nearly full: 12 MB are free',
    'the disk of the store is nearly full: 12 MB are free',
  ],
])('a problem of the data: %s', (problem, expected) => {
  expect(problemWithoutValues(problem)).toBe(expected);
});

test.each([
  'orders.csv:2: must be UTF-8: iconv -f latin1 -t utf-8',
  'orders.ndjson:2: not JSON: must be UTF-8: iconv -f latin1 -t utf-8',
  'orders.csv: 12 rows cannot be read, the first: row 3: must be UTF-8: iconv -f latin1 -t utf-8',
  'orders.csv: must be UTF-8; it is UTF-16: iconv -f utf-16 -t utf-8',
  'orders.csv: must be UTF-8; line 7 is not: iconv -f latin1 -t utf-8',
  "orders.csv: must have lines that end in LF or CRLF; they end in CR: tr '\\r' '\\n'",
  "a-2026.csv: must have one kind of line ends; line 1 ends in CRLF, line 2 in LF: sed -i 's/\\r$//' makes all LF",
  'orders.ndjson:2: the key "name_2" occurs twice',
  'orders.ndjson: 2 rows cannot be read: it is UTF-16: iconv -f utf-16 -t utf-8',
  'orders.ndjson:1: the line is longer than 16 MB',
  'ragged.csv:3: Expected Number of Columns: 2 Found: 3',
  'ragged.csv: 2 rows cannot be read, the first: line 3: Expected Number of Columns: 2 Found: 3',
  "orders.parquet: File 'orders.parquet' too small to be a Parquet file",
  "orders/it's 1.parquet: No magic bytes found at end of file 'orders/it's 1.parquet'",
  'ragged.csv: must have values separated by commas, found ;; save it with commas',
])('advice of ours about the data is written as it is: %s', (problem) => {
  expect(problemWithoutValues(problem)).toBe(problem);
});

test.each([
  'a.csv:2: s: "secret must be UTF-8: iconv -f latin1 -t utf-8" is not an integer',
  "a.csv:2: s: 'secret: must be UTF-8: iconv -f latin1 -t utf-8",
  'a.csv:2: s: "the key "secret" occurs twice',
  'a.csv:2: Expected Number of Columns: 2 Found: 3, but got "secret"',
  "a.csv:2: File 'secret' too small to be a Parquet file",
])('a value with its words is not: %s', (problem) => {
  expect(problemWithoutValues(problem)).not.toContain('secret');
});

describe('the log of a gateway', () => {
  const logOf = async (
    level: string,
    rows: Rows,
    requests: readonly string[],
    files: Record<string, string> = {},
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
    cpSync('queries', folder, { recursive: true });
    const parameters = { x: '{ type: string, description: X. }' };
    const draft = { columns: { n: 'integer' }, parameters };
    const sql = (value: string) => `select cast(${value} as int64) as n from edge_logs as t where @x != '-'`;
    const texts = {
      'e.mix': sql('concat(t.event_message, lower(@x))'),
      'e.data': sql('t.event_message'),
      'e.time': `select unix_seconds(parse_timestamp('%F', t.event_message)) as n from edge_logs as t where @x != '-'`,
      'e.error': `select error(concat('no ', t.event_message, @x)) as n from edge_logs as t`,
      'e.json': `select cast(json_value(parse_json(t.event_message), '$.n') as int64) as n from edge_logs as t where @x != '-'`,
      'e.overflow': `select 9223372036854775807 + length(t.event_message) as n from edge_logs as t where @x != '-'`,
    };
    for (const [name, text] of Object.entries(texts)) {
      writeFileSync(join(folder, `${name}.sql`), queryText({ name, ...draft, sql: text }));
    }
    const lines: string[] = [];
    const log = pino({ level }, { write: (line) => void lines.push(line) });
    const app = await openTestApp(rows, { QUERIES_DIR: folder }, { log, files });
    const statuses: number[] = [];
    for (const request of requests) {
      const response = await app.fetch(`/api/endpoints/query/${request}`);
      statuses.push(response.status);
      expect(await response.text()).not.toMatch(/rowsecret|parametersecret/i);
    }
    await app.close();
    rmSync(folder, { recursive: true });
    return { text: lines.join(''), statuses };
  };
  const messages = ["it's RowSecret's", '"RowSecret": `x`', '[1:2] RowSecret'];
  const rows = messages.map((event_message) => ({
    timestamp: '2026-03-10T12:00:00Z',
    project: 'p',
    event_message,
  }));
  const names = ['e.mix', 'e.data', 'e.time', 'e.error', 'e.json', 'e.overflow'];
  const values = [
    'ParameterSecret,2',
    "a'b ParameterSecret",
    '"ParameterSecret',
    "to INT8 ParameterSecret' to INT8",
  ];
  const requests = names.flatMap((name) => values.map((x) => `${name}?${new URLSearchParams({ x })}`));
  const files = { 'postgres_logs.ndjson': '{"timestamp":"rowsecret"}\n{"id": rowsecret}\n' };

  test('has no value of a row or a parameter when queries fail on them', async () => {
    for (const row of rows) {
      const { text, statuses } = await logOf('info', { edge_logs: [row] }, requests, files);
      expect(statuses).toContain(502);
      expect(text).not.toMatch(/rowsecret|parametersecret/i);
      expect(text).toMatch(/Conversion Error/);
    }
  });

  test('has them on the level debug', async () => {
    const { text } = await logOf('debug', { edge_logs: rows.slice(0, 1) }, requests, files);
    expect(text).toMatch(/RowSecret/);
  });
});
