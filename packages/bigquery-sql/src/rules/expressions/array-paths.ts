import type * as Syntax from '../../syntax/nodes.ts';
import { call, transformList } from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { arrayOf } from '../../types.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../scope.ts';
import { fieldOf, namedValue, noteUse } from './column-paths.ts';
import { elementOf } from './subscripts.ts';

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
