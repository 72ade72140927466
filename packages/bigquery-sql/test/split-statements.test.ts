import { expect, test } from 'vitest';
import { splitStatements } from '../src/command/split-statements.ts';

test('statements end at semicolons outside literals and comments', () => {
  const split = (sql: string) => splitStatements(sql).map((text) => text.trim());
  expect(split('select \';\' ; select """;""", `a;b` -- ;\n/* ; */; ')).toEqual([
    "select ';'",
    'select """;""", `a;b` -- ;\n/* ; */',
  ]);
  expect(split('create temp function f() as (1); select f(); select 2')).toEqual([
    'create temp function f() as (1); select f()',
    'select 2',
  ]);
  expect(splitStatements('select 1;\n select 2')[1]).toBe('         \n select 2');
});
