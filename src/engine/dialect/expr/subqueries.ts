import type { ArrayConstructor, ParenExpr, SubSelect } from 'sql-parser-cst';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { arrayOf, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** A subquery as a value, in parentheses. */
export function subquery(node: ParenExpr<SubSelect>, scope: Scope, tr: Translator): Sql {
  const { text, columns } = tr.query(node.expr, scope);
  if (columns.length > 1)
    throw new Unsupported(node, 'a subquery that is a value has one column: use SELECT AS STRUCT for more');
  return { text: `(${text})`, type: columns[0]?.type ?? unknown };
}

/** `ARRAY(SELECT …)`, in the order of the subquery. */
export const arrayConstructor: Rule<ArrayConstructor> = (node, scope, tr) => arrayQuery(node.expr, scope, tr);

export const arrayQuery = (node: ParenExpr<SubSelect>, scope: Scope, tr: Translator): Sql => {
  const value = subquery(node, scope, tr);
  return { text: `ARRAY${value.text}`, type: arrayOf(value.type) };
};
