import { expect, test } from 'vitest';
import { tablesRead } from '../../src/analysis.ts';

test.each([
  ['select 1', []],
  ['select * from t a join t b using (x)', ['t']],
  ['with t as (select * from u) select * from t, `p.d.v`, d.w, t.items', ['u', 'p.d.v', 'd.w']],
  ['select (select max(x) from s) from t where x in (select y from r)', ['s', 't', 'r']],
  ['from t |> join u using (x) |> where exists (select 1 from z)', ['t', 'u', 'z']],
  ['create temp function f(x int64) as ((select max(y) from g where y = x)); select f(1) from h', ['g', 'h']],
  ['select * from my-project.d.t, `my-project.d.t`', ['my-project.d.t']],
  ['select * from appends(table t, null, null)', ['t']],
  ['select * from t, unnest(t.items)', ['t']],
])('%s reads the tables that it names, each once', (sql, tables) => {
  expect([...(tablesRead(sql) ?? [])].sort()).toEqual([...tables].sort());
});

test.each(['select * from `logs_*`', 'select * from t, d.f(1)', 'select * from'])(
  'how many tables %s reads is not known',
  (sql) => {
    expect(tablesRead(sql)).toBeUndefined();
  },
);
