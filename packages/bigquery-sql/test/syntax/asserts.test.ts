import { expect, test } from 'vitest';
import { parseAsserts } from '../../src/syntax/parse-query.ts';
import { SyntaxProblem } from '../../src/syntax/syntax-problem.ts';

const read = (text: string) =>
  parseAsserts(text).map((one) => [
    text.slice(one.start, one.end),
    text.slice(one.condition.start, one.conditionEnd),
    one.description?.value,
  ]);

test.each([
  ['', []],
  ['-- only a comment\n', []],
  ['ASSERT TRUE', [['ASSERT TRUE', 'TRUE', undefined]]],
  ['\uFEFFassert 1 = 1 as "x";\r\n', [['assert 1 = 1 as "x"', '1 = 1', 'x']]],
  [
    "ASSERT EXISTS(SELECT 1) AS r'''t;'''; ASSERT(FALSE) /* c */ AS 'a' 'b';",
    [
      ["ASSERT EXISTS(SELECT 1) AS r'''t;'''", 'EXISTS(SELECT 1)', 't;'],
      ["ASSERT(FALSE) /* c */ AS 'a' 'b'", 'FALSE)', 'ab'],
    ],
  ],
])('%j has the statements %j', (text, expected) => {
  expect(read(text)).toEqual(expected);
});

test.each([
  ['SELECT 1', 0, 'expected "ASSERT", found "SELECT"'],
  ['ASSERT TRUE; ; ASSERT TRUE', 13, 'expected "ASSERT", found ";"'],
  ['ASSERT', 6, 'expected an expression, found the end of the text'],
  ["ASSERT TRUE 'x'", 12, 'expected "AS" and a text, or ";" after the condition, found a string'],
  ['ASSERT TRUE AS x', 15, 'expected the text of ASSERT, a string literal, found "x"'],
  ["ASSERT TRUE AS CONCAT('x')", 15, 'a string literal, found "CONCAT"'],
  ['ASSERT TRUE ASSERT FALSE', 12, '";" after the condition, found "ASSERT"'],
  ['CREATE TEMP FUNCTION f() AS (1); ASSERT TRUE', 0, 'only ASSERT statements are'],
  ['DECLARE x INT64; ASSERT x = 1', 0, 'DECLARE is not supported here'],
])('%j is wrong at %i', (text, offset, message) => {
  try {
    parseAsserts(text);
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    expect(error.offset).toBe(offset);
    expect(error.message).toContain(message);
    return;
  }
  expect.unreachable();
});
