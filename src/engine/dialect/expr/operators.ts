import type {
  BetweenExpr,
  BinaryExpr,
  Keyword,
  Node,
  ParenExpr,
  PrefixOpExpr,
  SubSelect,
} from 'sql-parser-cst';
import { convert, distance, supertype } from '../coercion.ts';
import { callMacro } from '../functions/calls.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { anonymousField, describeType, isScalar, quote, scalar, type Type, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { concatenation } from './arrays.ts';
import { numberSql } from './literals.ts';
import { predicateOf } from './predicates.ts';
import { subquery } from './subqueries.ts';

export const parenExpr: Rule<ParenExpr> = (node, scope, tr) => {
  const { expr } = node;
  if (isQuery(expr)) return subquery({ ...node, expr }, scope, tr);
  const inner = tr.expr(expr, scope);
  return { ...inner, text: `(${inner.text})` };
};

const isQuery = (node: Node): node is SubSelect =>
  node.type === 'select_stmt' ||
  node.type === 'compound_select_stmt' ||
  (node.type === 'paren_expr' && isQuery(node.expr));

/** Arithmetic and the like have macros of their own: their meaning differs between the engines. */
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
      throw new Unsupported(node, 'a comparison of a comparison needs parentheses');
    if (operator === '=') noteEqualityColumn(left, right, tr);
    return compare(node, operator, left, right);
  }
  if (operator === '||' && (left.type.kind === 'array' || right.type.kind === 'array'))
    return concatenation(node, '||', [left, right]);
  const macro = macroOf[operator];
  if (macro === undefined) throw new Unsupported(node, `the operator ${operator} is not supported`);
  return callMacro(node, macro, [left, right], tr, operator);
};

/** Tells of `column = @parameter`, by which a table may be laid out. */
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

export const operatorName = (operator: unknown): string =>
  typeof operator === 'string'
    ? operator
    : (Array.isArray(operator) ? operator : [operator]).map((keyword: Keyword) => keyword.name).join(' ');

/** DuckDB takes numbers and text for truth; BigQuery takes BOOL alone. */
export function requireBool(node: Node, { type }: Sql, where: string): void {
  if (type.kind !== 'unknown' && type.kind !== 'null' && !isScalar(type, 'BOOL'))
    throw new Unsupported(node, `${where} takes BOOL, not ${describeType(type)}`);
}

const logicalExpr = (operator: string, left: Sql, right: Sql): Sql => ({
  text: `(${left.text} ${operator} ${right.text})`,
  type: scalar('BOOL'),
});

export function compare(node: Node, operator: string, left: Sql, right: Sql): Sql {
  if (!comparable(left, right)) {
    throw new Unsupported(
      node,
      `${describeType(left.type)} ${operator} ${describeType(right.type)} has no meaning: CAST one`,
    );
  }
  if (isScalar(left.type, 'JSON') || isScalar(right.type, 'JSON'))
    throw new Unsupported(node, `JSON values are not comparable with ${operator}: take their text first`);
  if (left.type.kind === 'struct' && right.type.kind === 'struct')
    return compareStructs(node, operator, [left.text, left.type], [right.text, right.type]);
  if (isScalar(left.type, 'FLOAT64') || isScalar(right.type, 'FLOAT64'))
    return compareFloats(operator, left, right);
  const type = supertype([left, right]) ?? unknown;
  const text = `(${convert(left, type)} ${operator} ${convert(right, type)})`;
  return { text, type: scalar('BOOL'), ...knownOutcome(operator, left, right) };
}

/** What a comparison of two texts comes to that are known before any row is read. */
function knownOutcome(operator: string, left: Sql, right: Sql): Pick<Sql, 'known'> {
  const isText = isScalar(left.type, 'STRING') && isScalar(right.type, 'STRING');
  if (operator !== '=' || !isText || left.known === undefined || right.known === undefined) return {};
  return { known: left.known === right.known };
}

type Struct = readonly [text: string, type: Extract<Type, { kind: 'struct' }>];

/** Structs are equal where all their fields are: NULL in one makes the answer NULL, not false. */
function compareStructs(node: Node, operator: string, [a, left]: Struct, [b, right]: Struct): Sql {
  if (operator.startsWith('IS')) return { text: `(${a} ${operator} ${b})`, type: scalar('BOOL') };
  if (operator !== '=' && operator !== '!=' && operator !== '<>')
    throw new Unsupported(node, `structs are not comparable with ${operator}`);
  const tests = left.fields.map(({ name, type }, index) => {
    const other = right.fields[index];
    const at = (side: string, field: string) => `(s.${side}).${quote(field || anonymousField(index))}`;
    const members = [
      { text: at('a', name), type },
      { text: at('b', other?.name ?? ''), type: other?.type ?? type },
    ] as const;
    return compare(node, '=', ...members).text;
  });
  const not = operator === '=' ? '' : 'NOT ';
  const text = `list_transform([struct_pack(a := ${a}, b := ${b})], lambda s: ${not}(${tests.join(' AND ')}))[1]`;
  return { text, type: scalar('BOOL') };
}

/** NaN is equal to nothing, and neither more nor less than anything; to DuckDB it is the greatest number. */
function compareFloats(operator: string, left: Sql, right: Sql): Sql {
  const [a, b] = [left, right].map((side) => convert(side, scalar('FLOAT64')));
  const calls: Readonly<Record<string, string>> = {
    '=': `bq.op_equal(${a}, ${b})`,
    '!=': `bq.op_unequal(${a}, ${b})`,
    '<>': `bq.op_unequal(${a}, ${b})`,
    '<': `bq.op_less(${a}, ${b})`,
    '>': `bq.op_less(${b}, ${a})`,
    '<=': `bq.op_at_most(${a}, ${b})`,
    '>=': `bq.op_at_most(${b}, ${a})`,
  };
  return { text: calls[operator] ?? `(${a} ${operator} ${b})`, type: scalar('BOOL') };
}

export const comparable = (left: Sql, right: Sql): boolean =>
  distance(left, right.type) !== undefined || distance(right, left.type) !== undefined;

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
      return callMacro(node, 'op_negate', [value], tr, operator);
    case '~':
      return callMacro(node, 'op_bitnot', [value], tr, operator);
    default:
      throw new Unsupported(node, `the operator ${operator} is not supported`);
  }
};

function exists(node: PrefixOpExpr, scope: Scope, tr: Translator): Sql {
  if (node.expr.type !== 'paren_expr' || !isQuery(node.expr.expr))
    throw new Unsupported(node, 'EXISTS takes a subquery');
  return { text: `EXISTS (${tr.query(node.expr.expr, scope).text})`, type: scalar('BOOL') };
}
