import { describe, expect, test } from 'vitest';
import { dumpExpression, expressionOf, problemOf } from './dump.ts';

const textOf = (literal: string) => {
  const expression = expressionOf(literal);
  return expression.kind === 'StringLiteral' ? expression.value : expression;
};

describe('strings', () => {
  test.each([
    ["'it\\'s'", "it's"],
    ['"it\'s"', "it's"],
    ["''", ''],
    ["'''a'b\n''c'''", "a'b\n''c"],
    ["'''a\r\nb\rc'''", 'a\nb\nc'],
    ["'\\a\\b\\f\\n\\r\\t\\v\\\\\\?\\`'", '\x07\b\f\n\r\t\v\\?`'],
    ["'\\x41\\X41\\101\\u0041\\U00000041'", 'AAAAA'],
    ["'\\U0001F600'", '😀'],
    ["'\\377'", 'ÿ'],
    ["r'\\d+\\''", "\\d+\\'"],
    ['R"\\""', '\\"'],
    ["r'''a\nb\\n'''", 'a\nb\\n'],
    ["'# no -- comment /* here'", '# no -- comment /* here'],
  ])('%s means %s', (literal, value) => {
    expect(textOf(literal)).toBe(value);
  });

  test.each([
    ["b'a\\xff\\377'", 'x61ffff'],
    ["b'é'", 'xc3a9'],
    ["rb'\\x'", 'x5c78'],
    ["Br'\\n'", 'x5c6e'],
    ["b'''\n'''", 'x0a'],
  ])('bytes %s', (literal, bytes) => {
    expect(dumpExpression(literal)).toBe(`BytesLiteral(value: ${bytes})`);
  });

  test.each([
    ["SELECT 'abc", "7: expected ' at the end of the string that starts here, found none"],
    ["SELECT 'a\nb'", "7: expected ' at the end of the string that starts here, found none"],
    ["SELECT r'\\'", "7: expected ' at the end of the literal that starts here, found none"],
    ["SELECT 'a\\q'", '9: expected an escape sequence of GoogleSQL, found "\\q"'],
    ["SELECT '\\ud800'", '8: expected an escape sequence of GoogleSQL, found "\\u"'],
    ["SELECT '\\400'", '8: expected an escape sequence of GoogleSQL, found "\\4"'],
    ["SELECT b'\\u0041'", '9: expected an escape sequence of GoogleSQL, found "\\u"'],
    ['SELECT `a', '7: expected ` at the end of the name in backquotes that starts here, found none'],
    ['SELECT x.`a\\x00b`', '9: a name has a NUL; remove it'],
    ['WITH `\\000` AS (SELECT 1) SELECT 1', '5: a name has a NUL; remove it'],
    ['SELECT ``', '7: expected a name between the backquotes, found nothing'],
    ["SELECT 'a''b'", "10: expected a blank between two strings; a quote within a string is written \\'"],
  ])('%s is refused', (sql, problem) => {
    expect(problemOf(sql)).toBe(problem);
  });

  test('names in backquotes have escapes', () => {
    expect(dumpExpression('`a\\x41\\``')).toBe('`aA``');
  });
});

describe('numbers', () => {
  test.each(['0', '123', '0xFF', '5.', '.5', '1.5e-3', '4e2', '1E+5', '9223372036854775808'])(
    '%s stays as it is written',
    (text) => {
      expect(dumpExpression(text)).toBe(text);
    },
  );

  test('hexadecimal digits have their value', () => {
    expect(expressionOf('0xFF')).toMatchObject({ kind: 'IntegerLiteral', value: 255n });
  });

  test('a number may end in a dot before AS', () => {
    expect(dumpExpression('5. AS c')).toBe('5.');
  });

  test.each([
    ['SELECT 1abc', '8: expected a blank after the number 1, found a letter'],
    ['SELECT 9223372036854775809', '7: expected an integer of 64 bits, found one of 19 digits'],
    ['SELECT 1 2', '9: expected the end of the query, found "2"'],
  ])('%s is refused', (sql, problem) => {
    expect(problemOf(sql)).toBe(problem);
  });
});

describe('literals of types', () => {
  test.each([
    ["DATE '2024-01-31'", 'TypedLiteral(type: DATE value: "2024-01-31")'],
    ["timestamp r'x'", 'TypedLiteral(type: TIMESTAMP value: "x")'],
    ["DECIMAL '1.5'", 'TypedLiteral(type: NUMERIC value: "1.5")'],
    ["BIGDECIMAL '1.5'", 'TypedLiteral(type: BIGNUMERIC value: "1.5")'],
    ["JSON '{}'", 'TypedLiteral(type: JSON value: "{}")'],
    ["RANGE<DATE> '[a, b)'", 'RangeLiteral(type: RangeType(element: NamedType(name: DATE)) value: "[a, b)")'],
    ['INTERVAL 5 DAY', 'IntervalLiteral(value: 5 from: DAY)'],
    ['INTERVAL a + 1 DAY', 'IntervalLiteral(value: Binary(operator: + left: a right: 1) from: DAY)'],
    ["INTERVAL '1-2' YEAR TO MONTH", 'IntervalLiteral(value: "1-2" from: YEAR to: MONTH)'],
    ['TRUE', 'TRUE'],
    ['null', 'NULL'],
    ['date', 'date'],
  ])('%s is parsed as %s', (text, tree) => {
    expect(dumpExpression(text)).toBe(tree);
  });
});

describe('comments and blanks', () => {
  test.each(['/* a */1', '-- a\n1', '# a\n1', '/* * / */ 1 -- end', '\u00a01', '\u30001'])('%j', (text) => {
    expect(dumpExpression(text)).toBe('1');
  });

  test('a comment without end is refused where it starts', () => {
    expect(problemOf('SELECT 1 /* a')).toBe(
      '9: expected */ at the end of the comment that starts here, found none',
    );
  });
});
