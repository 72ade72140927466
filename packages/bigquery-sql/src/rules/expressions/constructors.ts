import type * as Syntax from '../../syntax/nodes.ts';
import { castTo, list, nullLiteral } from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { arrayOf, describeType, nullType, type Type, unknown } from '../../types.ts';
import { commonSupertype, convert, distance } from '../coercion.ts';
import { type Context, hasFailed, type Rule } from '../context.ts';
import { resolveType } from '../resolve-type.ts';
import type { Scope } from '../scope.ts';
import { structValue } from '../struct-value.ts';
import { Unsupported } from '../unsupported.ts';
import { impliedName } from './column-paths.ts';

/** `[a, b]`, whose elements are converted to a common type, or `ARRAY<type>[a, b]`. */
export const arrayConstructor: Rule<Syntax.ArrayConstructor> = (node, scope, context) => {
  if (node.type) {
    const element = resolveType(node.type.element);
    refuseNestedArray(node, element);
    return arrayOfItems(
      node.elements.map((item) => valueOfType(item, element, scope, context)),
      element,
    );
  }
  const items = node.elements.map((item) => context.expression(item, scope));
  if (items.length === 0) return list([], arrayOf(nullType));
  const type = commonSupertype(node, 'an array', items);
  refuseNestedArray(node, type);
  return list(
    items.map((item) => convert(item, type)),
    arrayOf(type),
  );
};

function refuseNestedArray(node: Syntax.ArrayConstructor, element: Type): void {
  if (element.kind === 'array')
    throw new Unsupported(node, 'an array cannot contain arrays: wrap the inner ones in a STRUCT');
}

/** An array; DuckDB does not know the type of an empty one. */
const arrayOfItems = (items: readonly Expression[], element: Type): Expression =>
  items.length === 0 ? castTo(list([], arrayOf(nullType)), arrayOf(element)) : list(items, arrayOf(element));

/** `STRUCT(a AS b, c)` and `STRUCT<b INT64>(a)`. */
export const structConstructor: Rule<Syntax.StructConstructor> = (node, scope, context) => {
  if (node.fields.length === 0) throw new Unsupported(node, 'a STRUCT without fields is not supported');
  if (node.type) {
    const type = resolveType(node.type);
    const aliased = node.fields.find(({ alias }) => alias);
    if (aliased) throw new Unsupported(aliased, 'a STRUCT with a type takes no field names');
    return structOfType(
      node,
      node.fields.map(({ value }) => value),
      type,
      scope,
      context,
    );
  }
  const values = node.fields.map(({ value }) => context.expression(value, scope));
  const struct = structValue(
    node.fields.map(({ value, alias }, at) => ({
      name: alias?.name ?? impliedName(value) ?? '',
      value: values[at] ?? nullLiteral(),
    })),
  );
  // The name of a field may be wrong.
  const isDoubtful = node.fields.some(({ alias }, at) => !alias && hasFailed(values[at] ?? struct));
  return isDoubtful ? { ...struct, type: unknown } : struct;
};

/** `(a, b)`: a struct whose fields have no names. */
export const tuple: Rule<Syntax.Tuple> = (node, scope, context) =>
  structValue(node.elements.map((element) => ({ name: '', value: context.expression(element, scope) })));

/** A value of a declared type: tuples and structs take the field names from it. */
function valueOfType(node: Syntax.Expression, type: Type, scope: Scope, context: Context): Expression {
  const value = context.expression(node, scope);
  if (distance(value, type) === undefined)
    throw new Unsupported(
      node,
      `the value is ${describeType(value.type)}, the declared type ${describeType(type)}`,
    );
  return value.type.kind === 'null' ? nullLiteral(type) : { ...convert(value, type), type };
}

function structOfType(
  node: Syntax.Expression,
  values: readonly Syntax.Expression[],
  type: Type,
  scope: Scope,
  context: Context,
): Expression {
  if (type.kind !== 'struct' || type.fields.length !== values.length)
    throw new Unsupported(node, `expected ${type.kind === 'struct' ? type.fields.length : 0} fields`);
  const fields = values.map((value, index) => {
    const target = type.fields[index];
    return {
      name: target?.name ?? '',
      value: target ? valueOfType(value, target.type, scope, context) : context.expression(value, scope),
    };
  });
  return { ...structValue(fields), type };
}
