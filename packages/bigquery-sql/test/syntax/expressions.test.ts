import { describe, expect, test } from 'vitest';
import { dumpExpression, problemOf } from './dump.ts';

describe('operators', () => {
  test.each([
    ['a-1', 'Binary(operator: - left: a right: 1)'],
    ['a-b', 'Binary(operator: - left: a right: b)'],
    ['a.b-c.d', 'Binary(operator: - left: a.b right: c.d)'],
    ['1 - 2 - 3', 'Binary(operator: - left: Binary(operator: - left: 1 right: 2) right: 3)'],
    ['1 + 2 * 3', 'Binary(operator: + left: 1 right: Binary(operator: * left: 2 right: 3))'],
    ['(1 + 2) * 3', 'Binary(operator: * left: Binary(operator: + left: 1 right: 2) right: 3)'],
    ['-a.b[0]', 'Unary(operator: - operand: Subscript(operand: a.b mode: PLAIN index: 0))'],
    ['- -1', 'Unary(operator: - operand: Unary(operator: - operand: 1))'],
    ['~a | b', 'Binary(operator: | left: Unary(operator: ~ operand: a) right: b)'],
    [
      'a | b ^ c & d << 1 >> 2',
      'Binary(operator: | left: a right: Binary(operator: ^ left: b right: Binary(operator: & left: c right: Binary(operator: >> left: Binary(operator: << left: d right: 1) right: 2))))',
    ],
    ['a || b || c', 'Concatenation(operands: [a b c])'],
    ['a || b * c', 'Concatenation(operands: [a Binary(operator: * left: b right: c)])'],
    ['a + b || c', 'Binary(operator: + left: a right: Concatenation(operands: [b c]))'],
    ['(a || b) || c', 'Concatenation(operands: [Concatenation(operands: [a b]) c])'],
    ['a AND b AND c OR d', 'Logical(operator: OR operands: [Logical(operator: AND operands: [a b c]) d])'],
    ['NOT a = b', 'Not(operand: Comparison(operator: = left: a right: b))'],
    ['NOT NOT a AND b', 'Logical(operator: AND operands: [Not(operand: Not(operand: a)) b])'],
    ['a <> 1', 'Comparison(operator: != left: a right: 1)'],
    ['a >= 1', 'Comparison(operator: >= left: a right: 1)'],
  ])('%s is parsed as %s', (text, tree) => {
    expect(dumpExpression(text)).toBe(tree);
  });

  test('a shift to the right has no blank between its two signs', () => {
    expect(problemOf('SELECT a > > b')).toBe('11: expected an expression, found ">"');
  });
});

describe('predicates', () => {
  test.each([
    ['a IN (1, 2)', 'In(operand: a values: ExpressionList(items: [1 2]))'],
    ['a NOT IN UNNEST(b)', 'In(operand: a negated: true values: UnnestedValues(array: b))'],
    [
      'a IN (SELECT 1)',
      'In(operand: a values: Query(body: Select(items: [SelectExpression(expression: 1)])))',
    ],
    [
      'a IN ((SELECT 1))',
      'In(operand: a values: Query(body: Select(items: [SelectExpression(expression: 1)])))',
    ],
    [
      'a IN ((SELECT 1), 2)',
      'In(operand: a values: ExpressionList(items: [ScalarSubquery(query: Query(body: Select(items: [SelectExpression(expression: 1)]))) 2]))',
    ],
    [
      '(a, b) IN ((1, 2))',
      'In(operand: Tuple(elements: [a b]) values: ExpressionList(items: [Tuple(elements: [1 2])]))',
    ],
    ['a LIKE b', 'Like(operand: a pattern: b)'],
    [
      "a NOT LIKE ANY ('x', 'y')",
      'QuantifiedLike(operand: a negated: true quantifier: ANY patterns: ExpressionList(items: ["x" "y"]))',
    ],
    ['a LIKE ALL UNNEST(b)', 'QuantifiedLike(operand: a quantifier: ALL patterns: UnnestedValues(array: b))'],
    ['a BETWEEN 1 AND 2 AND b', 'Logical(operator: AND operands: [Between(operand: a low: 1 high: 2) b])'],
    [
      'a NOT BETWEEN 1 AND 2 + 3',
      'Between(operand: a negated: true low: 1 high: Binary(operator: + left: 2 right: 3))',
    ],
    ['a IS NULL', 'Is(operand: a value: NULL)'],
    ['a IS NOT UNKNOWN', 'Is(operand: a negated: true value: UNKNOWN)'],
    ['a IS NOT DISTINCT FROM b', 'IsDistinctFrom(left: a negated: true right: b)'],
    ['a IS DISTINCT FROM NOT b', 'IsDistinctFrom(left: a right: Not(operand: b))'],
    ['EXISTS(SELECT 1)', 'Exists(query: Query(body: Select(items: [SelectExpression(expression: 1)])))'],
  ])('%s is parsed as %s', (text, tree) => {
    expect(dumpExpression(text)).toBe(tree);
  });
});

describe('paths, fields and elements', () => {
  test.each([
    ['a.b.c', 'a.b.c'],
    ['t.select.from', 't.select.from'],
    ['`a b`.c', '`a b`.c'],
    ['`a.b`', '`a.b`'],
    ['t.2024_x', 't.2024_x'],
    [
      'IF(a, b, c).d.e',
      'FieldAccess(operand: FieldAccess(operand: FunctionCall(name: IF args: [a b c]) field: d) field: e)',
    ],
    ['(a.b).c', 'FieldAccess(operand: a.b field: c)'],
    ['a[OFFSET(0)].b', 'FieldAccess(operand: Subscript(operand: a mode: OFFSET index: 0) field: b)'],
    ['a[SAFE_ORDINAL(n)]', 'Subscript(operand: a mode: SAFE_ORDINAL index: n)'],
    [
      "a['k'][KEY('x')]",
      'Subscript(operand: Subscript(operand: a mode: PLAIN index: "k") mode: KEY index: "x")',
    ],
    ['a[offset]', 'Subscript(operand: a mode: PLAIN index: offset)'],
    [
      'ARRAY(SELECT 1)[0]',
      'Subscript(operand: ArraySubquery(query: Query(body: Select(items: [SelectExpression(expression: 1)]))) mode: PLAIN index: 0)',
    ],
    ['@p.f', 'FieldAccess(operand: NamedParameter(name: p) field: f)'],
    ['@`a b`', 'NamedParameter(name: `a b`)'],
    ['@select', 'NamedParameter(name: select)'],
    [
      '[?, ?]',
      'ArrayConstructor(elements: [PositionalParameter(position: 0) PositionalParameter(position: 1)])',
    ],
    ['@@a.b', 'SystemVariable(name: a.b)'],
  ])('%s is parsed as %s', (text, tree) => {
    expect(dumpExpression(text)).toBe(tree);
  });
});

describe('constructors and special forms', () => {
  test.each([
    ['[]', 'ArrayConstructor()'],
    ['ARRAY[1, 2]', 'ArrayConstructor(elements: [1 2])'],
    [
      'ARRAY<STRUCT<a INT64, b ARRAY<RANGE<DATE>>>>[]',
      'ArrayConstructor(type: ArrayType(element: StructType(fields: [StructTypeField(name: a type: NamedType(name: INT64)) StructTypeField(name: b type: ArrayType(element: RangeType(element: NamedType(name: DATE))))])))',
    ],
    ['STRUCT()', 'StructConstructor()'],
    [
      'STRUCT(1 AS a, b)',
      'StructConstructor(fields: [StructArgument(value: 1 alias: a) StructArgument(value: b)])',
    ],
    [
      'STRUCT<date DATE, STRING>(a, b)',
      'StructConstructor(type: StructType(fields: [StructTypeField(name: date type: NamedType(name: DATE)) StructTypeField(type: NamedType(name: STRING))]) fields: [StructArgument(value: a) StructArgument(value: b)])',
    ],
    ['(1, 2)', 'Tuple(elements: [1 2])'],
    ['(((1)))', '1'],
    ['CASE WHEN a THEN 1 ELSE 2 END', 'Case(branches: [CaseBranch(when: a then: 1)] otherwise: 2)'],
    ['CASE a WHEN 1 THEN 2 END', 'Case(operand: a branches: [CaseBranch(when: 1 then: 2)])'],
    ['CAST(a AS NUMERIC(10, 2))', 'Cast(operand: a type: NamedType(name: NUMERIC parameters: [10 2]))'],
    [
      "SAFE_CAST(a AS STRING COLLATE 'und:ci')",
      'Cast(safe: true operand: a type: NamedType(name: STRING collation: "und:ci"))',
    ],
    [
      "CAST(a AS STRING FORMAT 'YYYY' AT TIME ZONE 'UTC')",
      'Cast(operand: a type: NamedType(name: STRING) format: "YYYY" zone: "UTC")',
    ],
    ['EXTRACT(DAY FROM a)', 'Extraction(part: DatePart(name: DAY) operand: a)'],
    [
      "EXTRACT(WEEK(MONDAY) FROM a AT TIME ZONE 'UTC')",
      'Extraction(part: DatePart(name: WEEK weekday: MONDAY) operand: a zone: "UTC")',
    ],
    [
      'WITH(a AS 1, b AS a, a + b)',
      'WithExpression(variables: [WithVariable(name: a value: 1) WithVariable(name: b value: a)] result: Binary(operator: + left: a right: b))',
    ],
    [
      '((SELECT 1) + 1)',
      'Binary(operator: + left: ScalarSubquery(query: Query(body: Select(items: [SelectExpression(expression: 1)]))) right: 1)',
    ],
    [
      '((SELECT 1) UNION ALL (SELECT 2))',
      'ScalarSubquery(query: Query(body: SetOperation(operator: UNION quantifier: ALL inputs: [Query(body: Select(items: [SelectExpression(expression: 1)])) Query(body: Select(items: [SelectExpression(expression: 2)]))])))',
    ],
  ])('%s is parsed as %s', (text, tree) => {
    expect(dumpExpression(text)).toBe(tree);
  });
});

describe('calls', () => {
  test.each([
    ['f()', 'FunctionCall(name: f)'],
    ['COUNT(*)', 'FunctionCall(name: COUNT args: [StarArgument()])'],
    ['COUNT(DISTINCT a)', 'FunctionCall(name: COUNT distinct: true args: [a])'],
    ['LEFT(a, 1)', 'FunctionCall(name: LEFT args: [a 1])'],
    ['RANGE(a, b)', 'FunctionCall(name: RANGE args: [a b])'],
    ['SAFE.SUBSTR(a)', 'FunctionCall(name: SAFE.SUBSTR args: [a])'],
    ['`p.udf.f`(1)', 'FunctionCall(name: `p`.`udf`.`f` args: [1])'],
    [
      'PARSE_JSON(a, wide_number_mode => b)',
      'FunctionCall(name: PARSE_JSON args: [a NamedArgument(name: wide_number_mode value: b)])',
    ],
    [
      'DATE_TRUNC(a, WEEK(MONDAY))',
      'FunctionCall(name: DATE_TRUNC args: [a FunctionCall(name: WEEK args: [MONDAY])])',
    ],
    [
      'ARRAY_AGG(a HAVING MAX b)',
      'FunctionCall(name: ARRAY_AGG args: [a] having: HavingExtreme(extreme: MAX by: b))',
    ],
    [
      "STRING_AGG(DISTINCT a, ',' IGNORE NULLS ORDER BY b DESC NULLS LAST LIMIT 3)",
      'FunctionCall(name: STRING_AGG distinct: true args: [a ","] nulls: IGNORE orderBy: [OrderByItem(expression: b order: (direction: DESC nulls: LAST))] limit: Limit(count: 3))',
    ],
    ['SUM(a) OVER w', 'FunctionCall(name: SUM args: [a] over: w)'],
    ['SUM(a) OVER ()', 'FunctionCall(name: SUM args: [a] over: Window())'],
    [
      'SUM(a) OVER (w PARTITION BY b ORDER BY c ROWS BETWEEN (2) PRECEDING AND @n FOLLOWING)',
      'FunctionCall(name: SUM args: [a] over: Window(base: w partitionBy: [b] orderBy: [OrderByItem(expression: c)] frame: Frame(unit: ROWS from: FrameBound(direction: PRECEDING offset: 2) to: FrameBound(direction: FOLLOWING offset: NamedParameter(name: n)))))',
    ],
    [
      'SUM(a) OVER (ORDER BY b RANGE UNBOUNDED PRECEDING)',
      'FunctionCall(name: SUM args: [a] over: Window(orderBy: [OrderByItem(expression: b)] frame: Frame(unit: RANGE from: FrameBound(direction: PRECEDING))))',
    ],
  ])('%s is parsed as %s', (text, tree) => {
    expect(dumpExpression(text)).toBe(tree);
  });
});
