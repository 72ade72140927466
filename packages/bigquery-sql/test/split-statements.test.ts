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

test.each([
  'begin declare x int64; select 1; exception when error then select 2; end',
  'create or replace procedure d.p(x int64) begin if x > 1 then select 1; end if; select case x when 1 then 2 end; end',
  'while x < 3 do set x = x + 1; select if(x > 1, 1, 2); end while',
  'for r in (select 1 as a) do select r.a, r.end; end for',
  'loop if x then leave; else select 1; end if; end loop',
  'repeat select repeat("a", 2); until true end repeat',
  'case when x then select 1; else select case when if(y, true, false) then 1 else if(y, 1, 2) end; end case',
])('a block is one statement: %s', (block) => {
  expect(splitStatements(`${block}; select 2`).map((text) => text.trim())).toEqual([block, 'select 2']);
});

test('a transaction, a CASE expression and a call open no block', () => {
  const statements = [
    'begin transaction',
    'select case when a then if(b, 1, 2) else 3 end',
    'commit transaction',
    'begin',
    'call d.procedure(1)',
    'select t.case, t.begin from t for system_time as of current_timestamp()',
  ];
  expect(splitStatements(statements.join('; ')).map((text) => text.trim())).toEqual(statements);
});
