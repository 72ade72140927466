import type * as Syntax from '../../syntax/nodes.ts';
import { childrenOf } from '../../syntax/walk.ts';
import { isEqual } from '../../tree/equal.ts';
import type { Expression, Grouping, Position } from '../../tree/nodes.ts';
import { isPath } from '../../tree/query-parts.ts';
import { isVolatile } from '../../tree/volatile.ts';
import { describeType, sameName } from '../../types.ts';
import { collationKey, isCollated } from '../collation.ts';
import type { Context } from '../context.ts';
import { ambiguousAlias, type Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { expressionOf, isGroupable, someAggregate } from './after-grouping.ts';
import { type Output, openColumns, resolveOutput } from './outputs.ts';

export interface ResolvedGrouping {
  readonly grouping: Grouping;
  /** The keys as they are written: those that name a column of the select list are that column. */
  readonly keys: readonly Output[];
}

/** The columns of a select list, as GROUP BY may name them. */
export interface GroupedOutputs {
  readonly outputs: readonly Output[];
  /** True if they are the columns of the result, not the fields of its one column. */
  readonly haveColumns: boolean;
  /** Given if the items of GROUP BY are columns of their own, in this order, which name no others. */
  readonly keys?: readonly Output[];
}

/** The keys of GROUP BY. Output columns are referred to by position, which no column of FROM can hide. */
export function resolveGrouping(
  node: Syntax.GroupBy,
  selected: GroupedOutputs,
  scope: Scope,
  context: Context,
): ResolvedGrouping {
  if (node.all) return groupingByAll(node, selected);
  if (setsOf(node) > maxGroupingSets)
    throw new Unsupported(
      node,
      `GROUP BY has at most ${maxGroupingSets} sets: CUBE doubles them with each item`,
    );
  const isPlain = node.items.every(({ kind }) => kind === 'GroupingExpression' || kind === 'GroupingList');
  const keys: Expression[] = [];
  const written: Output[] = [];
  const add = (expression: Syntax.Expression): number => {
    const known = selected.keys?.[written.length];
    const named = namedOutput(expression, known ? [] : selected.outputs, 'GROUP BY');
    const output = known ?? named ?? resolveOutput(expression, undefined, scope, context);
    requireKey(expression, output.value);
    written.push(output);
    const { value } = output;
    if (!isPlain && isCollated(value.type))
      throw new Unsupported(expression, `GROUP BY of several sets does not take ${describeType(value.type)}`);
    const key = keyOf(output, selected, isPlain);
    // Of several sets, computed columns of the select list are keys of their own, even if they are equal.
    const mayBe = (other: Expression) =>
      !isVolatile(value) &&
      (isPlain || isPath(value) || other.kind !== 'position' || key.kind !== 'position');
    const same = keys.findIndex(
      (other) =>
        isEqual(other, key) || (mayBe(other) && isEqual(expressionOf(other, selected.outputs), value)),
    );
    if (same < 0) return keys.push(key) - 1;
    // The output column is the key, however the other items write it.
    if (key.kind === 'position') keys[same] = key;
    return same;
  };
  const addAll = ({ expressions }: Syntax.GroupingList): readonly number[] => expressions.map(add);

  // Several items mean the union of one set of each.
  const sets = node.items.map((item) => groupingSets(item, add, addAll)).reduce(crossProduct, [[]]);
  return { grouping: isPlain && keys.length > 0 ? { keys } : { keys, sets }, keys: written };
}

/** GROUP BY ALL groups by what reads columns of FROM and contains no aggregate or window function. */
function groupingByAll(place: Place, selected: GroupedOutputs): ResolvedGrouping {
  const keys = selected.outputs.filter(({ value, uses = [] }) => uses.length > 0 && !someAggregate(value));
  for (const { value } of keys) {
    requireGroupable(place, value, 'GROUP BY ALL');
    if (isVolatile(value)) throw new Unsupported(place, 'GROUP BY ALL takes no random value beside columns');
  }
  const grouping = {
    keys: keys.map((output) => keyOf(output, selected, true)),
    ...(keys.length === 0 && { sets: [[]] }),
  };
  return { grouping, keys };
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
    case 'Cube':
      return item.items
        .map(addAll)
        .reduce<readonly (readonly number[])[]>(
          (sets, list) => sets.flatMap((set) => [[...set, ...list], set]),
          [[]],
        );
    case 'GroupingSets':
      return item.sets.flatMap((set) => groupingSets(set, add, addAll));
  }
}

/** So many sets are written out. */
export const maxGroupingSets = 1024;

/** So many sets it means: several items mean one for each combination of theirs. */
export const setsOf = ({ items }: Pick<Syntax.GroupBy, 'items'>): number =>
  items.map(setsOfItem).reduce((product, sets) => product * sets, 1);

function setsOfItem(item: Syntax.GroupingItem): number {
  switch (item.kind) {
    case 'Rollup':
      return item.items.length + 1;
    case 'Cube':
      return 2 ** item.items.length;
    case 'GroupingSets':
      return item.sets.reduce((sum, set) => sum + setsOfItem(set), 0);
    default:
      return 1;
  }
}

function requireKey(place: Place, value: Expression): void {
  requireGroupable(place, value, 'GROUP BY');
  if (someAggregate(value)) throw new Unsupported(place, 'GROUP BY takes no aggregate or window function');
}

function requireGroupable(place: Place, { type }: Expression, clause: string): void {
  if (!isGroupable(type) && !isCollated(type))
    throw new Unsupported(place, `${clause} does not take ${describeType(type)}`);
}

/** The column of the select list that GROUP BY or ORDER BY names by its position or alias. */
export function namedOutput(
  node: Syntax.Expression,
  outputs: readonly Output[],
  clause: 'GROUP BY' | 'ORDER BY',
): Output | undefined {
  const numbered = numberedOutput(node, outputs, clause);
  if (numbered) return numbered;
  const [name, ...rest] = node.kind === 'Path' ? node.parts : [];
  if (!name || rest.length > 0) return undefined;
  const [found, another] = outputs.filter(
    (output) => !output.isAnonymous && sameName(output.name, name.name),
  );
  if (another) throw ambiguousAlias(node, name.name);
  return found;
}

/**
 * The column that a number is the position of.
 *
 * @throws Unsupported for another literal
 */
export function numberedOutput(
  node: Syntax.Expression,
  outputs: readonly Output[],
  clause: 'GROUP BY' | 'ORDER BY',
): Output | undefined {
  if (node.kind !== 'IntegerLiteral') {
    if (isBareLiteral(node)) throw new Unsupported(node, `${clause} does not take a literal`);
    return undefined;
  }
  const at = Number(node.value) - 1;
  // From columns that are not known on, positions are those of other columns.
  const open = outputs.findIndex(({ name }) => name === openColumns);
  const output = outputs[open >= 0 ? Math.min(at, open) : at];
  if (!output) throw new Unsupported(node, `the select list has no column ${node.text}`);
  return output;
}

/** Literals without the name of a type, which are more likely meant as something else. */
export function isBareLiteral(node: Syntax.Node): boolean {
  switch (node.kind) {
    case 'NullLiteral':
    case 'BooleanLiteral':
    case 'IntegerLiteral':
    case 'FloatLiteral':
    case 'StringLiteral':
    case 'BytesLiteral':
      return true;
    case 'Unary':
      return node.operator === '-' && isBareLiteral(node.operand);
    case 'StructArgument':
      return isBareLiteral(node.value);
    case 'ArrayConstructor':
    case 'StructConstructor':
    case 'Tuple':
      return childrenOf(node).every(isBareLiteral);
    default:
      return false;
  }
}

function keyOf(key: Output, { outputs, haveColumns }: GroupedOutputs, isPlain: boolean): Expression {
  // A position would be the text, not its key: see `afterGrouping`.
  if (!haveColumns || isCollated(key.value.type)) return collationKey(key.value);
  // With several sets an output column may have another value than the key: see `afterGrouping`.
  const isSame = isPlain || key.value.kind === 'column';
  const same = outputs.includes(key) ? key : isSame && outputs.find(({ value }) => isEqual(value, key.value));
  return same ? positionOf(outputs, same) : key.value;
}

/** A column of the select list, in GROUP BY and ORDER BY. */
export const positionOf = (outputs: readonly Output[], output: Output): Position => ({
  kind: 'position',
  index: outputs.indexOf(output) + 1,
  type: output.value.type,
});

/** True if an expression has an aggregate of its own: not in a subquery, and not over a window. */
export const aggregatesRows = (node: Expression): boolean =>
  someAggregate(node, ({ over }) => over === undefined);
