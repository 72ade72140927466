import type { BetweenExpr, BinaryExpr, Node, PrefixOpExpr } from 'sql-parser-cst';
import { convert, supertype } from '../coercion.ts';
import { callMacro } from '../macros/macro-call.ts';
import type { Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { isScalar, scalar, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { concatenation } from './arrays.ts';
import { compare, operatorName, requireBool } from './comparison.ts';
import { numberSql } from './literals.ts';
import { predicateOf } from './predicates.ts';
import { exists } from './subqueries.ts';

/** Operators whose semantics differ between the engines are macros. */
const macroOf: Readonly<Record<string, string>> = {
  '+': 'op_add',
  '-': 'op_subtract',
  '*': 'op_multiply',
  '/': 'op_divide',
  '||': 'op_concat',
  '&': 'op_bitand',
  '|': 'op_bitor',
  '^': 'op_bitxor',
  '<<': 'op_shiftleft',
  '>>': 'op_shiftright',
};

const comparisons = ['=', '<', '>', '<=', '>=', '<>', '!='];

export const binaryExpr: Rule<BinaryExpr> = (node, scope, tr) => {
  const operator = operatorName(node.operator);
  const predicate = predicateOf(operator);
  if (predicate) return predicate(node, scope, tr);

  const left = tr.expr(node.left, scope);
  const right = tr.expr(node.right, scope);
  if (operator === 'AND' || operator === 'OR') {
    requireBool(node.left, left, operator);
    requireBool(node.right, right, operator);
    return logicalExpr(operator, left, right);
  }
  if (comparisons.includes(operator)) {
    if (isComparison(node.left) || isComparison(node.right))
      throw new Unsupported(node, 'comparing the result of a comparison needs parentheses');
    if (operator === '=') noteEqualityColumn(left, right, tr);
    return compare(node, operator, left, right);
  }
  if (operator === '||' && (left.type.kind === 'array' || right.type.kind === 'array'))
    return concatenation(node, '||', [left, right]);
  const macro = macroOf[operator];
  if (macro === undefined) throw new Unsupported(node, `the operator ${operator} is not supported`);
  return callMacro(node, macro, [left, right], operator);
};

/** Records `column = @parameter`: a table may be sorted by such columns. */
function noteEqualityColumn(left: Sql, right: Sql, tr: Translator): void {
  for (const [column, value] of [
    [left, right],
    [right, left],
  ] as const) {
    if (column.origin && /^CAST\(\$\w+ AS VARCHAR\)$/.test(value.text)) tr.addEqualityColumn(column.origin);
  }
}

const isComparison = (node: Node): boolean =>
  node.type === 'binary_expr' && comparisons.includes(operatorName(node.operator));

const logicalExpr = (operator: string, left: Sql, right: Sql): Sql => ({
  text: `(${left.text} ${operator} ${right.text})`,
  type: scalar('BOOL'),
});

export const between: Rule<BetweenExpr> = (node, scope, tr) => {
  const operator = operatorName(node.betweenKw);
  if (operator !== 'BETWEEN' && operator !== 'NOT BETWEEN')
    throw new Unsupported(node, `${operator} is not supported`);
  const [value, begin, end] = [node.left, node.begin, node.end].map((part) => tr.expr(part, scope));
  if (!value || !begin || !end) throw new Unsupported(node, 'BETWEEN takes two bounds');
  compare(node.begin, '>=', value, begin);
  compare(node.end, '<=', value, end);
  if (![value, begin, end].some(({ type }) => isScalar(type, 'FLOAT64'))) {
    const type = supertype([value, begin, end]) ?? unknown;
    const [a, b, c] = [value, begin, end].map((side) => convert(side, type));
    return { text: `(${a} ${operator} ${b} AND ${c})`, type: scalar('BOOL') };
  }
  const [least, most] = [compare(node, '>=', value, begin), compare(node, '<=', value, end)];
  const not = operator === 'BETWEEN' ? '' : 'NOT ';
  return { text: `(${not}(${least.text} AND ${most.text}))`, type: scalar('BOOL') };
};

export const prefixOp: Rule<PrefixOpExpr> = (node, scope, tr) => {
  const operator = operatorName(node.operator);
  if (operator === '-' && node.expr.type === 'number_literal')
    return numberSql(node.expr, `-${node.expr.text}`);
  if (operator === 'EXISTS') return exists(node, scope, tr);
  const value = tr.expr(node.expr, scope);
  switch (operator) {
    case 'NOT':
      requireBool(node.expr, value, operator);
      return { text: `(NOT ${value.text})`, type: scalar('BOOL') };
    case '+':
      return value;
    case '-':
      return callMacro(node, 'op_negate', [value], operator);
    case '~':
      return callMacro(node, 'op_bitnot', [value], operator);
    default:
      throw new Unsupported(node, `the operator ${operator} is not supported`);
  }
};
