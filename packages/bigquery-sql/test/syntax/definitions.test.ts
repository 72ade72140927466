import { expect, test } from 'vitest';
import { parseDefinitions } from '../../src/syntax/parse-query.ts';
import { SyntaxProblem } from '../../src/syntax/syntax-problem.ts';
import { dump } from './dump.ts';

const query = 'Query(body: Select(items: [SelectExpression(expression: 1)]))';

test.each([
  ['CREATE VIEW d.v AS SELECT 1', [`CreateView(name: d.v query: ${query})`]],
  [
    'CREATE OR REPLACE VIEW `my-project.d.v` AS SELECT 1;',
    [`CreateView(name: \`my-project\`.\`d\`.\`v\` query: ${query})`],
  ],
  [
    'CREATE VIEW IF NOT EXISTS my-project.d.v AS (SELECT 1)',
    [`CreateView(name: my-project.d.v query: ${query})`],
  ],
  [
    "CREATE VIEW v (a OPTIONS (description = 'A.'), b) OPTIONS (labels = [('x', 'y')]) AS SELECT 1",
    [
      `CreateView(name: v columns: [a b] options: [Option(name: labels value: ArrayConstructor(elements: [Tuple(elements: ["x" "y"])]))] query: ${query})`,
    ],
  ],
  [
    'CREATE FUNCTION d.f(a INT64) AS (a); -- the second one\nCREATE OR REPLACE TEMP FUNCTION g() AS (1);',
    [
      'CreateFunction(name: d.f parameters: [FunctionParameter(name: a type: NamedType(name: INT64))] body: a)',
      'CreateFunction(name: g body: 1)',
    ],
  ],
  ['CREATE AGGREGATE FUNCTION p.d.f() AS (1)', ['CreateFunction(aggregate: true name: p.d.f body: 1)']],
  [
    'CREATE MATERIALIZED VIEW IF NOT EXISTS d.v PARTITION BY DATE(a) CLUSTER BY b, c OPTIONS (enable_refresh = TRUE) AS SELECT 1',
    [`CreateView(name: d.v options: [Option(name: enable_refresh value: TRUE)] query: ${query})`],
  ],
  [
    "#standardSQL\nCREATE VIEW d.v AS SELECT 1;\n-- Tests\nSELECT assert.equals(d.f(1), ';');\nWITH a AS (SELECT 1) SELECT 1 FROM a; ASSERT (SELECT 1) = 1 AS 'one'; (SELECT 1); FROM d.v |> LIMIT 1; CREATE VIEW d.w AS SELECT 1; SELECT",
    [`CreateView(name: d.v query: ${query})`, `CreateView(name: d.w query: ${query})`],
  ],
  ['-- nothing', []],
])('the definitions of %j are found', (sql, definitions) => {
  expect(parseDefinitions(sql).map(dump)).toEqual(definitions);
});

test.each([
  ['SELECT 1', '0: expected "CREATE VIEW" or "CREATE FUNCTION", found "SELECT"'],
  [
    'CREATE TABLE t AS SELECT 1',
    '0: CREATE TABLE is not supported: only CREATE VIEW and CREATE FUNCTION are',
  ],
  [
    'ASSERT TRUE; CREATE VIEW v AS SELECT 1',
    '0: expected "CREATE VIEW" or "CREATE FUNCTION", found "ASSERT"',
  ],
  ['CREATE VIEW v AS SELECT 1; DROP VIEW v', '27: expected "CREATE VIEW" or "CREATE FUNCTION", found "DROP"'],
  [
    'CREATE PROCEDURE d.p() BEGIN SELECT 1; END',
    '0: CREATE PROCEDURE is not supported: only CREATE VIEW and CREATE FUNCTION are',
  ],
  [
    'CREATE TABLE FUNCTION d.f(a INT64) AS SELECT 1',
    '0: CREATE TABLE FUNCTION is not supported: a saved query with parameters can be read like one',
  ],
  [
    'CREATE VIEW v AS SELECT 1 CREATE VIEW w AS SELECT 1',
    '26: expected ";" after the definition, found "CREATE"',
  ],
])('%j is refused', (sql, problem) => {
  let found: unknown;
  try {
    parseDefinitions(sql);
  } catch (error) {
    found = error;
  }
  if (!(found instanceof SyntaxProblem)) throw new Error('no problem');
  expect(`${found.offset}: ${found.message}`).toBe(problem);
});
