import { expect, test } from 'vitest';
import { tablesRead } from '../../../src/author/sql/tables-read.ts';

const tables = ['ev_1', 'ev_2', 'odd-name'].map((name) => ({
  name,
  fields: [{ name: 'n', type: 'INTEGER', mode: 'NULLABLE' } as const],
}));

test.each([
  'select n from ev_1',
  'select n from EV_1',
  'select n from `ev_1`',
  'select n from data.ev_1',
  'select n from my-project.data.ev_1',
  'select n from `my-project.data.ev_1`',
  'select n from `my-project`.data.`ev_1`',
  'select n from `odd-name`',
  'select n from `ev_\\x31`',
  'select n from `ev_*`',
  'select n from `my-project.data.*`',
  "select n from `ev_*` where _TABLE_SUFFIX = '2'",
  'with v as (select n from `ev_*`) select n from v',
  'select (select count(*) from `ev_*`)',
  'select n in (select n from `ev_*`) from unnest([1]) as n',
  "declare day string default '1'; select n from `ev_*` where _table_suffix = day",
  'from `ev_*` |> aggregate count(*) as n',
  'select x from unnest([1]) as x join `ev_*` on x = n',
  'select n from `ev_*` union all select 1',
  'select * from (select n from `ev_*`) pivot (count(*) for n in (1, 2))',
])('%s reads a declared table', (sql) => {
  expect(tablesRead(sql, tables)).not.toEqual([]);
});

test.each([
  'select 1 as ev_1',
  "select 'ev_1' as text -- ev_1",
  'with ev_1 as (select 1 as n) select n from ev_1',
  'select n from `other_*`',
  'select n from ev_3',
  'select frobnicate(n) from ev_1',
  'select from',
])('%s reads none, or cannot run', (sql) => {
  expect(tablesRead(sql, tables)).toEqual([]);
});
