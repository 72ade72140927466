import type { ArrayConstructor, Node, ParenExpr, PrefixOpExpr, SubSelect } from 'sql-parser-cst';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { arrayOf, scalar, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

export const parenExpr: Rule<ParenExpr> = (node, scope, tr) => {
  const { expr } = node;
  if (isQuery(expr)) return subquery({ ...node, expr }, scope, tr);
  const inner = tr.expr(expr, scope);
  return { ...inner, text: `(${inner.text})` };
};

/** A scalar subquery, in parentheses. */
export function subquery(node: ParenExpr<SubSelect>, scope: Scope, tr: Translator): Sql {
  const { text, columns } = tr.query(node.expr, scope);
  if (columns.length > 1)
    throw new Unsupported(node, 'a scalar subquery must have one column: use SELECT AS STRUCT for several');
  return { text: `(${text})`, type: columns[0]?.type ?? unknown };
}

/** `ARRAY(SELECT …)`, in the order of the subquery. */
export const arrayConstructor: Rule<ArrayConstructor> = (node, scope, tr) => arrayQuery(node.expr, scope, tr);

export const arrayQuery = (node: ParenExpr<SubSelect>, scope: Scope, tr: Translator): Sql => {
  const value = subquery(node, scope, tr);
  return { text: `ARRAY${value.text}`, type: arrayOf(value.type) };
};

export function exists(node: PrefixOpExpr, scope: Scope, tr: Translator): Sql {
  if (node.expr.type !== 'paren_expr' || !isQuery(node.expr.expr))
    throw new Unsupported(node, 'EXISTS takes a subquery');
  return { text: `EXISTS (${tr.query(node.expr.expr, scope).text})`, type: scalar('BOOL') };
}

const isQuery = (node: Node): node is SubSelect =>
  node.type === 'select_stmt' ||
  node.type === 'compound_select_stmt' ||
  (node.type === 'paren_expr' && isQuery(node.expr));
