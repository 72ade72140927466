import type { ArrayExpr, ArrayLiteralExpr, Node } from 'sql-parser-cst';
import { commonSupertype, convert } from '../coercion.ts';
import type { Sql } from '../scope.ts';
import type { Rule } from '../translator.ts';
import { arrayOf, nullType } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

/** `[a, b]`, whose elements are converted to a common type. */
export const arrayExpr: Rule<ArrayExpr> = (node, scope, tr) => {
  const items = node.expr.items.map((item) => tr.expr(item, scope));
  if (items.length === 0) return { text: '[]', type: arrayOf(nullType), coercible: true };
  const type = commonSupertype(node, 'an array', items);
  if (type.kind === 'array')
    throw new Unsupported(node, 'an array cannot contain arrays: wrap the inner ones in a STRUCT');
  const text = `[${items.map((item) => convert(item, type)).join(', ')}]`;
  return { text, type: arrayOf(type), coercible: items.every(({ coercible }) => coercible) };
};

/** Concatenates arrays; NULL if one of them is NULL. */
export function concatenation(node: Node, name: string, arrays: readonly Sql[]): Sql {
  const type = commonSupertype(node, name, arrays);
  if (type.kind !== 'array' && type.kind !== 'null' && type.kind !== 'unknown')
    throw new Unsupported(node, `${name} takes arrays`);
  const texts = arrays.map((array) => convert(array, type));
  const anyNull = texts.map((text) => `${text} IS NULL`).join(' OR ');
  const joined = texts.reduceRight((rest, text) => `list_concat(${text}, ${rest})`);
  return { text: `CASE WHEN ${anyNull} THEN NULL ELSE ${joined} END`, type };
}

/** `ARRAY[a, b]`. */
export const arrayLiteral: Rule<ArrayLiteralExpr> = (node, scope, tr) => arrayExpr(node.expr, scope, tr);
