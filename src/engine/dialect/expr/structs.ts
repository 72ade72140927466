import type { Alias, ListExpr, Node, StructExpr, TypedExpr } from 'sql-parser-cst';
import { convert, distance } from '../coercion.ts';
import type { Scope, Sql } from '../scope.ts';
import type { Rule, Translator } from '../translator.ts';
import { anonymousField, arrayOf, type Column, duckdbType, quote, structOf, type Type } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { arrayExpr } from './arrays.ts';
import { parseDataType } from './casts.ts';
import { impliedName } from './identifiers.ts';

/** `(a, b)`: a struct whose fields have no names. */
export const structExpr: Rule<StructExpr> = (node, scope, tr) =>
  pack(node.expr.items.map((item) => ({ name: '', ...tr.expr(item, scope) })));

/** `STRUCT(a AS b)`, `STRUCT<…>(…)` and `ARRAY<…>[…]`. */
export const typedExpr: Rule<TypedExpr> = (node, scope, tr) => {
  const { dataType, expr } = node;
  if (
    dataType.type === 'parametric_data_type' &&
    dataType.typeKw.name === 'ARRAY' &&
    !dataType.params &&
    expr.type === 'array_expr'
  )
    return arrayExpr(expr, scope, tr);
  const bare =
    dataType.type === 'parametric_data_type' && dataType.typeKw.name === 'STRUCT' && !dataType.params;
  const type = bare ? undefined : parseDataType(dataType);
  if (expr.type === 'array_expr') {
    if (type?.kind !== 'array') throw new Unsupported(dataType, 'expected ARRAY<type>');
    const items = expr.expr.items.map((item) => valueOfType(item, type.element, scope, tr).text);
    return { text: `CAST([${items.join(', ')}] AS ${duckdbType(type)})`, type: arrayOf(type.element) };
  }
  if (!type) return pack(structFields(expr.expr, scope, tr));
  if (type.kind !== 'struct') throw new Unsupported(dataType, 'expected STRUCT<…>');
  return valueOfType(expr, type, scope, tr);
};

interface Field extends Sql, Column {}

/** A struct of fields in order. */
export function pack(values: readonly Field[]): Sql {
  const named = values.map(({ name, text }, index) => `${quote(name || anonymousField(index))} := ${text}`);
  return {
    text: `struct_pack(${named.join(', ')})`,
    type: structOf(values.map(({ name, type }) => ({ name, type }))),
  };
}

function structFields(list: ListExpr, scope: Scope, tr: Translator): readonly Field[] {
  return list.items.map((item) => {
    const aliased = item.type === 'alias' ? (item as Alias) : undefined;
    const name = aliased?.alias.name ?? impliedName(item) ?? '';
    return { ...tr.expr((aliased?.expr as Node | undefined) ?? item, scope), name };
  });
}

/** A value of a declared type: struct literals take the field names from it. */
function valueOfType(node: Node, type: Type, scope: Scope, tr: Translator): Sql {
  if (type.kind === 'struct' && node.type === 'struct_expr') {
    const { items } = node.expr;
    if (items.length !== type.fields.length)
      throw new Unsupported(node, `expected ${type.fields.length} fields`);
    const values = items.map((item, index) => {
      const field = type.fields[index];
      return field
        ? { ...valueOfType(item, field.type, scope, tr), name: field.name }
        : { ...tr.expr(item, scope), name: '' };
    });
    return { ...pack(values), type };
  }
  const inner =
    type.kind === 'struct' && node.type === 'paren_expr' && type.fields.length === 1
      ? type.fields[0]
      : undefined;
  if (inner && node.type === 'paren_expr') {
    return { ...pack([{ ...valueOfType(node.expr, inner.type, scope, tr), name: inner.name }]), type };
  }
  const value = tr.expr(node, scope);
  if (distance(value, type) === undefined)
    throw new Unsupported(node, 'the value does not fit the declared type');
  return { text: convert(value, type), type };
}
