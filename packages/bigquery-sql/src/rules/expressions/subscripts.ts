import type * as Syntax from '../../syntax/nodes.ts';
import { call, field, transformList } from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { arrayOf, describeType, isScalar, scalar, storedFields, type Type } from '../../types.ts';
import { convert } from '../coercion.ts';
import type { Context, Rule } from '../context.ts';
import { callMacro } from '../macro-call.ts';
import type { Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { fieldOf, jsonField, namedValue, noteUse } from './column-paths.ts';
import { writtenValue } from './constant-values.ts';

const macroOf: Readonly<Record<Exclude<Syntax.SubscriptMode, 'KEY' | 'SAFE_KEY'>, string>> = {
  PLAIN: 'at_offset',
  OFFSET: 'at_offset',
  SAFE_OFFSET: 'at_safe_offset',
  ORDINAL: 'at_ordinal',
  SAFE_ORDINAL: 'at_safe_ordinal',
};

/** `a[OFFSET(n)]` and the like; a bare index is zero-based. */
export const subscript: Rule<Syntax.Subscript> = (node, scope, context) =>
  elementOf(node, context.expression(node.operand, scope), context.expression(node.index, scope));

function elementOf(node: Syntax.Subscript, of: Expression, index: Expression): Expression {
  const { mode } = node;
  if (mode === 'KEY' || mode === 'SAFE_KEY')
    throw new Unsupported(node.index, `${mode} is for maps, which BigQuery does not have`);
  // A NULL that is read by index is JSON, the only type that takes any index.
  if (of.type.kind === 'null' && mode === 'PLAIN')
    return elementOfJson(node, convert(of, scalar('JSON')), index);
  if (isScalar(of.type, 'JSON')) return elementOfJson(node, of, index);
  if (of.type.kind === 'struct') return fieldAt(node, of, of.type, index);
  if (of.type.kind !== 'array' && of.type.kind !== 'unknown')
    throw new Unsupported(node.index, `[ ] needs an array, not ${describeType(of.type)}`);
  // It may be JSON.
  if (of.type.kind === 'unknown' && isScalar(index.type, 'STRING')) return of;
  requireInt64(node.index, index);
  requirePosition(node, index);
  return callMacro(node, macroOf[mode], [of, index], '[ ]');
}

function elementOfJson(node: Syntax.Subscript, json: Expression, index: Expression): Expression {
  if (node.mode !== 'PLAIN') throw new Unsupported(node.index, 'JSON takes a number or a name in [ ]');
  if (isScalar(index.type, 'STRING')) return jsonField(node, json, index);
  requireInt64(node.index, index);
  return callMacro(node, 'json_element', [json, index]);
}

/** `struct[0]`: its first field; the index must be a literal, because it decides the type. */
function fieldAt(
  { mode, index: place }: Syntax.Subscript,
  of: Expression,
  { fields }: Extract<Type, { kind: 'struct' }>,
  index: Expression,
): Expression {
  const isOrdinal = mode === 'ORDINAL';
  if (mode !== 'PLAIN' && mode !== 'OFFSET' && !isOrdinal)
    throw new Unsupported(place, `${mode} does not take a STRUCT`);
  if (index.kind !== 'literal' || typeof index.value !== 'bigint')
    throw new Unsupported(place, 'the index of a STRUCT must be an integer literal');
  const at = Number(index.value) - (isOrdinal ? 1 : 0);
  const found = fields[at];
  if (!found) throw new Unsupported(place, `the STRUCT has ${fields.length} fields`);
  if (of.kind === 'struct') return of.fields[at]?.value ?? of;
  return field(of, storedFields(fields)[at] ?? '', found.type);
}

/** No array has an element before its first one. */
function requirePosition({ mode, index: place }: Syntax.Subscript, index: Expression): void {
  const first = mode === 'ORDINAL' ? 1n : 0n;
  const isSafe = mode === 'SAFE_OFFSET' || mode === 'SAFE_ORDINAL';
  const at = writtenValue(index);
  if (isSafe || typeof at !== 'bigint' || at >= first) return;
  throw new Unsupported(
    place,
    `the first element of an array has the ${first === 1n ? 'ORDINAL 1' : 'OFFSET 0'}`,
  );
}

function requireInt64(place: Place, { type }: Expression): void {
  if (type.kind !== 'unknown' && type.kind !== 'null' && !isScalar(type, 'INT64'))
    throw new Unsupported(place, `expected INT64, got ${describeType(type)}`);
}

/**
 * The operand of UNNEST, where a field of an array is that of each element: `UNNEST(t.items.sku)`. Arrays among these fields
 * are joined.
 */
export function unnestedArray(node: Syntax.Expression, scope: Scope, context: Context): Expression {
  return joined(pathOf(node, scope, context).value);
}

/** A value, or the values that a path finds in the elements of an array. */
interface PathValue {
  readonly value: Expression;
  readonly isOfElements: boolean;
}

function pathOf(node: Syntax.Expression, scope: Scope, context: Context): PathValue {
  switch (node.kind) {
    case 'Path': {
      // A function without parentheses has no fields.
      if (node.parts.length === 1) break;
      const { value, fields } = namedValue(node, scope);
      noteUse(node, value, scope);
      return fields.reduce(fieldsOf, { value, isOfElements: false });
    }
    case 'FieldAccess':
      return fieldsOf(pathOf(node.operand, scope, context), node.field);
    case 'Subscript': {
      const of = pathOf(node.operand, scope, context);
      const index = context.expression(node.index, scope);
      if (of.isOfElements) return inElements(of.value, (element) => elementOf(node, element, index));
      return { value: elementOf(node, of.value, index), isOfElements: false };
    }
    default:
  }
  return { value: context.expression(node, scope), isOfElements: false };
}

const fieldsOf = ({ value, isOfElements }: PathValue, name: Syntax.Identifier): PathValue =>
  value.type.kind === 'array'
    ? inElements(joined(value), (element) => fieldOf(element, name))
    : { value: fieldOf(value, name), isOfElements };

function inElements(array: Expression, body: (element: Expression) => Expression): PathValue {
  const { type } = array;
  if (type.kind !== 'array') return { value: body(array), isOfElements: true };
  const found = transformList(array, type.element, body);
  const [, lambda] = found.args;
  const element = lambda?.kind === 'lambda' ? lambda.body.type : type.element;
  return { value: { ...found, type: arrayOf(element) }, isOfElements: true };
}

/** The elements of the arrays in an array. */
const joined = (array: Expression): Expression =>
  array.type.kind === 'array' && array.type.element.kind === 'array'
    ? call('flatten', [array], array.type.element)
    : array;
