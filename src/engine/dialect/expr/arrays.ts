import type { ArrayExpr, ArrayLiteralExpr, Node } from 'sql-parser-cst';
import { convert } from '../coercion.ts';
import { commonSupertype } from '../functions/special-functions.ts';
import type { Sql } from '../scope.ts';
import type { Rule } from '../translator.ts';
import { arrayOf, nullType } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** `[a, b]`: the elements share one type. */
export const arrayExpr: Rule<ArrayExpr> = (node, scope, tr) => {
  const items = node.expr.items.map((item) => tr.expr(item, scope));
  if (items.length === 0) return { text: '[]', type: arrayOf(nullType), coercible: true };
  const type = commonSupertype(node, 'an array', items);
  if (type.kind === 'array')
    throw new Unsupported(node, 'an array can not hold arrays: put a STRUCT between them');
  const text = `[${items.map((item) => convert(item, type)).join(', ')}]`;
  return { text, type: arrayOf(type), coercible: items.every(({ coercible }) => coercible) };
};

/** Arrays one after the other; NULL where one is NULL. */
export function concatenation(node: Node, name: string, arrays: readonly Sql[]): Sql {
  const type = commonSupertype(node, name, arrays);
  if (type.kind !== 'array' && type.kind !== 'null' && type.kind !== 'unknown')
    throw new Unsupported(node, `${name} takes arrays`);
  const texts = arrays.map((array) => convert(array, type));
  const some = texts.map((text) => `${text} IS NULL`).join(' OR ');
  const joined = texts.reduceRight((rest, text) => `list_concat(${text}, ${rest})`);
  return { text: `CASE WHEN ${some} THEN NULL ELSE ${joined} END`, type };
}

/** `ARRAY[a, b]`. */
export const arrayLiteral: Rule<ArrayLiteralExpr> = (node, scope, tr) => arrayExpr(node.expr, scope, tr);
