import type { ArrayExpr, ArrayLiteralExpr } from 'sql-parser-cst';
import type { Rule } from '../translator.ts';
import { arrayOf, nullType } from '../type.ts';
import { converted } from './coercion.ts';
import { common } from './forms.ts';

/** `[a, b]`: the elements share one type. */
export const arrayExpr: Rule<ArrayExpr> = (node, scope, to) => {
  const items = node.expr.items.map((item) => to.expr(item, scope));
  if (items.length === 0) return { text: '[]', type: arrayOf(nullType) };
  const type = common(node, 'an array', items);
  return { text: `[${items.map((item) => converted(item, type)).join(', ')}]`, type: arrayOf(type) };
};

/** `ARRAY[a, b]`. */
export const arrayLiteral: Rule<ArrayLiteralExpr> = (node, scope, to) => arrayExpr(node.expr, scope, to);
