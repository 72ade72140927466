import { describe, expect, test } from 'vitest';
import { loadCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { compileTree } from '@querygate/bigquery-sql/tree';
import { openEffects } from '../../../src/author/mutate/has-effect.ts';
import { combinedSql, mutationsOf } from '../../../src/author/mutate/mutations.ts';
import { StartError } from '../../../src/errors.ts';

describe('changes of a query', () => {
  test.each([
    ['select a from t where a >= 5', ['a > 5', 'a >= 6', 'a >= 4']],
    [
      "select a from t where a = 'x' and b",
      ["a != 'x'", "a = 'x_'", "a = 'x' or b", 'where true and b', "a = 'x' and true"],
    ],
    ['select a from t where not b', ['where  b']],
    ['select a from t where a is not null', ['a IS null']],
    ['select a from t where a not in (1)', ['a  in (1)']],
    ['select a from t where a like b', ['a NOT like b']],
    ['select a from t join u using (a)', ['t left join u using (a)']],
    ['select a from t left outer join u on b', ['t inner join u on b']],
    ['select a from t cross join unnest(c) as d', ['t left join unnest(c) as d on true']],
    ["select case a when 'x' then 1 end", ["when 'x_' then"]],
    ['select a + 1 - b', ['a - 1', '1 + b']],
    ['select min(a), count(b), countif(c)', ['max(a)', 'count(*)', 'countif(not (c))']],
    [
      'select count(distinct a), a from t group by 2 order by 1 desc, a',
      ['count( a)', 'order by 1 asc', 'a desc', 'by a, a', '1 desc, 1 desc'],
    ],
    ['select distinct a from t union all select a from u', ['select  a', 'union DISTINCT select']],
    [
      'select timestamp_trunc(a, hour), timestamp_sub(a, interval 1 day)',
      ['(a, minute)', 'interval 2 day', 'interval 0 day', 'interval 1 hour'],
    ],
    ['select generate_timestamp_array(a, b, interval 1 minute)', ['interval 1 hour', 'interval 2 minute']],
    ["select a from t where regexp_contains(a, '/x') and true", ["'/x_'", 'and false']],
  ])('%s becomes %j', (sql, expected) => {
    const changed = mutationsOf(sql).map((mutation) => mutation.sql);
    const missing = expected.filter((text) => !changed.some((one) => one.includes(text)));
    expect(missing).toEqual([]);
    expect(new Set(changed).size).toBe(changed.length);
    expect(changed).not.toContain(sql);
  });

  test('every change of the shipped queries is still SQL', () => {
    for (const { sql } of loadCatalog('queries').queries) {
      for (const mutation of mutationsOf(sql)) {
        expect(() => mutationsOf(mutation.sql), mutation.change).not.toThrow();
        expect(combinedSql(sql, [mutation])).toBe(mutation.sql);
      }
    }
  });

  test('types and column numbers are not changed', () => {
    const changes = mutationsOf('select cast(a as numeric(10, 2)) from t group by 1 order by 1').map(
      ({ change }) => change,
    );
    expect(changes).toEqual(['(nothing) → desc']);
  });
});

describe('the effect of a change', () => {
  const tables: readonly TableSchema[] = [
    {
      name: 't',
      fields: [
        { name: 'a', type: 'INT64', mode: 'NULLABLE' },
        { name: 'p', type: 'STRING', mode: 'NULLABLE' },
      ],
    },
  ];
  const [shipped] = loadCatalog('queries').queries;
  if (shipped === undefined) throw new Error('no query');
  const sql =
    'with unused as (select a from t where a > 1), used as (select a, a > 2 as b from t where p = @p) select a from used';
  const tenant = { parameter: 'p', pattern: undefined };
  const effectOf = openEffects({ ...shipped, sql, tenant, tenantUnchecked: undefined }, tables);

  test.each([
    ['a > 1', 'a > 7', 'none'],
    ['a > 2 as b', 'a > 7 as b', 'none'],
    ['select a from used', 'select a + 1 as a from used', 'possible'],
    ['p = @p', 'p != @p', 'refused'],
    ['select a from used', 'select x from used', 'refused'],
  ])('%s → %s: %s', (from, to, effect) => {
    expect(effectOf(sql.replace(from, to))).toBe(effect);
  });

  test.each([
    ['join t as u on u.a = t.a where u.a > 1', 'none'],
    ['join t as u on u.a = t.a where u.a > 1 or t.a > 1', 'possible'],
    ['join t as u on u.a = t.a join t as v on v.a = u.a', 'none'],
    ['join t as u on u.a = t.a where coalesce(u.a, 2) > 1', 'possible'],
  ])('an outer join instead of `%s`: %s', (from, effect) => {
    const joined = `select t.a from t ${from}`;
    const effectOfJoin = openEffects(
      { ...shipped, sql: joined, tenant: undefined, tenantUnchecked: undefined },
      tables,
    );
    expect(effectOfJoin(joined.replace('join', 'left join'))).toBe(effect);
  });

  test('a refusal is an error of the compiler', () => {
    expect(() => compileTree({ sql: 'select x from t', source: { file: '', line: 1 } }, tables)).toThrow(
      StartError,
    );
  });
});
