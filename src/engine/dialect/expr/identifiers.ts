import type { Identifier, MemberExpr, Node } from 'sql-parser-cst';
import { columnsIn, fieldSql, findColumns, findRange, type Range, type Sql } from '../scope.ts';
import type { Rule } from '../translator.ts';
import { describeType, isScalar, quote, structOf, unknown } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import { quoteText } from './literals.ts';
import { jsonField, subscript } from './subscripts.ts';

/** A bare name: a FROM item takes precedence over a column or an array element's field. */
export const identifier: Rule<Identifier> = (node, scope, tr) => {
  tr.markRowDependent();
  const alias = scope.aliases?.get(node.name.toLowerCase());
  if (alias) return alias;
  const range = findRange(scope, node.name);
  if (range) return rowValue(range);
  return singleCandidate(node, node.name, findColumns(scope, node.name));
};

/** `a.b`: a column of a FROM item, or a field of a struct; `a[…]`: an element of an array. */
export const memberExpr: Rule<MemberExpr> = (node, scope, tr) => {
  const { object, property } = node;
  tr.markRowDependent();
  if (property.type === 'array_subscript') return subscript(node, property, scope, tr);
  if (property.type !== 'identifier') throw new Unsupported(property, 'expected a field name or [ ]');

  const range = object.type === 'identifier' ? findRange(scope, object.name) : undefined;
  if (range && !range.value) return singleCandidate(property, property.name, columnsIn(range, property.name));
  return field(tr.expr(object, scope), property);
};

/** The name of a column without an alias: the last part of its path. */
export function impliedName(node: Node): string | undefined {
  if (node.type === 'identifier') return node.name;
  return node.type === 'member_expr' && node.property.type === 'identifier' ? node.property.name : undefined;
}

function field(of: Sql, property: Identifier): Sql {
  const { type, unnestTarget } = of;
  if (isScalar(type, 'JSON')) return jsonField(of, quoteText(property.name));
  if (type.kind === 'array') {
    throw new Unsupported(
      property,
      `cannot read ${property.name} from an array: UNNEST it, or take one element with [OFFSET(0)]`,
    );
  }
  if (type.kind !== 'struct' && type.kind !== 'unknown') {
    throw new Unsupported(
      property,
      `cannot read ${property.name} from ${describeType(type)}, which has no fields`,
    );
  }
  const found = fieldSql(of, property.name);
  if (type.kind === 'struct' && !found) throw new Unsupported(property, `no field is named ${property.name}`);
  const named = found ?? { text: `(${of.text}).${quote(property.name)}`, type: unknown };
  return { ...named, ...(unnestTarget && { unnestTarget }) };
}

function singleCandidate(node: Identifier, name: string, candidates: readonly Sql[]): Sql {
  const [found, another] = candidates;
  if (!found) throw new Unsupported(node, `no column is named ${name}`);
  if (another) throw new Unsupported(node, `${name} is ambiguous: qualify it with the table's name`);
  return found;
}

/** A FROM item used as a value: the array element, or the row as a STRUCT. */
function rowValue(range: Range): Sql {
  if (range.value) return { ...range.value, ...(range.unnestTarget && { unnestTarget: range.unnestTarget }) };
  const fields = range.columns.map(({ name, text }) => `${quote(name)} := ${text}`);
  return { text: `struct_pack(${fields.join(', ')})`, type: structOf(range.columns) };
}
