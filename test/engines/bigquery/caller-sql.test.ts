import { openSandbox } from '@querygate/bigquery-sql/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryFailed } from '../../../src/engines/bigquery/api/api-errors.ts';
import { draftQuery } from '../../support/queries.ts';
import { type FakeSetup, openWithFake } from './open-with-fake.ts';

const query = draftQuery({
  name: 'rows.of-something',
  columns: { id: 'string' },
  parameters: { who: '{ type: string, required: true, tenant: true, description: Who. }' },
  maxRows: 25,
  caching: ['caching: disabled', 'query_sandboxing: enabled'],
  sql: 'with logs as (select id, list from stored where who = @who) -- nothing\nselect id from logs',
});

const saved = 'with logs as (select id, list from stored where who = @who)';

let setup: FakeSetup;
beforeAll(async () => {
  setup = await openWithFake({}, [query]);
});
afterAll(() => setup.close());

/** The text that BigQuery receives, or the error. */
async function sent(sql: string): Promise<string> {
  const { fake, engine } = setup;
  const before = fake.received.length;
  const { signal } = new AbortController();
  const failure = await engine.run({ query, parameters: { who: 'me' }, sql }, { signal }).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const [request] = fake.received.slice(before);
  return request === undefined ? `nothing: ${failure}` : String(request.body.query);
}

/** The message for a text that BigQuery refuses. */
const refused = (sql: string, message: string): string =>
  queryFailed(
    { status: 400, reason: 'invalidQuery', message, retryAfterSeconds: undefined },
    { query, parameters: {}, sql },
  ).message;

describe('what BigQuery says of the text of a caller', () => {
  test.each([
    ['Unrecognized name: idd; Did you mean id? at [2:8]', 'select idd from logs', 'Unrecognized name: idd'],
    ['Function not found: FOO at [2:8]', 'select foo(id) from logs', 'Function not found: FOO'],
    [
      'No matching signature for function CONCAT for argument types: INT64. at [2:8]',
      'select concat(id) from logs',
      'No matching signature for function CONCAT',
    ],
    [
      'No matching signature for aggregate function SUM for argument types: STRING. at [2:8]',
      'select sum(id) from logs',
      'No matching signature for aggregate function SUM',
    ],
    [
      'Unrecognized name: idd at [2:8]',
      "select idd from logs where level = 'error' and regexp_contains(id, '\\\\d')",
      'Unrecognized name: idd',
    ],
    ['Name x not found inside logs at [2:8]', 'select logs.x from logs', 'Unrecognized name: x'],
  ])('%s', (message, sql, expected) => {
    expect(refused(sql, message)).toBe(`sql: ${expected}`);
  });

  test.each([
    ['of the saved text', 'Unrecognized name: secret at [1:8]', 'select id from logs'],
    ['of a value', 'Bad int64 value: Unrecognized name: id at [1:8]', 'select id from logs'],
    ['that ERROR() may write', 'Unrecognized name: id at [1:8]', 'select error(id) as x from logs'],
    [
      'that ERROR() with an escape may write',
      'Unrecognized name: id at [1:8]',
      'select `e\\x72ror`(id) as x from logs',
    ],
  ])('is not said if it is one %s', (_, message, sql) => {
    expect(refused(sql, message)).toMatch(/^sql: failed when it ran/);
  });
});

describe('SQL of a caller on BigQuery', () => {
  test.each([
    ['select id from logs', 'select id from logs'],
    [
      'SELECT id, -- a comment\n  "it\'s" /* and */ FROM `logs`; # another',
      "SELECT id, 'it\\u0027s' FROM `logs`",
    ],
    ['select id from logs l, l.list', 'select id from logs l, UNNEST(`l`.`list`) AS `list`'],
    [
      'select id from logs l left join `l.list` x with offset o',
      'select id from logs l left join UNNEST(`l`.`list`) x with offset o',
    ],
    [`select '''a\n'b''' || r"\\d" as x`, "select 'a\\u000a\\u0027b' || '\\u005cd' as x"],
    ["select b'\\x00a' as x", "select b'\\x00\\x61' as x"],
    ['(select id from logs)', 'select id from logs'],
    [
      'select x.id from logs as `my-logs`, my-logs.list as x',
      'select x.id from logs as `my-logs`, UNNEST(`my-logs`.`list`) as x',
    ],
  ])('%s is sent as its tokens, after the common tables', async (sql, expected) => {
    expect(await sent(sql)).toBe(`${saved}\n${expected}\n`);
  });

  test('its own common tables are added to those of the saved query', async () => {
    expect(await sent('with a as (select id from logs) select * from a where @who != id')).toBe(
      `${saved},\na as (select id from logs)\nselect * from a where @who != id\n`,
    );
  });

  test('the name of a common table with a dash is written so that no table can be meant', async () => {
    expect(await sent('with `my-ids` as (select id from logs) select * from my-ids')).toBe(
      `${saved},\n\`my-ids\` as (select id from logs)\nselect * from \`my-ids\`\n`,
    );
  });

  test('parentheses around the whole saved query are left out', () => {
    const source = { file: 'draft.sql', line: 1 };
    const functions = 'create temp function f(x int64) as ((x));\n';
    const inside = { ...query, sql: `${functions}((${query.sql}))`, source };
    const { bigqueryText } = openSandbox(inside, [], { hasOpenTables: true }).judge('select id from logs');
    expect(bigqueryText()).toBe(`${functions}${saved}\nselect id from logs\n`);
  });

  test.each([
    'select * from stored',
    'select * from data.logs',
    'select * from INFORMATION_SCHEMA.TABLES',
    'select * from data.information_schema.columns',
    'with a as (select table_name from `region-us`.INFORMATION_SCHEMA.TABLES) select * from a',
    'select (select count(*) from `p.d.INFORMATION_SCHEMA.PARTITIONS`) as n from logs',
    'select id from logs; drop table x',
    "select * from external_query('a', 'b')",
    'select id from logs /*',
    'with Logs as (select 1 as id) select * from Logs',
  ])('of %s nothing is sent', async (sql) => {
    expect(await sent(sql)).toMatch(/^nothing: GatewayError: sql: line 1, column \d+: /);
  });
});
