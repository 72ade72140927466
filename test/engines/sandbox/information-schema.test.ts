import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canary, openWorld, type World } from './world.ts';

const names =
  "select string_agg(table_name, ',' order by table_name) as names, min(table_type) as kind from INFORMATION_SCHEMA.TABLES";

describe.each([
  ['in a process of its own', true],
  ['in the process of the gateway', false],
])("INFORMATION_SCHEMA in a caller's SQL that runs %s", (_, isolate) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ others: true, isolate, timeoutMs: 60_000 });
  });
  afterAll(() => world.close());

  test('has the common tables of the endpoint, and no others', async () => {
    expect(await world.run(names)).toBe('[{"names":"events,logs,projects","kind":"VIEW"}]');
  });

  test('has their columns, not those of the stored tables', async () => {
    const columns = await world.run(
      "select table_name as t, string_agg(concat(column_name, ' ', data_type), ', ' order by ordinal_position) as c from d.INFORMATION_SCHEMA.COLUMNS group by t order by t",
    );
    expect(JSON.parse(columns)).toEqual([
      {
        t: 'events',
        c: 'id INT64, happened TIMESTAMP, detail STRUCT<kind STRING, source ARRAY<STRUCT<host STRING, ports ARRAY<INT64>>>>',
      },
      {
        t: 'logs',
        c: 'id INT64, timestamp TIMESTAMP, project STRING, metadata ARRAY<STRUCT<level STRING, request ARRAY<STRUCT<path STRING, status INT64>>>>, tags ARRAY<STRING>',
      },
      { t: 'projects', c: 'project STRING, tier STRING' },
    ]);
  });

  test.each([
    'select table_name as x from `information_schema.tables`',
    'select table_name as x from `other-project`.`other`.Information_Schema.`tables`',
    'select table_name as x from `region-eu`.INFORMATION_SCHEMA.TABLES',
    "select t.table_name as x from logs l join INFORMATION_SCHEMA.TABLES t on t.table_name like '%' or true",
    'with tables as (select 1 as y), v as (select * from INFORMATION_SCHEMA.TABLES) select table_name as x from v, tables',
    'with `INFORMATION_SCHEMA.TABLES` as (select 1 as y) select table_name as x from INFORMATION_SCHEMA.TABLES',
    'select (select string_agg(table_name) from INFORMATION_SCHEMA.TABLES) as x from logs',
    'select table_name as x from INFORMATION_SCHEMA.TABLES t where exists (select 1 from INFORMATION_SCHEMA.COLUMNS c where c.table_name = t.table_name)',
    'select to_json_string(t) as x from INFORMATION_SCHEMA.COLUMNS t',
    'select c.data_type as x from INFORMATION_SCHEMA.COLUMNS c union all select table_name from INFORMATION_SCHEMA.TABLES',
  ])('names nothing else: %s', async (sql) => {
    const rows = await world.run(sql);
    expect(rows).toMatch(/^\[\{"x":/);
    expect(rows).not.toMatch(new RegExp(`vault|secret|tenant|theirs|${canary}`));
  });

  test.each([
    'select total_rows from INFORMATION_SCHEMA.PARTITIONS',
    'select total_rows from `p.d.information_schema.partitions`',
    'select (select max(total_rows) from d.INFORMATION_SCHEMA.PARTITIONS) as n from logs',
    'select row_count from d.INFORMATION_SCHEMA.TABLE_STORAGE',
  ])('says nothing of rows: %s', async (sql) => {
    expect(await world.run(sql)).toMatch(
      /^INVALID_PARAMETER .* is not supported; its views here are COLUMNS, TABLES/,
    );
  });

  test('is of the endpoint that the SQL is sent to', async () => {
    const { engine, otherQuery } = world;
    const { rows } = await engine.run(
      {
        query: otherQuery,
        parameters: { tenant: 'mine', kind: '' },
        sql: 'select table_name, column_name from INFORMATION_SCHEMA.COLUMNS',
      },
      { signal: new AbortController().signal },
    );
    expect([...rows].map(String)).toEqual(['{"table_name":"logs","column_name":"tenfold"}']);
  });
});
