import { describe, expect, test } from 'vitest';
import { parseQuery } from '../../src/syntax/parse-query.ts';
import { dump, problemOf } from './dump.ts';

describe('temporary functions', () => {
  const functionsOf = (sql: string) => parseQuery(`${sql}; SELECT 1;`).functions.map(dump);

  test.each([
    [
      'CREATE TEMP FUNCTION f(a INT64, b ANY TYPE) RETURNS STRING AS (a)',
      'CreateFunction(name: f parameters: [FunctionParameter(name: a type: NamedType(name: INT64)) FunctionParameter(name: b type: ANY TYPE)] returns: NamedType(name: STRING) body: a)',
    ],
    ['CREATE OR REPLACE TEMPORARY FUNCTION IF NOT EXISTS f() AS (1)', 'CreateFunction(name: f body: 1)'],
    [
      "CREATE TEMP FUNCTION f() RETURNS INT64 LANGUAGE js OPTIONS (library = ['a']) AS r'''return 1'''",
      'CreateFunction(name: f returns: NamedType(name: INT64) body: ForeignBody(language: js code: "return 1") options: [Option(name: library value: ArrayConstructor(elements: ["a"]))])',
    ],
  ])('%s is parsed as %s', (sql, tree) => {
    expect(functionsOf(sql)).toEqual([tree]);
  });

  test('several come before the query', () => {
    expect(functionsOf('CREATE TEMP FUNCTION f() AS (1); CREATE TEMP FUNCTION g() AS (2)')).toHaveLength(2);
  });
});

const onlyQueries = 'expected a query: "SELECT", "WITH" or "FROM", with functions or a script before it';

const otherScripts =
  'is not supported: of a script, only DECLARE, SET, IF and CREATE TEMP TABLE before one query can become that query';

test.each([
  ['', `0: ${onlyQueries}, found the end of the text`],
  ['-- nothing', `10: ${onlyQueries}, found the end of the text`],
  ['DECLARE x INT64', '15: expected ";" after the statement, found the end of the text'],
  ['DECLARE x INT64;', `16: ${onlyQueries}, found the end of the text`],
  ['SET (a, b) = (1, 2); SELECT 1', '4: SET of several variables is not supported: write a SET for each'],
  [
    'IF TRUE THEN SELECT 1; END IF; SELECT 2',
    '13: SELECT in IF is not supported: only variables can be SET there',
  ],
  ["EXECUTE IMMEDIATE 'SELECT 1'", `0: EXECUTE IMMEDIATE ${otherScripts}`],
  ['DECLARE x INT64; LOOP SELECT 1; END LOOP', `17: LOOP ${otherScripts}`],
  ['BEGIN SELECT 1; END', `0: BEGIN ${otherScripts}`],
  ['INSERT INTO t VALUES (1)', '0: expected a query, which only reads, found "INSERT"'],
  [
    'CREATE TABLE t AS SELECT 1',
    '0: CREATE TABLE is not supported: before a query, only CREATE TEMP FUNCTION and CREATE TEMP TABLE are',
  ],
  ['CREATE TEMP FUNCTION f() AS (1)', '31: expected ";" after the function, found the end of the text'],
  ['CREATE TEMP FUNCTION f() AS (1);', `32: ${onlyQueries}, found the end of the text`],
  ['SELECT 1; SELECT 2', '10: expected the end of the query, which is one statement, found "SELECT"'],
  ['SELECT 1;;', '9: expected the end of the query, found ";"'],
])('%j is refused', (sql, problem) => {
  expect(problemOf(sql)).toBe(problem);
});
