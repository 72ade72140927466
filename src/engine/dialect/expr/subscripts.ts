import type { ArraySubscript, MemberExpr, Node } from 'sql-parser-cst';
import type { Scope, Sql } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { describeType, isScalar, scalar, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';

const macroOf = {
  OFFSET: 'at_offset',
  SAFE_OFFSET: 'at_safe_offset',
  ORDINAL: 'at_ordinal',
  SAFE_ORDINAL: 'at_safe_ordinal',
} as const;

/** `json.name` and `json['name']`: NULL if there is no such field. */
export const jsonField = (of: Sql, name: string): Sql => ({
  text: `bq.json_field(${of.text}, ${name})`,
  type: scalar('JSON'),
});

/** `a[OFFSET(n)]` and the like; a bare index is zero-based. */
export function subscript(node: MemberExpr, { expr }: ArraySubscript, scope: Scope, tr: Translator): Sql {
  const array = tr.expr(node.object, scope);
  if (isScalar(array.type, 'JSON')) return jsonElement(array, expr, scope, tr);
  const type = array.type.kind === 'array' ? array.type.element : unknown;
  if (array.type.kind !== 'array' && array.type.kind !== 'unknown') {
    throw new Unsupported(node, '[ ] needs an array');
  }
  if (expr.type === 'array_slice_specifier') throw new Unsupported(expr, 'array slices are not supported');
  if (expr.type !== 'array_subscript_specifier') {
    const index = tr.expr(expr, scope);
    requireInt(expr, index);
    return { text: `bq.at_offset(${array.text}, ${index.text})`, type };
  }
  const index = tr.expr(expr.args.expr, scope);
  requireInt(expr, index);
  return { text: `bq.${macroOf[expr.specifierKw.name]}(${array.text}, ${index.text})`, type };
}

function jsonElement(json: Sql, expr: ArraySubscript['expr'], scope: Scope, tr: Translator): Sql {
  if (expr.type === 'array_slice_specifier' || expr.type === 'array_subscript_specifier')
    throw new Unsupported(expr, 'JSON takes a number or a name in [ ]');
  const key = tr.expr(expr, scope);
  if (isScalar(key.type, 'STRING')) return jsonField(json, key.text);
  requireInt(expr, key);
  return { text: `bq.json_element(${json.text}, ${key.text})`, type: scalar('JSON') };
}

function requireInt(node: Node, { type }: Sql): void {
  if (type.kind !== 'unknown' && type.kind !== 'null' && !isScalar(type, 'INT64'))
    throw new Unsupported(node, `expected INT64, got ${describeType(type)}`);
}
