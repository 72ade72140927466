import { expect, test } from 'vitest';
import { openSandbox } from '../../src/sandbox/open-sandbox.ts';

const { judge } = openSandbox(
  {
    sql: 'with own as (select 1 as id) select id from own',
    source: { file: 'own.sql', line: 1 },
    parameters: [],
  },
  [],
);

const ids = (count: number): string => Array(count).fill('id').join(',');

test.each([
  ['a query', (count: number) => `select id from own order by ${ids(count)}`],
  [
    'a window',
    (count: number) => `select rank() over (order by id) as n from own order by ${ids(count - 1)}`,
  ],
  [
    'an aggregate',
    (count: number) =>
      `select array_length(array_agg(id order by id)) as id from own order by ${ids(count - 1)}`,
  ],
])('sort keys of %s are counted, at most 100 in all', (_, sqlOf) => {
  const sql = sqlOf(101);
  judge(sqlOf(100));
  expect(() => judge(sql)).toThrow(
    `1:${sql.length - 1} sql has more than 100 keys in ORDER BY and PARTITION BY`,
  );
});

test('keys of PARTITION BY are counted with them', () => {
  const sqlOf = (count: number) =>
    `select rank() over (partition by ${ids(count)} order by id) as n from own`;
  judge(sqlOf(99));
  expect(() => judge(sqlOf(100))).toThrow('sql has more than 100 keys in ORDER BY and PARTITION BY');
});
