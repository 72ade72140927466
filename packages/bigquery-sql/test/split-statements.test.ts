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
  const script =
    'declare x int64; create temp table t as select 1 as a; if x is null then set x = 1; else set x = 2; end if; select x from t';
  expect(split(`${script}; -- nothing\n; select 2`)).toEqual([script, 'select 2']);
  expect(splitStatements('select 1;\n select 2')[1]).toBe('         \n select 2');
});
