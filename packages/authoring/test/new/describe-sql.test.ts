import { describe, expect, test } from 'vitest';
import { partText } from '../../../../test/support/queries.ts';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { tenantColumns } from '../../src/proposals/tenant-columns.ts';
import { describeText } from './describe-text.ts';

describe('columns', () => {
  test.each([
    ['ts', 'ts', 'timestamp required'],
    ['timestamp_trunc(ts, hour) as h', 'h', 'timestamp required'],
    ['count(*) as n', 'n', 'integer required'],
    ['countif(status > 1) as n', 'n', 'integer required'],
    ['max(status) as n', 'n', 'integer'],
    ['max(ts) as n', 'n', 'timestamp'],
    ["coalesce(project, '') as p", 'p', 'string required'],
    ['status is null as b', 'b', 'boolean required'],
    ['status > 1 as b', 'b', 'boolean'],
    ['tags', 'tags', 'string repeated required'],
    ['request', 'request', 'record'],
    ['cast(cost as numeric) as c', 'c', 'numeric'],
    ['date(ts) as d', 'd', 'date required'],
    ['null as nothing', 'nothing', 'integer'],
  ])('%s is %s: %s', async (item, name, expected) => {
    const isAggregate = /^(?:count|countif|max)\(/.test(item);
    const { columns } = await describeText(`select ${item} from logs${isAggregate ? '' : ' as l'}`);
    const [column] = columns;
    expect(column?.name).toBe(name);
    const words = [
      column?.type ?? 'undefined',
      column?.repeated && 'repeated',
      column?.required && 'required',
    ];
    expect(words.filter(Boolean).join(' ')).toBe(expected);
  });

  test('an extreme of a group is not NULL if no value is, the nullable side of an outer join may be', async () => {
    const grouped = await describeText('select project, max(ts) as last from logs group by project');
    expect(grouped.columns.map(({ required }) => required)).toEqual([false, true]);
    const joined = await describeText(
      'with u as (select id, 1 as one from users) select l.ts, u.id, u.one from logs as l left join u on u.id = l.project',
    );
    expect(joined.columns.map(({ required }) => required)).toEqual([true, false, false]);
  });

  test.each([
    ['status', "status > 1 and project = 'a'", true],
    ['status', 'status > 1 or project is null', false],
    ['status', 'status > 1 or status in (0, -1)', true],
    ['status', 'status is not null', true],
    ['status', 'status is null', false],
    ['status', "coalesce(status, 1) = 1 and project != 'a'", false],
    ['status', 'not (status > 1)', true],
    ['date(day)', "date_diff(day, '2026-01-01', day) > 3", true],
    ['request.path', "lower(request.path) = 'a'", true],
    ['request.path', 'request is not null', false],
    ['request', "request.path = 'a'", true],
    ['status / 2', 'status between 1 and 5', true],
    ['safe_divide(status, 2)', 'status = 1', false],
    ['round((status + 1) / status, 2)', 'status = 1', true],
    ['round(status / cost, 2)', 'status = 1', false],
    ['safe_cast(project as int64)', "project = 'a'", false],
    ['concat(project, cast(status as string))', "project = 'a' and status = 1", true],
    ['status', 'regexp_contains(project, @p)', false],
    ['project', "regexp_contains(project, 'p')", true],
    // Results leave out NaN like NULL.
    ['cost', 'cost > 1', false],
    ['coalesce(cost, 0)', 'true', false],
    ['cast(project as float64)', "project = 'a'", false],
    ['(select countif(cost > 1) from unnest([1])) / 2', 'true', false],
    ['round(if(cost > 1, status, 2) / 3)', 'status = 1', true],
    ['coalesce(safe_divide(status, 2), 0)', 'true', true],
  ])('%s where %s is never NULL: %s', async (item, condition, expected) => {
    const { columns } = await describeText(`select ${item} as x from logs where ${condition}`);
    expect(columns[0]?.required).toBe(expected);
  });

  test('a condition of an inner join leaves no NULL, one of an outer join does', async () => {
    const required = async (join: string) => {
      const { columns } = await describeText(
        `select l.project from logs as l ${join} join users as u on u.id = l.project`,
      );
      return columns[0]?.required;
    };
    expect(await required('inner')).toBe(true);
    expect(await required('left')).toBe(false);
    expect(await required('full')).toBe(false);
  });

  test('a key of other grouping sets is NULL, also if its column is not', async () => {
    const { columns } = await describeText('select ts, count(*) as n from logs group by rollup (ts)');
    expect(columns.map(({ required }) => required)).toEqual([false, true]);
  });

  test('the rate of a group is not NULL', async () => {
    const { columns } = await describeText(
      'select round(countif(status > 499) / count(*) * 100, 2) as percent from logs group by project',
    );
    expect(columns[0]?.required).toBe(true);
  });

  test('a column that is a field of a table has its description', async () => {
    const { columns } = await describeText(
      'with a as (select l.ts, l.request from logs as l) select ts, request.path from a',
    );
    expect(columns.map(({ description }) => description)).toEqual(['When it happened.', 'Path of the URL.']);
  });

  test.each([
    ['select *, 1 from users', 'column 2 of the result has no name: add AS and a name'],
    [
      'select * from (select status from logs) pivot (count(*) for status in (200, 404))',
      'the column _200 needs a name with a letter before the first digit',
    ],
    ['select *, id from users', 'two columns of the result are named id: add AS and another name'],
    ['select interval 1 day as i', 'the column i is INTERVAL'],
    ['select x from logs', 'no column is named x'],
    ['select ts from log', 'no table is named log'],
    ['selec 1', 'expected'],
  ])('%s is refused: %s', async (sql, message) => {
    const error = await describeText(sql).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ProblemError);
    expect((error as ProblemError).problems[0]?.message).toContain(message);
  });
});

describe('parameters', () => {
  test.each([
    ['status >= @p', 'integer INT64 required', 'status >= @p'],
    ['status between @p and 5', 'integer INT64 required', 'status between @p and 5'],
    ['status in (@p, 2)', 'integer INT64 required', 'status in (@p, 2)'],
    ['status + @p > 5', 'integer INT64 required', 'status + @p > 5'],
    ['cost > @p', 'float FLOAT64 required', 'cost > @p'],
    ['ts > @p', 'timestamp TIMESTAMP required', 'ts > @p'],
    ['ts > timestamp(@p)', 'timestamp required', 'ts > timestamp(@p)'],
    ["ts > timestamp(nullif(@p, ''))", 'timestamp', "ts > timestamp(nullif(@p, ''))"],
    [
      'ts > timestamp_sub(current_timestamp(), interval @p hour)',
      'integer INT64 required',
      'ts > timestamp_sub(current_timestamp(), interval @p hour)',
    ],
    ['day = @p', 'date DATE required', 'day = @p'],
    ['(day = @p or @p = project)', 'date required', '(day = cast(@p as date) or @p = project)'],
    ['(day = @p or ts = @p)', 'date required', '(day = cast(@p as date) or ts = timestamp(@p))'],
    ['datetime(ts) = @p', 'datetime DATETIME required', 'datetime(ts) = @p'],
    ['project = @p', 'string required', 'project = @p'],
    ["(@p = '' or project = @p)", 'string', "(@p = '' or project = @p)"],
    ['(@p is null or project = @p)', 'string', "(@p = '' or project = @p)"],
    ['(@p is null or status = @p)', 'integer INT64', '(@p is null or status = @p)'],
    [
      '(@p is null or status = @p or cost = @p)',
      'integer',
      "(@p = '' or status = cast(nullif(@p, '') as int64) or cost = cast(nullif(@p, '') as float64))",
    ],
    [
      'ts > coalesce(@p, current_timestamp())',
      'timestamp TIMESTAMP',
      'ts > coalesce(@p, current_timestamp())',
    ],
    ['project = ifnull(@p, project)', 'string', "project = ifnull(nullif(@p, ''), project)"],
    ["coalesce(project, @p) = 'a'", 'string required', "coalesce(project, @p) = 'a'"],
    [
      '(status > coalesce(@p, 5) or project = @p)',
      'integer',
      "(status > coalesce(cast(nullif(@p, '') as int64), 5) or project = @p)",
    ],
    ['regexp_contains(project, @p)', 'pattern required', 'regexp_contains(project, @p)'],
    ['status = cast(@p as int64)', 'integer required', 'status = cast(@p as int64)'],
    [
      '(status = cast(@p as int64) or status > @p)',
      'integer INT64 required',
      '(status = cast(@p as int64) or status > @p)',
    ],
    ['status = safe_cast(@p as int64)', 'integer', 'status = safe_cast(@p as int64)'],
    ['project in unnest(@p)', 'string[] required', 'project in unnest(@p)'],
    ['status in unnest(@p)', 'integer[] INT64 required', 'status in unnest(@p)'],
    ['day not in unnest(@p)', 'date[] DATE required', 'day not in unnest(@p)'],
    [
      '(@p is null or status in unnest(@p))',
      'integer[] INT64',
      '(array_length(@p) = 0 or status in unnest(@p))',
    ],
    [
      '(array_length(@p) = 0 or status in unnest(@p))',
      'integer[] INT64',
      '(array_length(@p) = 0 or status in unnest(@p))',
    ],
    [
      "(@p = '' or project in unnest(split(@p, ',')))",
      'string',
      "(@p = '' or project in unnest(split(@p, ',')))",
    ],
    ["(@p = '' or project in unnest(@p))", 'string', "(@p = '' or project in unnest(split(@p, ',')))"],
    ["substr(project, 1, @p) = 'a'", 'integer INT64 required', "substr(project, 1, @p) = 'a'"],
    ['round(cost, @p) > 1', 'integer INT64 required', 'round(cost, @p) > 1'],
    ['pow(cost, @p) > 1', 'float FLOAT64 required', 'pow(cost, @p) > 1'],
    ['mod(status, @p) = 0', 'integer INT64 required', 'mod(status, @p) = 0'],
    ["tags[safe_offset(@p)] = 'a'", 'integer INT64 required', "tags[safe_offset(@p)] = 'a'"],
    ['ts > timestamp_millis(@p)', 'integer INT64 required', 'ts > timestamp_millis(@p)'],
    ['day = date(2026, @p, 1)', 'integer INT64 required', 'day = date(2026, @p, 1)'],
    ['timestamp_trunc(ts, day, @p) = ts', 'string required', 'timestamp_trunc(ts, day, @p) = ts'],
    ['date(ts, @p) = day', 'string required', 'date(ts, @p) = day'],
    [
      'exists (select 1 from unnest(@p) as item where item = logs.status)',
      'integer[] INT64 required',
      'exists (select 1 from unnest(@p) as item where item = logs.status)',
    ],
    ['@p', 'boolean BOOL required', '@p'],
    ['if(@p, status, 1) = 1', 'boolean BOOL required', 'if(@p, status, 1) = 1'],
    ['@p and status = 1', 'boolean BOOL required', '@p and status = 1'],
    [
      "case @p when 'a' then status = 1 when 'b' then status = 2 end",
      'enum required a b',
      "case @p when 'a' then status = 1 when 'b' then status = 2 end",
    ],
    [
      "case @p when 'a' then status = 1 else status = 2 end",
      'enum a',
      "case @p when 'a' then status = 1 else status = 2 end",
    ],
    ["(@p = 'x' and status = 1)", 'enum required x', "(@p = 'x' and status = 1)"],
  ])('of %s: %s', async (condition, expected, converted) => {
    const { parameters, sql } = await describeText(`select ts from logs where ${condition}`);
    const [parameter] = parameters;
    const words = [
      `${parameter?.type}${parameter?.repeated ? '[]' : ''}`,
      parameter?.bind,
      parameter?.required && 'required',
      ...(parameter?.type === 'enum' ? parameter.values : []),
    ];
    expect(words.filter(Boolean).join(' ')).toBe(expected);
    expect(sql).toBe(`select ts from logs where ${converted}`);
  });

  test('LIMIT and OFFSET take integers', async () => {
    const { parameters, sql, limit } = await describeText('select ts from logs limit @n offset @m');
    expect(parameters.map(({ name, bind, required }) => `${name} ${bind} ${required}`)).toEqual([
      'n INT64 true',
      'm INT64 true',
    ]);
    expect(sql).toBe('select ts from logs limit @n offset @m');
    expect(limit).toBeUndefined();
  });
});

describe('tenant', () => {
  test('the parameter that is compared with a column of that name, with the tables that are not', async () => {
    const { tenants } = await describeText(
      'select l.ts from logs as l join users as u on u.id = l.tags[offset(0)] where l.project = @ref',
    );
    expect(tenants).toEqual([{ parameter: 'ref', column: 'project', unfiltered: ['users'] }]);
  });

  test.each([
    ['`Customer Account`', true],
    ['accountId', true],
    ['`Twitter Account`', false],
    ['`顧客`', false],
  ])('%s is a column of tenants: %s', async (column, isTenant) => {
    const { tenants } = await describeText(`select n from orders where ${column} = @p`);
    const name = column.replaceAll('`', '');
    expect(tenants).toEqual(isTenant ? [{ parameter: 'p', column: name, unfiltered: [] }] : []);
  });

  test('is a text: columns of other types are none of a tenant', async () => {
    const columns = new Set(['status', 'day']);
    for (const condition of ['status = @id', 'status in unnest(@id)', 'day = @id']) {
      const { tenants } = await describeText(`select ts from logs where ${condition}`, [], columns);
      expect(tenants).toEqual([]);
    }
  });

  test('a list of tenants', async () => {
    const { tenants } = await describeText('select ts from logs where project in unnest(@refs)');
    expect(tenants).toEqual([{ parameter: 'refs', column: 'project', unfiltered: [] }]);
  });

  test('a column that other saved queries compare with their tenant', () => {
    const query = {
      sql: 'select 1 as a from logs where status = cast(@p as int64) and request.path = @p',
      tenant: { parameter: 'p', pattern: undefined },
    } as Parameters<typeof tenantColumns>[0][number];
    expect(tenantColumns([query]).has('path')).toBe(true);
    expect(tenantColumns([]).has('path')).toBe(false);
  });
});

describe('parts', () => {
  const parts = {
    'usage.base.sql': partText('SELECT ts, status FROM logs WHERE project = @ref AND day >= @since', {
      ref: '{ type: string, description: Whose rows., tenant: true }',
      since: '{ type: date, bind: DATE, description: The first day., default: -7d }',
    }),
    'views/daily.sql': 'CREATE VIEW stats.daily AS SELECT day, status, project FROM logs;',
    'functions/f.sql': 'CREATE FUNCTION udf.plus(a INT64, b ANY TYPE) AS (a + b);',
  };
  const described = (sql: string, chosen?: readonly string[]) => describeText(sql, chosen, undefined, parts);

  test('the parameters of parts are declared as there, beside those of the SQL', async () => {
    const { columns, parameters, tenants } = await described(
      'SELECT ts, udf.plus(@n, status) AS m FROM query.usage.base WHERE status = @code',
    );
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['ts timestamp', 'm integer']);
    expect(columns[0]?.description).toBe('When it happened.');
    expect(parameters.map(({ name, bind, declared }) => [name, bind, declared?.default])).toEqual([
      ['n', 'INT64', undefined],
      ['code', 'INT64', undefined],
      ['ref', undefined, undefined],
      ['since', 'DATE', '-7d'],
    ]);
    expect(tenants).toEqual([{ parameter: 'ref', column: 'project', unfiltered: [] }]);
  });

  test('a parameter that is bound to one of a part is declared as this, and one with a literal is not', async () => {
    const { parameters, proposals, sql } = await described(
      "SELECT ts FROM query.usage.base(ref => @owner, since => DATE '2026-01-01')",
      ['all'],
    );
    expect(parameters.map(({ name, declared }) => [name, declared?.type])).toEqual([['owner', 'string']]);
    expect(proposals).toEqual([]);
    expect(sql).toBe("SELECT ts FROM query.usage.base(ref => @owner, since => DATE '2026-01-01')");
  });

  test('literals and conversions have their places in the SQL as its author writes it', async () => {
    const { sql, tenants } = await described(
      "SELECT s.day, s.status FROM stats.daily AS s WHERE s.project = 'a' AND (s.status > @n OR FORMAT('%s', @n) = '1')",
      ['all'],
    );
    expect(sql).toBe(
      "SELECT s.day, s.status FROM stats.daily AS s WHERE s.project = @project AND (s.status > cast(@n as int64) OR FORMAT('%s', @n) = '1')",
    );
    expect(tenants).toEqual([{ parameter: 'project', column: 'project', unfiltered: [] }]);
  });

  test.each([
    ['SELECT x FROM query.usage', 'a.sql:1:15 no saved query is named usage'],
    ['SELECT ts FROM query.a', 'a.sql:1:16 no saved query is named a'],
    ['SELECT nme FROM stats.daily', 'a.sql:1:8 no column is named nme'],
    [
      'SELECT ts FROM query.usage.base(ref => @r, since => 1)',
      'since: expected a parameter or a literal of type DATE',
    ],
  ])('%s is refused at its place: %s', async (sql, message) => {
    await expect(described(sql)).rejects.toThrow(message);
  });
});
