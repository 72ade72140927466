import type * as Syntax from '../../syntax/nodes.ts';
import { isEqual } from '../../tree/equal.ts';
import { someExpression } from '../../tree/map.ts';
import type { Expression, Grouping, Position } from '../../tree/nodes.ts';
import { isVolatile } from '../../tree/volatile.ts';
import { describeType, isScalar, sameName, type Type } from '../../types.ts';
import type { Context } from '../context.ts';
import type { Scope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';
import { expressionOf } from './after-grouping.ts';
import type { Output } from './outputs.ts';

/** The keys of GROUP BY. Output columns are referred to by position, which no column of FROM can hide. */
export function resolveGrouping(
  node: Syntax.GroupBy,
  outputs: readonly Output[],
  scope: Scope,
  context: Context,
): Grouping {
  const isPlain = node.items.every(({ kind }) => kind === 'GroupingExpression' || kind === 'GroupingList');
  const keys: Expression[] = [];
  const add = (expression: Syntax.Expression): number => {
    const key = resolveKey(expression, outputs, scope, context, isPlain);
    const value = expressionOf(key, outputs);
    const known = keys.findIndex(
      (other) => isEqual(other, key) || (!isVolatile(value) && isEqual(expressionOf(other, outputs), value)),
    );
    if (known < 0) return keys.push(key) - 1;
    // The output column is the key, however the other items write it.
    if (key.kind === 'position') keys[known] = key;
    return known;
  };
  const addAll = ({ expressions }: Syntax.GroupingList): readonly number[] => expressions.map(add);

  // Several items mean the union of one set of each.
  const sets = node.items.map((item) => groupingSets(item, add, addAll)).reduce(crossProduct, [[]]);
  return isPlain && keys.length > 0 ? { keys } : { keys, sets };
}

const crossProduct = (
  left: readonly (readonly number[])[],
  right: readonly (readonly number[])[],
): readonly (readonly number[])[] => left.flatMap((set) => right.map((other) => [...set, ...other]));

function groupingSets(
  item: Syntax.GroupingItem,
  add: (expression: Syntax.Expression) => number,
  addAll: (list: Syntax.GroupingList) => readonly number[],
): readonly (readonly number[])[] {
  switch (item.kind) {
    case 'GroupingExpression':
      return [[add(item.expression)]];
    case 'GroupingList':
      return [addAll(item)];
    case 'Rollup': {
      const lists = item.items.map(addAll);
      return [...lists.keys(), lists.length].toReversed().map((length) => lists.slice(0, length).flat());
    }
    case 'Cube': {
      if (item.items.length > maxCubeItems)
        throw new Unsupported(item, `CUBE takes at most ${maxCubeItems} items`);
      return item.items
        .map(addAll)
        .reduce<readonly (readonly number[])[]>(
          (sets, list) => sets.flatMap((set) => [[...set, ...list], set]),
          [[]],
        );
    }
    case 'GroupingSets':
      return item.sets.flatMap((set) => groupingSets(set, add, addAll));
  }
}

/** 2 to this power sets are written out. */
const maxCubeItems = 10;

function resolveKey(
  node: Syntax.Expression,
  outputs: readonly Output[],
  scope: Scope,
  context: Context,
  isPlain: boolean,
): Expression {
  if (node.kind === 'IntegerLiteral') {
    const column = outputs[Number(node.value) - 1];
    if (!column) throw new Unsupported(node, `the select list has no column ${node.text}`);
    return requireGroupable(node, positionOf(outputs, column));
  }
  const alias = node.kind === 'Path' && node.parts.length === 1 ? node.parts[0].name : undefined;
  const aliased =
    alias === undefined
      ? undefined
      : outputs.find(({ name, isAnonymous }) => !isAnonymous && sameName(name, alias));
  if (aliased) return requireGroupable(node, positionOf(outputs, aliased));
  const key = context.expression(node, scope);
  // With several sets an output column may have another value than the key: see `afterGrouping`.
  const isSame = isPlain || key.kind === 'column';
  const same = isSame ? outputs.find(({ value }) => isEqual(value, key)) : undefined;
  return requireGroupable(node, same ? positionOf(outputs, same) : key);
}

/** A column of the select list, in GROUP BY and ORDER BY. */
export const positionOf = (outputs: readonly Output[], output: Output): Position => ({
  kind: 'position',
  index: outputs.indexOf(output) + 1,
  type: output.value.type,
});

function requireGroupable(node: Syntax.Expression, key: Expression): Expression {
  if (isGroupable(key.type)) return key;
  throw new Unsupported(node, `GROUP BY does not take ${describeType(key.type)}`);
}

/** Whether an expression has an aggregate of its own: not in a subquery, and not over a window. */
export const aggregatesRows = (node: Expression): boolean =>
  someExpression(node, (part) => part.kind === 'aggregate' && part.over === undefined);

/** Whether values of a type can be grouped and distinguished by DISTINCT. */
export const isGroupable = (type: Type): boolean =>
  type.kind === 'struct'
    ? type.fields.every((field) => isGroupable(field.type))
    : type.kind === 'array'
      ? isGroupable(type.element)
      : !isScalar(type, 'JSON');
