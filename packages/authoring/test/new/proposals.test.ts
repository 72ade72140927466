import { describe, expect, test } from 'vitest';
import { describeText } from './describe-text.ts';

const proposalsOf = async (sql: string) => {
  const described = await describeText(sql);
  expect(described.sql).toBe(sql);
  return described.proposals.map(({ name, instead, default: value }) => `${name} ${value}: ${instead}`);
};
const inLogs = (condition: string) => proposalsOf(`select ts from logs where ${condition}`);

describe('literals that could be parameters', () => {
  test.each([
    ["ts >= timestamp '2026-01-31'", 'start_date 2026-01-31'],
    ["ts < '2026-01-31 10:30:00 UTC'", 'end_time 2026-01-31T10:30:00Z: @end_time'],
    ["'2026-01-31' <= day", 'start_date 2026-01-31: @start_date'],
    ["date(ts) = '2026-01-31'", 'day 2026-01-31: @day'],
    ["day > date('2026-01-31')", 'start_date 2026-01-31: @start_date'],
    ["project = 'abc'", 'project abc: @project'],
    ["ts >= timestamp('2026-01-31 00:00:00')", 'start_time 2026-01-31T00:00:00: @start_time'],
    ["date_diff(day, date '2026-01-31', day) > 3", 'day 2026-01-31: cast(@day as date)'],
    ["project in ('a', 'b')", 'projects a,b: UNNEST(@projects)'],
    ["request.path = 'x' and lower(project) = 'a' and project = 'b'", 'project b: @project'],
    ['ts > timestamp_sub(current_timestamp(), interval 7 day)', 'days 7: interval @days day'],
  ])('%s proposes %s', async (condition, expected) => {
    const [proposal] = await inLogs(condition);
    expect(proposal?.startsWith(expected)).toBe(true);
  });

  test.each([
    'status = 404',
    "request.path = '/x'",
    "project = ''",
    "project not in ('a', 'b')",
    'status in (1, 2)',
    "countif(project = 'a') over () > 0",
    "(project = 'a' or status = 1)",
    "exists (select 1 from unnest(tags) as key where key = 'a')",
  ])('%s has none', async (condition) => {
    const text = condition.includes('over ()') ? `true qualify ${condition}` : condition;
    expect(await inLogs(text)).toEqual([]);
  });

  test('bounds have names of their own, equal literals have one name, and no name that is in use', async () => {
    expect(await inLogs("day between '2026-01-01' and '2026-01-31' and ts >= '2026-01-01'")).toEqual([
      'start_date 2026-01-01: @start_date',
      'end_date 2026-01-31: @end_date',
      'start_date 2026-01-01: @start_date',
    ]);
    expect(await inLogs("day >= '2026-01-01' and ts >= '2026-01-02' and project != @end_date")).toEqual([
      'start_date 2026-01-01: @start_date',
      'start_date_2 2026-01-02: @start_date_2',
    ]);
    expect(await inLogs("project = 'a' and request.path = @project")).toEqual(['project_2 a: @project_2']);
  });

  test('days in the suffix of wildcard tables; keys of a list of pairs are no ids', async () => {
    const proposals =
      await proposalsOf(`select (select value from unnest(event_params) where key = 'page') as page
from \`a.b.events_*\` where _table_suffix between '20260101' and '20260131' and event_name = 'view'`);
    expect(proposals).toEqual([
      "start_date 2026-01-01: format_date('%Y%m%d', @start_date)",
      "end_date 2026-01-31: format_date('%Y%m%d', @end_date)",
      'event_name view: @event_name',
    ]);
    expect(await proposalsOf("select event_name from `events_20*` where _table_suffix = '260131'")).toEqual([
      "day 2026-01-31: format_date('%y%m%d', @day)",
    ]);
    const ofYear = "select event_name from `events_2026*` where _table_suffix >= '0131'";
    const {
      proposals: [proposal],
    } = await describeText(ofYear);
    expect(proposal).toMatchObject({
      default: '2026-01-31',
      instead: "format_date('%m%d', @start_date)",
      bounds: { min: '2026-01-01', max: '2026-12-31' },
    });
    expect(await proposalsOf("select event_name from `events_*` where _table_suffix >= '0131'")).toEqual([]);
  });

  test('a chosen one takes the place of the literal, which is the default', async () => {
    const sql = "select ts from logs where project = 'abc' and status = 4 and day > '2026-01-31'";
    const described = await describeText(sql, ['project']);
    expect(described.sql).toBe(sql.replace("'abc'", '@project'));
    expect(described.parameters).toMatchObject([{ name: 'project', type: 'string', default: 'abc' }]);
    expect(described.proposals.map(({ name }) => name)).toEqual(['start_date']);
    const all = await describeText(sql, ['all']);
    expect(all.parameters.map(({ name }) => name)).toEqual(['project', 'start_date']);
  });

  test('a chosen list is an array', async () => {
    const described = await describeText("select ts from logs where project in ('a', 'b')", ['projects']);
    expect(described.sql).toBe('select ts from logs where project in UNNEST(@projects)');
    expect(described.parameters).toMatchObject([{ repeated: true, type: 'string', default: ['a', 'b'] }]);
  });

  test('the days of an interval are at least one', async () => {
    const sql = 'select ts from logs where ts > timestamp_sub(current_timestamp(), interval 7 day)';
    expect((await describeText(sql, ['days'])).parameters).toMatchObject([
      { name: 'days', type: 'integer', bind: 'INT64', default: '7', bounds: { min: '1' } },
    ]);
  });

  test.each([
    ["request.path = '/x' and status >= 404", ['path /x: @path', 'min_status 404: @min_status']],
    ['status < 5 and 3 <= status', ['max_status 5: @max_status', 'min_status 3: @min_status']],
    ['cost between -1.5 and 2', ['min_cost -1.5: @min_cost', 'max_cost 2: @max_cost']],
    ['status in (1, 2)', ['status 1,2: UNNEST(@status)']],
    ["lower(project) = 'a'", ['lower a: @lower']],
    ["status != 4 or project = 'a'", []],
    ["request.path = ''", []],
    ["(select max(tag) from unnest(tags) as tag where tag = 'a') is null", []],
  ])('%s could have others on request', async (condition, expected) => {
    const sql = `select ts from logs where ${condition}`;
    const { others, proposals } = await describeText(sql);
    expect(others.map(({ name, instead, default: value }) => `${name} ${value}: ${instead}`)).toEqual(
      expected,
    );
    expect(proposals).toEqual([]);
  });

  test('on request only, a comparison, a list of an alias, and the LIMIT within the rows that are returned', async () => {
    const sql = `select tag, rank() over (order by ts) as position from logs, unnest(tags) as tag
where tag in ('a', 'b') and (select count(*) from users limit 3) > 1 qualify position <= 5 limit 100`;
    expect((await describeText(sql, ['all'])).parameters).toEqual([]);
    const described = await describeText(sql, ['tags', 'max_position', 'limit']);
    expect(described.sql).toBe(
      sql.replace("('a', 'b')", 'UNNEST(@tags)').replace('<= 5', '<= @max_position').replace('100', '@limit'),
    );
    expect(described.parameters).toMatchObject([
      { name: 'tags', repeated: true, default: ['a', 'b'] },
      { name: 'max_position', type: 'integer', bind: 'INT64', default: '5' },
      { name: 'limit', bind: 'INT64', default: '100', bounds: { min: '1', max: '1000' } },
    ]);
    expect(described.limit).toBe(1000);
  });

  test.each([
    ["`Customer Account` = 'acme'", 'customer_account', '`Customer Account` = @customer_account'],
    [
      "`Customer Account` in ('a', 'b')",
      'customer_accounts',
      '`Customer Account` in UNNEST(@customer_accounts)',
    ],
    ["o.accountId = 'acme'", 'account_id', 'o.accountId = @account_id'],
    ["o.`顧客` = 'acme'", 'value', 'o.`顧客` = @value'],
    ['`Net (€)` >= 5', 'min_net', '`Net (€)` >= @min_net'],
    ["`Order Month` = '202601'", 'order_month', '`Order Month` = @order_month'],
    [
      "accountId = 'b' and `Twitter Account` = @accountID",
      'account_id_2',
      'accountId = @account_id_2 and `Twitter Account` = @accountID',
    ],
  ])('the parameter of %s is named %s', async (condition, name, instead) => {
    const sql = 'select n from orders as o where ';
    const { others, proposals } = await describeText(sql + condition);
    expect([...proposals, ...others].map((one) => one.name)).toEqual([name]);
    const described = await describeText(sql + condition, [name]);
    expect(described.sql).toBe(sql + instead);
    expect(described.parameters.map((one) => one.name)).toContain(name);
  });

  test('one that is not proposed is refused', async () => {
    await expect(describeText("select ts from logs where project = 'abc'", ['projct'])).rejects.toThrow(
      'no parameter projct is proposed; proposed are project',
    );
  });
});

describe('names of columns', () => {
  test.each([
    ['select 1', 'select 1 AS column_1'],
    [
      'select project, count(*), sum(status), count(distinct status) from logs group by 1',
      'select project, count(*) AS count, sum(status) AS sum_status, count(distinct status) AS count_distinct_status from logs group by 1',
    ],
    [
      'select l.project, u.id as project from logs l, users u',
      'select l.project, u.id as project_2 from logs l, users u',
    ],
    [
      'select status as `Order Status (%)` from logs order by `Order Status (%)`',
      'select status as order_status_percent from logs order by order_status_percent',
    ],
    [
      'select count(*), count(*) as count from logs',
      'select count(*) AS count_2, count(*) as count from logs',
    ],
    [
      'select if(status > 499, 1, 0), 1 as `all!` from logs',
      'select if(status > 499, 1, 0) AS if_value, 1 as all_value from logs',
    ],
    [
      'select safe_cast(project as int64) from logs',
      'select safe_cast(project as int64) AS project from logs',
    ],
    [
      'select as struct ts, count(*) over () as n from logs',
      'select as struct ts, count(*) over () as n from logs',
    ],
    [
      'select status as `1st`, ts as _2, project as aB, day as a_b from logs order by `1st`',
      'select status as column_1st, ts as column_2, project as aB, day as a_b_2 from logs order by column_1st',
    ],
    ['select 1 union all select 2', 'select 1 AS column_1 union all select 2'],
  ])('%s becomes %s', async (sql, named) => {
    const described = await describeText(sql);
    expect(described.sql).toBe(named);
  });
});

describe('comments', () => {
  const described = (sql: string) => describeText(sql);

  test.each([
    ['-- requests of a day\nselect 1 as a', 'Requests of a day.'],
    ['#standardSQL\n/* Requests\n * of a day. */\nselect 1 as a', 'Requests of a day.'],
    ['-- ------\n-- requests\n-- Author: me\nselect 1 as a', 'Requests.'],
    ['-- select * from logs\nselect 1 as a', undefined],
    ['select 1 as a -- not before', undefined],
  ])('before the query: %j', async (sql, expected) => {
    expect((await described(sql)).description).toBe(expected);
  });

  test('with many blanks between words', async () => {
    const text = `-- a${' '.repeat(5000)}b`;
    expect((await described(`${text}\nselect 1 as a`)).description).toBe(undefined);
  });

  test('beside a column, before its field of the table', async () => {
    const { columns } = await described(`select
      ts, -- when it ended
      project, # whose it is
      status, status + 1 as next, /* the next one */
      ts as again -- noqa
    from logs -- all`);
    expect(columns.map(({ description }) => description)).toEqual([
      'When it ended.',
      'Whose it is.',
      undefined,
      'The next one.',
      'When it happened.',
    ]);
  });
});
