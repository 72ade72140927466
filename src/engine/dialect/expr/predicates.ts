import type { BinaryExpr, ListExpr, Node, ParenExpr, QuantifierExpr } from 'sql-parser-cst';
import { convert, supertype } from '../coercion.ts';
import { callMacro } from '../macros/macro-call.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { arrayOf, describeType, scalar, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { comparable, compare, operatorName } from './comparison.ts';

type Predicate = Rule<BinaryExpr>;

const bool = (text: string): Sql => ({ text, type: scalar('BOOL') });

/** `x IS NULL`, `IS TRUE`, `IS FALSE` and their negations. */
const is: Predicate = (node, scope, tr) => {
  const { right } = node;
  if (right.type !== 'null_literal' && right.type !== 'boolean_literal') {
    throw new Unsupported(right, 'IS takes NULL, TRUE or FALSE');
  }
  const word = right.type === 'null_literal' ? 'NULL' : right.valueKw.name;
  return bool(`(${tr.expr(node.left, scope).text} ${operatorName(node.operator)} ${word})`);
};

const isDistinct: Predicate = (node, scope, tr) => {
  const [left, right] = [tr.expr(node.left, scope), tr.expr(node.right, scope)];
  return compare(node, operatorName(node.operator), left, right);
};

/** `x IN (…)`, `x IN (SELECT …)`, `x IN UNNEST(array)`. */
const isIn: Predicate = (node, scope, tr) => {
  const value = tr.expr(node.left, scope);
  const array = unnestArgument(node.right);
  if (array) return inArray(array, operatorName(node.operator), value, tr.expr(array, scope));
  const test = `(${value.text} ${operatorName(node.operator)} ${members(node.right, value, scope, tr)})`;
  return bool(test);
};

/** The array of `UNNEST(array)`, which the parser reads as a function call outside FROM. */
function unnestArgument(node: Node): Node | undefined {
  if (node.type === 'unnest_expr') return node.expr.expr;
  if (node.type !== 'func_call' || node.name.type !== 'identifier') return undefined;
  return node.name.name.toUpperCase() === 'UNNEST' ? node.args?.expr.args.items[0] : undefined;
}

function inArray(node: Node, operator: string, value: Sql, array: Sql): Sql {
  const { type } = array;
  const element = { text: '', type: type.kind === 'array' ? type.element : type };
  if (type.kind === 'unknown' || type.kind === 'null')
    return bool(`(${operator === 'IN' ? '' : 'NOT '}bq.op_in(${value.text}, ${array.text}))`);
  if (type.kind !== 'array' || !comparable(value, element))
    throw new Unsupported(node, `${describeType(value.type)} cannot be in ${describeType(type)}`);
  const common = supertype([value, element]) ?? unknown;
  const [x, list] = [convert(value, common), convert({ ...array, coercible: true }, arrayOf(common))];
  return bool(`(${operator === 'IN' ? '' : 'NOT '}bq.op_in(${x}, ${list}))`);
}

function members(node: Node, value: Sql, scope: Scope, tr: Translator): string {
  if (node.type !== 'paren_expr') throw new Unsupported(node, 'IN takes a list, a subquery or UNNEST(array)');
  if (node.expr.type !== 'list_expr') return tr.expr(node, scope).text;
  const items = (node as ParenExpr<ListExpr>).expr.items.map((item) => {
    const member = tr.expr(item, scope);
    if (comparable(value, member)) return member.text;
    throw new Unsupported(
      item,
      `${describeType(member.type)} cannot be compared with ${describeType(value.type)}: CAST one`,
    );
  });
  return `(${items.join(', ')})`;
}

const like: Predicate = (node, scope, tr) => {
  if (node.right.type === 'quantifier_expr') return quantifiedLike(node, node.right, scope, tr);
  const test = callMacro(node, 'op_like', [tr.expr(node.left, scope), tr.expr(node.right, scope)], 'LIKE');
  return operatorName(node.operator) === 'LIKE' ? test : bool(`(NOT ${test.text})`);
};

/** `x LIKE ANY ('a%', 'b%')`, also SOME and ALL, as one test for each pattern. */
function quantifiedLike(
  node: BinaryExpr,
  { quantifierKw, expr }: QuantifierExpr,
  scope: Scope,
  tr: Translator,
): Sql {
  const value = tr.expr(node.left, scope);
  const { expr: inner } = expr;
  const patterns: readonly Node[] = inner.type === 'list_expr' ? inner.items : [inner];
  if (
    patterns.some(
      ({ type }) => type === 'select_stmt' || type === 'compound_select_stmt' || type === 'unnest_expr',
    )
  )
    throw new Unsupported(node.right, 'LIKE ANY and LIKE ALL support a list of patterns only');
  const tests = patterns.map(
    (pattern) => callMacro(pattern, 'op_like', [value, tr.expr(pattern, scope)], 'LIKE').text,
  );
  const not = operatorName(node.operator) === 'LIKE' ? '' : 'NOT ';
  const every = quantifierKw.name === 'ALL';
  // NOT LIKE ANY is true if at least one pattern does not match.
  return bool(`(${tests.map((test) => `${not}${test}`).join(every ? ' AND ' : ' OR ')})`);
}

const predicates: Readonly<Record<string, Predicate>> = {
  IS: is,
  'IS NOT': is,
  'IS DISTINCT FROM': isDistinct,
  'IS NOT DISTINCT FROM': isDistinct,
  IN: isIn,
  'NOT IN': isIn,
  LIKE: like,
  'NOT LIKE': like,
};

export const predicateOf = (operator: string): Predicate | undefined =>
  Object.hasOwn(predicates, operator) ? predicates[operator] : undefined;
