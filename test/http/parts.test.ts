import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { skipsEmulator, startEmulator } from '../support/bigquery-emulator.ts';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { partText, queryText } from '../support/queries.ts';

const rows = `select n as id, if(mod(n, 3) = 0, null, concat('name ', mod(n, 5))) as name, if(mod(n, 2) = 0, 'a', 'b') as project
from unnest(generate_array(1, 40)) as n where n <= @most`;

const parameters = {
  project: 'string',
  most: '{ type: integer, bind: INT64, default: 30, description: How many rows. }',
};

const draft = (name: string, sql: string, caching: readonly string[] = ['caching: disabled']) =>
  queryText({
    name,
    caching,
    parameters,
    maxRows: 6,
    columns: { id: '{ type: integer, required: true, description: An id. }', name: 'string' },
    sql,
  });

/** Pairs of queries with the same meaning: one reads parts, and one has their text in it. */
const pairs: Readonly<Record<string, readonly [composed: string, pasted: string]>> = {
  plain: [
    'select id, name from query.rows_of order by id limit 6',
    `select id, name from (${rows} and if(mod(n, 2) = 0, 'a', 'b') = @project) as rows_of order by id limit 6`,
  ],
  bound: [
    "select a.id, b.name from query.rows_of(project => 'b', most => 20) as a left join query.rows_of as b on b.id = a.id + 1 where @most > 0 order by a.id limit 6",
    `with a as (${rows.replace('@most', '20')}), b as (${rows}) select a.id, b.name from a left join (select * from b where project = @project) as b on b.id = a.id + 1 where a.project = 'b' and @most > 0 order by a.id limit 6`,
  ],
  nested: [
    'with rows_of as (select id, name from query.`rows.named`) select id, name from rows_of order by id limit 6',
    `select id, upper(name) as name from (${rows}) where name is not null and project = @project order by id limit 6`,
  ],
};

const files = {
  'all_rows.sql': partText(rows, { most: parameters.most }),
  'rows_of.sql': partText('select * from query.all_rows where project = @project', parameters),
  'rows.named.sql': partText(
    'create temp function shown(name string) as (upper(name)); select id, shown(name) as name from query.rows_of where name is not null',
    parameters,
  ),
  ...Object.fromEntries(
    Object.entries(pairs).flatMap(([name, [composed, pasted]]) => [
      [`${name}.composed.sql`, draft(`c.${name}`, composed)],
      [`${name}.pasted.sql`, draft(`p.${name}`, pasted)],
    ]),
  ),
  'paged.sql': draft('paged', 'select id, name from query.rows_of order by id desc', [
    'caching: disabled',
    'page: { by: [id] }',
  ]),
  'pushed.sql': draft('pushed', 'select id, name from query.`rows.named` order by id', [
    'caching: disabled',
    'row_arguments: all',
    'push: true',
  ]),
  'open.sql': draft(
    'open',
    'with own as (select id, name from query.rows_of) select id, name from own order by id',
    ['caching: disabled', 'query_sandboxing: enabled'],
  ),
};

/** As people have them for BigQuery. */
const definitions = {
  'views/all.sql': `CREATE OR REPLACE VIEW \`my-project.stats.numbers\` (id, name) OPTIONS (description = 'Numbers.') AS
    SELECT n, udf.shown(CAST(n AS STRING)) FROM UNNEST([1, 2, 3]) AS n;`,
  'functions/all.sql': `CREATE OR REPLACE FUNCTION udf.shown(text STRING) RETURNS STRING LANGUAGE js AS r"""
      return text + '!';
    """;
    CREATE FUNCTION udf.plus(a INT64, b ANY TYPE) AS (a + b);
    CREATE AGGREGATE FUNCTION udf.total(n INT64) AS (SUM(udf.plus(n, 1)));`,
  'called.sql': queryText({
    name: 'called',
    columns: { id: 'integer', name: 'string' },
    sql: 'select my.udf.plus(id, 10) as id, name from stats.numbers order by id',
  }),
  'defined.sql': queryText({
    name: 'defined',
    columns: { id: 'integer', name: 'string' },
    sql: 'select my.udf.plus(id, 10) as id, name from stats.numbers union all select udf.total(id), null from `my-project.stats.numbers` order by id',
  }),
};

let app: FolderApp;
beforeAll(async () => {
  app = await openFolderApp({ ...files, ...definitions });
});
afterAll(() => app.close());

async function get(address: string) {
  const response = await app.get(address);
  const { result, error } = (await response.json()) as { result?: unknown[]; error?: { message: string } };
  return { rows: result ?? [], error: error?.message, link: response.headers.get('link') };
}

describe('a query of parts', () => {
  test.each(Object.keys(pairs))('returns the rows of the one with their text in it: %s', async (name) => {
    for (const search of ['?project=a', '?project=b&most=13', '?project=none']) {
      const composed = await get(`${name}.composed${search}`);
      expect(composed).toEqual(await get(`${name}.pasted${search}`));
      expect(composed.error).toBeUndefined();
      if (search === '?project=a') expect(composed.rows).toHaveLength(6);
    }
  });

  test('has pages', async () => {
    const first = await get('paged?project=a&limit=3');
    expect(first.rows).toMatchObject([{ id: 30 }, { id: 28 }, { id: 26 }]);
    const [, next = ''] = /<(\?[^>]+)>; rel="next"/.exec(first.link ?? '') ?? [];
    expect((await get(`paged${next}`)).rows).toMatchObject([{ id: 24 }, { id: 22 }, { id: 20 }]);
  });

  test('takes arguments into its SQL', async () => {
    const { data, errors } = await app.graphql(
      '{ pushed(project: "a", most: 40) { rows(where: { name: { eq: "NAME 4" } }, orderBy: [{ id: DESC }]) { id name } } }',
    );
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      pushed: {
        rows: [
          { id: 34, name: 'NAME 4' },
          { id: 14, name: 'NAME 4' },
          { id: 4, name: 'NAME 4' },
        ],
      },
    });
  });

  test('reads views and calls functions of the folder', async () => {
    expect((await get('defined')).rows).toEqual([
      { id: 9 },
      { id: 11, name: '1!' },
      { id: 12, name: '2!' },
      { id: 13, name: '3!' },
    ]);
  });

  test("hides its parts from a caller's SQL", async () => {
    const ask = (sql: string) => get(`open?project=a&sql=${encodeURIComponent(sql)}`);
    expect((await ask('select id from own where id < 5 order by id')).rows).toEqual([{ id: 2 }, { id: 4 }]);
    for (const name of [
      'part_rows_of',
      'part_all_rows',
      'query.rows_of',
      'PART_ALL_ROWS',
      '`query.all_rows`',
    ])
      expect((await ask(`select id from ${name}`)).error, name).toMatch(/no table is named/);
  });
});

describe.skipIf(skipsEmulator)("on BigQuery's emulator", () => {
  test('a query of parts returns the same rows', async () => {
    const emulator = await startEmulator();
    const bigquery = await openFolderApp(
      { ...files, ...definitions },
      {
        env: {
          ENGINE: 'bigquery',
          BIGQUERY_PROJECT: emulator.project,
          BIGQUERY_DATASET: await emulator.seed({}),
          BIGQUERY_API_ENDPOINT: emulator.endpoint,
          BIGQUERY_START_CHECK: 'off',
        },
      },
    );
    try {
      for (const name of Object.keys(pairs)) {
        const response = await bigquery.get(`${name}.composed?project=a`);
        const { result } = (await response.json()) as { result: unknown };
        expect(result, name).toEqual((await get(`${name}.pasted?project=a`)).rows);
      }
      // It has no aggregate functions of queries.
      const response = await bigquery.get('called');
      expect(await response.json()).toEqual({ result: (await get('called')).rows });
    } finally {
      await bigquery.close();
      await emulator.close();
    }
  });
});
