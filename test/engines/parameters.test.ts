import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BoundValues } from '../../src/catalog/binding/bind.ts';
import { skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import { queryText } from '../support/queries.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const numbers = 'select x from unnest(generate_array(1, 2000)) as x';

type Draft = Parameters<typeof queryText>[0];

const readTwice = (source: string, parameter: string): Draft => ({
  columns: { x: 'string' },
  parameters: { p: parameter },
  sql: `with s as (${source}) select x from s union all select a.x from s as a join s as b on a.x = b.x order by x limit 100`,
});

const queries: Readonly<Record<string, Draft>> = {
  'integers.in': {
    columns: { x: '{ type: integer, description: X. }' },
    maxRows: 2000,
    parameters: { status: '{ type: integer, repeated: true, min: 0, max: 5000, description: Status. }' },
    sql: `${numbers} where x in unnest(@status) order by x`,
  },
  'texts.in': {
    columns: { x: '{ type: integer, description: X. }', place: '{ type: integer, description: At. }' },
    maxRows: 2000,
    parameters: { names: '{ type: string, repeated: true, description: Names. }' },
    sql: 'select length(name) as x, place from unnest(@names) as name with offset as place order by place',
  },
  'all.lists': {
    columns: {
      n: 'integer',
      first: 'string',
      days: 'string',
      moments: 'string',
      flags: 'integer',
      floats: 'float',
    },
    parameters: {
      names: "{ type: string, repeated: true, default: ['a', 'b'], description: Names. }",
      days: '{ type: date, repeated: true, description: Days. }',
      moments: '{ type: timestamp, repeated: true, description: Moments. }',
      flags: '{ type: boolean, repeated: true, description: Flags. }',
      floats: '{ type: float, repeated: true, description: Floats. }',
      kinds:
        '{ type: enum, enum: Kind, repeated: true, description: K., values: { one: { name: ONE, description: One. }, two: { name: TWO, description: Two. } } }',
    },
    sql: `select array_length(@names) + array_length(@kinds) as n, if(array_length(@names) > 0, @names[offset(0)], null) as first,
  array_to_string(array(select cast(date_add(d, interval 1 day) as string) from unnest(@days) as d order by d), ',') as days,
  array_to_string(array(select cast(unix_micros(m) as string) from unnest(@moments) as m order by m), ',') as moments,
  (select countif(f) from unnest(@flags) as f) as flags,
  (select sum(f) from unnest(@floats) as f) as floats`,
  },
  'scalars.typed': {
    columns: {
      n: 'integer',
      f: 'float',
      flag: 'boolean',
      day: 'date',
      moment: 'timestamp',
      local: 'datetime',
      text: 'string',
      absent: 'string',
    },
    parameters: {
      n: '{ type: integer, bind: INT64, description: N. }',
      f: '{ type: float, bind: FLOAT64, description: F. }',
      flag: '{ type: boolean, bind: BOOL, description: Flag. }',
      day: '{ type: date, bind: DATE, description: Day. }',
      moment: '{ type: timestamp, bind: TIMESTAMP, description: Moment. }',
      local: '{ type: datetime, bind: DATETIME, description: Local. }',
      text: '{ type: string, description: Text. }',
    },
    sql: `select @n + 1 as n, @f * 2 as f, not @flag as flag, date_add(@day, interval 1 day) as day,
  timestamp_sub(@moment, interval 1 hour) as moment, @local as local, @text as text,
  concat(if(@n is null, 'n', ''), if(@f is null, 'f', ''), if(@flag is null, 'b', ''), if(@day is null, 'd', ''),
    if(@moment is null, 'm', ''), if(@local is null, 'l', ''), if(@text is null, 't', '')) as absent`,
  },
  'decimals.typed': {
    columns: { n: 'numeric', b: 'numeric', i: 'numeric', total: 'numeric', absent: 'string' },
    parameters: {
      n: "{ type: float, bind: NUMERIC, min: '-12345678901234567.1', description: N. }",
      b: '{ type: float, bind: BIGNUMERIC, description: B. }',
      i: '{ type: integer, bind: NUMERIC, description: I. }',
      list: '{ type: float, repeated: true, bind: NUMERIC, description: List. }',
    },
    sql: `select @n + numeric '0.1' as n, @b as b, @i * numeric '1.5' as i,
  (select sum(x) from unnest(@list) as x) as total,
  concat(if(@n is null, 'n', ''), if(@b is null, 'b', ''), if(@i is null, 'i', '')) as absent`,
  },
  'limit.typed': {
    columns: { x: '{ type: integer, description: X. }' },
    parameters: {
      n: '{ type: integer, bind: INT64, default: 3, description: N. }',
      skip: '{ type: integer, bind: INT64, default: 0, min: 0, description: Skip. }',
    },
    sql: `${numbers} order by x limit @n offset @skip`,
  },
  'days.since': {
    columns: { x: '{ type: date, description: X. }' },
    parameters: {
      from: '{ type: date, default: -2d, min: -400d, max: 0d, description: From. }',
      to: '{ type: date, bind: DATE, default: 0d, description: To. }',
    },
    sql: "select x from unnest(generate_date_array(date '2026-01-01', date '2026-12-31')) as x where x >= @from and x <= @to order by x",
  },
  'moments.since': {
    columns: { since: 'timestamp', local: 'datetime' },
    parameters: {
      since: '{ type: timestamp, bind: TIMESTAMP, default: -1d, description: Since. }',
      local: '{ type: datetime, bind: DATETIME, default: -90m, description: Local. }',
    },
    sql: 'select @since as since, @local as local',
  },
  'text.twice': readTwice('select @p as x', '{ type: string, description: P. }'),
  'list.twice': readTwice(
    'select x from unnest(@p) as x',
    '{ type: string, repeated: true, description: P. }',
  ),
  'array.twice': readTwice(
    'select cast(n as string) as x from unnest(generate_array(1, @p)) as n',
    '{ type: integer, bind: INT64, description: P. }',
  ),
  'split.twice': readTwice("select x from unnest(split(@p, ' ')) as x", '{ type: string, description: P. }'),
  'window.sum': {
    columns: { total: 'integer' },
    parameters: { n: '{ type: integer, bind: INT64, description: N. }' },
    sql: "select sum(x) over (partition by y) as total from (select @n as x, 'a' as y)",
  },
};

const columnNames = (name: string) => Object.keys(queries[name]?.columns ?? {});

/** GraphQL arguments and rows of a query, in the names of REST. */
async function graphqlRows(app: TestApp, name: string, variables: Readonly<Record<string, unknown>>) {
  const field = name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
  const types = argumentTypes[name] ?? {};
  const declared = Object.keys(variables).map((key) => `$${key}: ${types[key]}`);
  const given = Object.keys(variables).map((key) => `${key}: $${key}`);
  const list = (items: readonly string[]) => (items.length === 0 ? '' : `(${items.join(', ')})`);
  const data = await app.data(
    `query q${list(declared)} { ${field}${list(given)} { rows { ${columnNames(name).join(' ')} } } }`,
    variables,
  );
  return (data[field] as { rows: Record<string, unknown>[] }).rows;
}

const argumentTypes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'integers.in': { status: '[SafeInt!]' },
  'texts.in': { names: '[String!]' },
  'all.lists': {
    names: '[String!]',
    days: '[Date!]',
    moments: '[DateTime!]',
    flags: '[Boolean!]',
    floats: '[Float!]',
    kinds: '[Kind!]',
  },
  'scalars.typed': {
    n: 'SafeInt',
    f: 'Float',
    flag: 'Boolean',
    day: 'Date',
    moment: 'DateTime',
    local: 'LocalDateTime',
    text: 'String',
  },
  'decimals.typed': { n: 'Float', b: 'Float', i: 'SafeInt', list: '[Float!]' },
  'limit.typed': { n: 'SafeInt', skip: 'SafeInt' },
  'days.since': { from: 'Date', to: 'Date' },
};

describe.skipIf(skipsEmulator)('lists, dates, bounds and types on both engines', () => {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-parameters-'));
  let apps: readonly TestApp[] = [];
  let emulator: Awaited<ReturnType<typeof startEmulator>>;
  beforeAll(async () => {
    for (const [name, draft] of Object.entries(queries))
      writeFileSync(join(folder, `${name}.sql`), queryText({ ...draft, name }));
    emulator = await startEmulator();
    apps = await Promise.all([
      openTestApp({}, { QUERIES_DIR: folder }),
      openTestApp(
        {},
        {
          ENGINE: 'bigquery',
          QUERIES_DIR: folder,
          BIGQUERY_PROJECT: emulator.project,
          BIGQUERY_DATASET: await emulator.seed({}),
          BIGQUERY_API_ENDPOINT: emulator.endpoint,
          BIGQUERY_START_CHECK: 'off',
        },
      ),
    ]);
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await emulator?.close();
    rmSync(folder, { recursive: true });
  });

  /** The rows, which must be the same on both engines by REST. */
  async function restRows(name: string, parameters: BoundValues) {
    const [one, other] = await Promise.all(apps.map((app) => app.rows(name, parameters)));
    expect(other).toEqual(one);
    return one ?? [];
  }

  /** The rows, which must be the same on both engines by REST and by GraphQL. */
  async function rows(name: string, parameters: BoundValues, variables: Record<string, unknown>) {
    const rest = await restRows(name, parameters);
    const [one, other] = await Promise.all(apps.map((app) => graphqlRows(app, name, variables)));
    expect(other).toEqual(one);
    const leftOut = (one ?? []).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)),
    );
    const names = columnNames(name).filter((column) => queries[name]?.columns[column] !== 'timestamp');
    const pick = (row: Record<string, unknown>) =>
      Object.fromEntries(names.flatMap((key) => (key in row ? [[key, row[key]]] : [])));
    expect(leftOut.map(pick)).toEqual(rest.map(pick));
    return rest;
  }

  const odd = (count: number) => Array.from({ length: count }, (_, at) => 2 * at + 1);

  test.each([0, 1, 2, 500])('a list of %i values', async (count) => {
    const values = odd(count);
    const found = await rows('integers.in', { status: values.map(String) }, { status: values });
    expect(found.map(({ x }) => x)).toEqual(values);
  });

  test('a list that is too long for a URL, by POST', async () => {
    const variables = { status: odd(1000) };
    const found = await Promise.all(apps.map((app) => graphqlRows(app, 'integers.in', variables)));
    for (const one of found) expect(one.map(({ x }) => x)).toEqual(variables.status);
  });

  test('a list keeps its order and its duplicates', async () => {
    const names = ['ccc', 'a', 'bb', 'a', "it's", 'x,y'];
    const found = await rows('texts.in', { names }, { names });
    expect(found.map(({ x }) => x)).toEqual([3, 1, 2, 1, 4, 3]);
  });

  test('an absent list is empty or its default, and a list without values is empty', async () => {
    expect(await rows('integers.in', {}, {})).toEqual([]);
    expect(await restRows('integers.in', { status: '' })).toEqual([]);
    expect((await rows('all.lists', {}, {}))[0]).toMatchObject({ n: 2, first: 'a', flags: 0 });
    const [app] = apps;
    if (app === undefined) throw new Error('not open');
    expect((await graphqlRows(app, 'all.lists', { names: [] }))[0]).toMatchObject({ n: 0, first: null });
    expect((await graphqlRows(app, 'all.lists', { names: null }))[0]).toMatchObject({ n: 2 });
    expect((await graphqlRows(app, 'all.lists', { names: 'x' }))[0]).toMatchObject({ n: 1, first: 'x' });
  });

  test('lists of every type', async () => {
    const variables = {
      names: ['x'],
      days: ['2026-02-28', '2024-02-29'],
      moments: ['2026-01-31T12:00:00.000001Z', '2026-01-31T12:00:00+01:00'],
      flags: [true, false, true],
      floats: [0.5, -1.25],
      kinds: ['ONE', 'TWO'],
    };
    const parameters = {
      names: ['x'],
      days: variables.days,
      moments: variables.moments,
      flags: ['true', 'FALSE', 'True'],
      floats: ['.5', '-1.25'],
      kinds: ['one', 'two'],
    };
    expect(await rows('all.lists', parameters, variables)).toEqual([
      {
        n: 3,
        first: 'x',
        days: '2024-03-01,2026-03-01',
        moments: '1769857200000000,1769860800000001',
        flags: 2,
        floats: -0.75,
      },
    ]);
  });

  test('typed parameters, and NULL for those that are absent', async () => {
    const values = {
      n: '9007199254740990',
      f: '-0.25',
      flag: 'true',
      day: '2024-02-28',
      moment: '2026-01-31T00:30:00.000001Z',
      local: '2026-01-31T12:00:00.500001',
      text: 'x',
    };
    const variables = { ...values, n: 9007199254740990, f: -0.25, flag: true };
    expect(await rows('scalars.typed', values, variables)).toEqual([
      {
        n: 9007199254740991,
        f: -0.5,
        flag: false,
        day: '2024-02-29',
        moment: 1769815800000001,
        local: '2026-01-31T12:00:00.500001',
        text: 'x',
        absent: '',
      },
    ]);
    expect(await rows('scalars.typed', {}, {})).toEqual([{ text: '', absent: 'nfbdml' }]);
    const early = { day: '0001-01-01', moment: '0001-01-01T01:00:00Z', local: '9999-12-31T23:59:59.999999' };
    expect(await rows('scalars.typed', early, early)).toMatchObject([
      { day: '0001-01-02', local: '9999-12-31T23:59:59.999999', absent: 'nfb' },
    ]);
  });

  test('exact decimals', async () => {
    const values = { n: '.2', b: '-1e-7', i: '3', list: ['0.1', '0.2', '-1e1'] };
    const variables = { n: 0.2, b: -1e-7, i: 3, list: [0.1, 0.2, -10] };
    expect(await rows('decimals.typed', values, variables)).toEqual([
      { n: '0.3', b: '-0.0000001', i: '4.5', total: '-9.7', absent: '' },
    ]);
    expect(await rows('decimals.typed', {}, {})).toEqual([{ absent: 'nbi' }]);
    const long = {
      n: '-12345678901234567.1',
      b: '1234567890.12345678901234567890',
      i: '9223372036854775807',
    };
    expect(await restRows('decimals.typed', long)).toEqual([
      {
        n: '-12345678901234567',
        b: '1234567890.1234567890123456789',
        i: '13835058055282163710.5',
        absent: '',
      },
    ]);
    for (const app of apps) {
      await expect(app.rows('decimals.typed', { n: '-12345678901234567.11' })).rejects.toThrow(
        'n: got \\"-12345678901234567.11\\"; must be at least -12345678901234567.1',
      );
      await expect(app.rows('decimals.typed', { list: ['1', '0.0000000001'] })).rejects.toThrow(
        'list: value 2: got \\"0.0000000001\\"; must be a number of at most 29 digits before the point and 9 after it',
      );
    }
  });

  test.each([
    ['text', 'a b', ['a b', 'a b']],
    ['list', ['x', 'y'], ['x', 'x', 'y', 'y']],
    ['array', '2', ['1', '1', '2', '2']],
    ['split', 'a b', ['a', 'a', 'b', 'b']],
  ])('a common table of a %s that is read twice below LIMIT', async (name, p, expected) => {
    expect((await restRows(`${name}.twice`, { p })).map(({ x }) => x)).toEqual(expected);
  });

  test('a value in a window over a query without a table', async () => {
    expect(await restRows('window.sum', { n: '2' })).toEqual([{ total: 2 }]);
  });

  test('LIMIT and OFFSET', async () => {
    expect((await rows('limit.typed', {}, {})).map(({ x }) => x)).toEqual([1, 2, 3]);
    const found = await rows('limit.typed', { n: '2', skip: '5' }, { n: 2, skip: 5 });
    expect(found.map(({ x }) => x)).toEqual([6, 7]);
    expect(await rows('limit.typed', { n: '0' }, { n: 0 })).toEqual([]);
    const all = await restRows('limit.typed', { n: '9223372036854775807' });
    expect(all).toHaveLength(1000);
  });

  test('dates that are relative to today', async () => {
    // The time of every test app is 2026-03-10T12:34:56.789Z.
    const days = async (parameters: Record<string, string>) =>
      (await rows('days.since', parameters, parameters)).map(({ x }) => x);
    expect(await days({})).toEqual(['2026-03-08', '2026-03-09', '2026-03-10']);
    expect(await days({ from: '2026-03-09', to: '2026-03-09' })).toEqual(['2026-03-09']);
    const [moments] = await restRows('moments.since', {});
    expect(moments).toEqual({
      since: Date.parse('2026-03-09T12:34:00Z') * 1000,
      local: '2026-03-10T11:04:00',
    });
  });
});
