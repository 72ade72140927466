import type { ArraySubscript, MemberExpr } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { unknown } from '../type.ts';

const macroOf = {
  OFFSET: 'at_offset',
  SAFE_OFFSET: 'at_safe_offset',
  ORDINAL: 'at_ordinal',
  SAFE_ORDINAL: 'at_safe_ordinal',
} as const;

/** `a[OFFSET(n)]` and its kin; a bare index counts from 0. */
export function subscript(node: MemberExpr, { expr }: ArraySubscript, scope: Scope, to: Translator): Sql {
  const array = to.expr(node.object, scope);
  const type = array.type.kind === 'array' ? array.type.element : unknown;
  if (array.type.kind !== 'array' && array.type.kind !== 'unknown') {
    throw new Refusal(node, 'only arrays take [ ]');
  }
  if (expr.type === 'array_slice_specifier') throw new Refusal(expr, 'array slices are not supported');
  if (expr.type !== 'array_subscript_specifier') {
    return { text: `bq.at_offset(${array.text}, ${to.expr(expr, scope).text})`, type };
  }
  const index = to.expr(expr.args.expr, scope);
  return { text: `bq.${macroOf[expr.specifierKw.name]}(${array.text}, ${index.text})`, type };
}
