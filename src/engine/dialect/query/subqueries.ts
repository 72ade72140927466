import type { ArrayConstructor, ParenExpr, SubSelect } from 'sql-parser-cst';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { arrayOf, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** A subquery as a value, in parentheses. */
export function subquery(node: ParenExpr<SubSelect>, scope: Scope, to: Translator): Sql {
  const { text, columns } = to.query(node.expr, scope);
  if (columns.length > 1)
    throw new Unsupported(node, 'a subquery that is a value has one column: use SELECT AS STRUCT for more');
  return { text: `(${text})`, type: columns[0]?.type ?? unknown };
}

/** `ARRAY(SELECT …)`, in the order of the subquery. */
export const arrayConstructor: Rule<ArrayConstructor> = (node, scope, to) => arrayQuery(node.expr, scope, to);

export const arrayQuery = (node: ParenExpr<SubSelect>, scope: Scope, to: Translator): Sql => {
  const value = subquery(node, scope, to);
  return { text: `ARRAY${value.text}`, type: arrayOf(value.type) };
};
