import { expect, test } from 'vitest';
import { checkParameterUse, parameterUses } from '../../../src/catalog/header/sql/check-parameter-use.ts';

test.each<[string, string, readonly string[]]>([
  ['comments and texts', `select '@a', r'\\d', """@b""", @d -- @e\n# @f\n/* @g */`, ['d']],
  ['system variables and names in backquotes', 'select @@time_zone, @`a b`, @ c', ['a b', 'c']],
  ['keywords as names', 'select 1 limit @limit offset @Offset', ['limit', 'Offset']],
])('parameters are found beside %s', (_, sql, names) => {
  expect(parameterUses(sql).uses.map(({ name }) => name)).toEqual(names);
});

const problems = (sql: string) =>
  checkParameterUse(
    'q.sql',
    {
      header: { parameters: { day: {} } },
      sql,
      sqlLine: 10,
      lineOf: () => 5,
    },
    [],
  );

test('a parameter that is not declared is named with the line and column of its first use', () => {
  expect(problems('select @day,\n  @dya, @dya')).toEqual([
    {
      file: 'q.sql',
      line: 11,
      column: 3,
      message: '@dya is used, but not declared under parameters; did you mean @day?',
    },
  ]);
});

test('SQL that ends within a text is not said to leave a parameter unused', () => {
  expect(problems('select 1')).toHaveLength(1);
  expect(problems("select 'open\n, @day")).toEqual([]);
});
