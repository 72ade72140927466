import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseSavedQuery } from '../../src/catalog/header/parse-saved-query.ts';
import { skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import { eventually } from '../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { queryText } from '../support/queries.ts';

const header = ['caching: 900s', 'row_arguments: all', 'push: true'];

const columns = { id: 'integer', name: 'string', share: 'float', made: 'timestamp' };

const source = `select n as id, if(mod(n, 3) = 0, null, concat('name ', mod(n, 5))) as name,
  n / 4 as share, timestamp_add(timestamp '2026-01-01 00:00:00+00', interval n hour) as made
from unnest(generate_array(1, 40)) as n where n <= cast(@most as int64)`;

const draft = (name: string, sql: string, caching = header) =>
  queryText({
    name,
    caching,
    maxRows: 5,
    parameters: { most: '{ type: integer, default: 40, description: How many rows. }' },
    columns,
    sql,
  });

const files = {
  'cut.sql': draft('cut', `${source}\norder by id`),
  'timed.sql': queryText({
    name: 'timed',
    caching: header,
    maxRows: 5,
    columns: { id: 'integer', moment: 'time', raw: 'bytes', sum: 'numeric' },
    sql: `select n as id, if(n = 4, null, time(n, 0, 0)) as moment, cast(cast(n as string) as bytes) as raw,
  cast(n as numeric) + 0.5 as sum from unnest(generate_array(1, 20)) as n order by id`,
  }),
  'uncached.sql': draft('uncached', `${source}\norder by id`, [
    'caching: disabled',
    'row_arguments: all',
    'push: true',
  ]),
  'last.sql': draft(
    'last',
    `with /* select ( */ all_rows as (
  ${source}
) -- the rows
select * from all_rows /* ; */
order by made desc, id # the newest
limit 30; -- of them`,
  ),
  'joined.sql': draft(
    'joined',
    `${source} union all select 41, "it's", 1.5, null from (select 1) where cast(@most as int64) > 40`,
  ),
};

let folder: FolderApp;

beforeAll(async () => {
  folder = await openFolderApp(files);
});

afterAll(() => folder.close());

async function rows(address: string, app = folder): Promise<Record<string, unknown>[]> {
  const response = await app.get(address);
  const body = (await response.json()) as { result: Record<string, unknown>[] };
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body.result;
}

const ids = async (address: string, app = folder) => (await rows(address, app)).map(({ id }) => id);

async function expectRows(app: FolderApp): Promise<void> {
  expect(await ids('cut', app)).toEqual([1, 2, 3, 4, 5]);
  expect(await ids('cut?id=gt.20&limit=2&offset=1', app)).toEqual([22, 23]);
  expect(await ids('cut?order=id.desc&limit=3', app)).toEqual([40, 39, 38]);
  expect(await ids('cut?name=is.null&id=gte.20', app)).toEqual([21, 24, 27, 30, 33]);
  expect(await ids('cut?id=gt.30&order=name.asc.nullslast&limit=4', app)).toEqual([35, 40, 31, 32]);
  expect(await ids('cut?id=in.(7,39)&name=like.name*', app)).toEqual([7]);
  expect(await ids('cut?made=gte.2026-01-02T12:00:00Z&share=lt.9.5', app)).toEqual([36, 37]);
  expect(await ids('cut?not.and=(id.lt.38,id.gte.0)', app)).toEqual([38, 39, 40]);
  expect(
    await rows('cut?select=count(),id.sum(),mean:share.avg(),made.max(),n:name.count()&id=gt.20', app),
  ).toEqual([{ count: 20, sum: 610, mean: 7.625, max: 1767369600000000, n: 13 }]);
}

test('arguments of a result that was cut are over all rows of the SQL', () => expectRows(folder));

test('a result that has all rows is not run again', async () => {
  await rows('cut?most=4');
  const before = folder.app.counters.misses;
  expect(await ids('cut?most=4&order=id.desc')).toEqual([4, 3, 2, 1]);
  expect(folder.app.counters.misses).toBe(before);
});

test('equal arguments are one run, however they are written, and other values the same SQL', async () => {
  await rows('cut?id=in.(30,31,30)&name=not.is.null');
  const before = folder.app.counters.misses;
  await rows('cut?and=(name.is.not_null)&id=in.(31,30)');
  const { headers } = await folder.get('cut?name=not.is.null&and=(id.in.(31,30))');
  expect(folder.app.counters.misses).toBe(before);
  expect(headers.get('cache-status')).toContain('hit');
});

test('the answer says whether max_rows has cut it, and of no number of rows', async () => {
  const all = (await folder.get('cut?id=gt.20')).headers;
  expect([
    all.get('querygate-truncated'),
    all.get('querygate-row-count'),
    all.get('querygate-of-rows'),
  ]).toEqual(['true', '5', null]);
  const some = (await folder.get('cut?id=gt.20&limit=5')).headers;
  expect(some.get('querygate-truncated')).toBe('false');
  expect((await folder.get('cut?select=count()')).headers.get('querygate-of-rows')).toBeNull();
});

test('without caching, too', async () => {
  expect(await ids('uncached?order=id.desc&limit=1')).toEqual([40]);
});

test('other formats have the same rows', async () => {
  expect(await (await folder.get('cut.csv?select=count()&id=gt.3')).text()).toBe('count\r\n37\r\n');
  expect((await (await folder.get('cut.csv?id=eq.33')).text()).split('\r\n')[1]).toMatch(/^33,/);
});

test('the LIMIT of the SQL holds, and rows that are equal keep its order', async () => {
  expect(await ids('last?most=41')).toEqual([40, 39, 38, 37, 36]);
  expect(await rows('last?select=count(),id.min()')).toEqual([{ count: 30, min: 11 }]);
  expect(await ids('last?order=name.asc.nullsfirst&id=lt.20')).toEqual([18, 15, 12, 16, 11]);
  expect(await ids('last?id=lt.20')).toEqual([19, 18, 17, 16, 15]);
  expect(await rows('joined?most=50&id=gt.39&order=id')).toMatchObject([
    { id: 40 },
    { id: 41, name: "it's" },
  ]);
});

test('a list may have a thousand values of any type', async () => {
  const idsIn = async (column: string, values: readonly string[]) => {
    const query = `query ($in: [String!]) { timed { rows(where: { ${column}: { in: $in } }) { id } } }`;
    const { data, errors } = await folder.graphql(query, undefined, { in: values });
    expect(errors).toBeUndefined();
    return (data?.timed as { rows: readonly { id: number }[] } | undefined)?.rows.map(({ id }) => id);
  };
  const numbers = Array.from({ length: 998 }, (_, n) => n);
  const pad = (n: number) => String(n).padStart(2, '0');
  const times = numbers.map((n) => `${pad(n % 24)}:${pad(Math.floor(n / 24))}:07`);
  expect(await idsIn('moment', ['03:00:00', ...times])).toEqual([3]);
  expect(await ids('timed?moment=not.in.(03:00:00)&id=lt.6')).toEqual([1, 2, 5]);
  expect(await idsIn('raw', [btoa('7'), ...numbers.map((n) => btoa(String(n + 100)))])).toEqual([7]);
  expect(await idsIn('sum', ['8.5', `0.${'0'.repeat(30)}1`, ...numbers.map((n) => `${n}.25`)])).toEqual([8]);
  expect(await rows('timed?select=moment.max(),raw.min(),sum.sum(),mean:sum.avg()&id=lt.5')).toEqual([
    { max: '03:00:00', min: btoa('1'), sum: '12', mean: '3' },
  ]);
});

test('values are never text of the SQL', async () => {
  const hostile = ["' or true --", '@push_limit', '`', '\\', '*/', '%', "it's", '\u0000'.slice(1)];
  for (const text of hostile)
    expect(await ids(`joined?name=eq.${encodeURIComponent(text)}&most=50`), text).toEqual(
      text === "it's" ? [41] : [],
    );
});

describe('GraphQL', () => {
  test('arguments are over all rows, beside the result as it is', async () => {
    const { data, errors } = await folder.graphql(`{ cut {
      rowCount truncated
      plain: rows { id }
      few: rows(where: { id: { gt: 20 }, not: { name: { isNull: true } } }, orderBy: [{ share: DESC }], first: 2) { id name }
      many: aggregates(where: { id: { gt: 20 } }) { count sum { id } avg { share } max { made } __typename }
      all: aggregates { count }
      type: aggregates { __typename }
    } }`);
    expect(errors).toBeUndefined();
    expect(data?.cut).toEqual({
      rowCount: 5,
      truncated: true,
      plain: [1, 2, 3, 4, 5].map((id) => ({ id })),
      few: [
        { id: 40, name: 'name 0' },
        { id: 38, name: 'name 3' },
      ],
      many: {
        count: 20,
        sum: { id: 610 },
        avg: { share: 7.625 },
        max: { made: '2026-01-02T16:00:00.000000Z' },
        __typename: 'CutAggregates',
      },
      all: { count: 40 },
      type: { __typename: 'CutAggregates' },
    });
  });

  test('what is not cached is run once, and once more for the arguments', async () => {
    const before = folder.app.counters.runs;
    const { data } = await folder.graphql(
      '{ uncached { rows(where: { id: { gt: 38 } }) { id } aggregates { count } } }',
    );
    expect(data).toEqual({ uncached: { rows: [{ id: 39 }, { id: 40 }], aggregates: { count: 40 } } });
    expect(folder.app.counters.runs - before).toBe(3);
  });

  test('variables and the refusals are those of other queries', async () => {
    const { data } = await folder.graphql(
      'query ($id: SafeInt) { cut { rows(where: { id: { eq: $id } }) { id } } }',
      undefined,
      {
        id: 33,
      },
    );
    expect(data).toEqual({ cut: { rows: [{ id: 33 }] } });
    const { errors = [] } = await folder.graphql('{ cut { rows(first: -1) { id } } }');
    expect(errors[0]?.message).toContain('first: got "-1"');
  });
});

test('only rows of the tenant are pushed', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  const lines = Array.from({ length: 60 }, (_, n) => JSON.stringify({ project: n % 2 === 0 ? 'a' : 'b', n }));
  writeFileSync(join(dataDir, 'events.ndjson'), `${lines.join('\n')}\n`);
  const text = (sql: string) =>
    queryText({
      name: 'events',
      caching: header,
      maxRows: 5,
      parameters: { project: '{ type: string, tenant: true, required: true, description: A tenant. }' },
      columns: { project: 'string', n: 'integer' },
      sql,
    });
  const tables = {
    'tables/events.json': JSON.stringify(
      ['project', 'n'].map((name) => ({ name, type: name === 'n' ? 'INTEGER' : 'STRING', mode: 'NULLABLE' })),
    ),
  };
  const app = await openFolderApp(
    { ...tables, 'events.sql': text('select project, n from events where project = @project order by n') },
    { env: { DATA_DIR: dataDir } },
  );
  try {
    expect(await rows('events?project=b&or=(project.eq.a,n.gt.50)&limit=2', app)).toEqual([
      { project: 'b', n: 51 },
      { project: 'b', n: 53 },
    ]);
    expect(await rows('events?project=a&select=count()', app)).toEqual([{ count: 30 }]);
    const open = {
      ...tables,
      'events.sql': text('select project, n from events where @project is not null order by n'),
    };
    await expect(openFolderApp(open, { env: { DATA_DIR: dataDir } })).rejects.toThrow(
      'events is read without',
    );
  } finally {
    await app.close();
    rmSync(dataDir, { recursive: true });
  }
});

test('the engine in a process of its own runs what is pushed', async () => {
  const app = await openFolderApp(files, { isIsolated: true });
  try {
    await expectRows(app);
    // Its queries are other ones from then on.
    app.queries.write('cut.sql', draft('cut', `${source} and n > 30\norder by id desc`));
    app.app.reload();
    await eventually(async () => expect(await ids('cut?id=lt.34', app)).toEqual([33, 32, 31]));
  } finally {
    await app.close();
  }
});

describe('what cannot be pushed', () => {
  const problemsOf = (sql: string, lines: readonly string[] = header, parameters = {}) =>
    parseSavedQuery(
      'bad',
      'bad.sql',
      queryText({ name: 'bad', caching: lines, columns: { id: 'integer' }, parameters, sql }),
    ).problems.map(({ message }) => message);

  test.each([
    ['select 1 as id order by id + 1', 'must list columns of the result'],
    ['select 1 as id order by 1', 'must list columns of the result by name'],
    ['(select 1 as id order by id)', 'must not be in brackets'],
    ['(select 1 as id) order by id limit 3', 'must not be in brackets'],
    ['(select 1 as id)', 'must not be in brackets'],
    ['select 1 as id |> where id = 1', 'not with |>'],
    ['from (select 1 as id)', 'not with |>'],
    ['select 1 as id; select 2 as id', ''],
  ])('%s is a problem of the header', (sql, message) => {
    expect(problemsOf(sql)).toEqual([expect.stringContaining(message)]);
  });

  test('nor a query without marked columns, or with parameters of such names', () => {
    expect(problemsOf('select 1 as id', ['caching: 60s', 'push: true'])).toEqual([
      'push: needs columns with filter or order, or row_arguments: all',
    ]);
    const parameters = { Push_1: '{ type: string, default: a, description: A. }' };
    expect(problemsOf("select if(@Push_1 = 'a', 1, 2) as id", header, parameters)).toEqual([
      'parameters.Push_1: is a name of push; choose another name',
    ]);
  });
});

describe.skipIf(skipsEmulator)("on BigQuery's emulator", () => {
  test('the same rows are pushed', async () => {
    const emulator = await startEmulator();
    const app = await openFolderApp(files, {
      env: {
        ENGINE: 'bigquery',
        BIGQUERY_PROJECT: emulator.project,
        BIGQUERY_DATASET: await emulator.seed({}),
        BIGQUERY_API_ENDPOINT: emulator.endpoint,
        BIGQUERY_START_CHECK: 'off',
      },
    });
    try {
      await expectRows(app);
    } finally {
      await app.close();
      await emulator.close();
    }
  });
});
