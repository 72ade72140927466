import { foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import {
  call,
  caseWhen,
  castTo,
  compareWith,
  integerLiteral,
  operation,
  textLiteral,
} from '../../tree/build.ts';
import type { Bound, Expression, Frame, SortKey, Window } from '../../tree/nodes.ts';
import { describeType, isScalar, type Type } from '../../types.ts';
import { convert, distance } from '../coercion.ts';
import { collationKey } from '../collation.ts';
import type { Context } from '../context.ts';
import { constantInt64, isConstant } from '../expressions/constant-values.ts';
import { sortKeys } from '../expressions/sort-order.ts';
import { groupableInstead, isGroupableAnywhere } from '../queries/after-grouping.ts';
import { type ColumnUse, type NamedWindow, requireOnce, type Scope } from '../scope.ts';
import { type Place, Unsupported } from '../unsupported.ts';

/** The scope of the arguments of window functions and of their windows. */
export const windowScope = (scope: Scope): Scope => ({
  ...scope,
  refused: {
    ...scope.refused,
    window: 'a window function takes no other one: compute the inner one in a subquery',
  },
});

/** A window with the parts of the named one that it extends. */
export function resolveWindow(node: Syntax.Window, outer: Scope, context: Context): Window {
  const scope = windowScope(outer);
  const base = node.base && windowNamed(node.base, scope);
  if (node.base && base) refuseRepeatedParts(node, node.base, base);
  const partitionBy = base?.partitionBy ?? node.partitionBy.map((item) => partitionKey(item, scope, context));
  const ordered = node.orderBy.length > 0 || !base;
  const orderBy = ordered ? sortKeys(node.orderBy, scope, context) : base.orderBy;
  if (node.frame && hasRangeOffset(node.frame))
    return { partitionBy, ...rangeWindow(node.frame, orderBy, scope, context) };
  if (!node.frame) return { ...base, partitionBy, orderBy };
  return { partitionBy, orderBy, frame: frameOf(node.frame, orderBy, scope, context) };
}

/** A scope in which the definitions of a WINDOW clause have their names; each may extend those before it. */
export function withWindows(
  definitions: readonly Syntax.NamedWindow[],
  scope: Scope,
  context: Context,
): Scope {
  const windows = new Map(scope.windows);
  const names: Scope = { ...scope, windows };
  requireOnce(
    'WINDOW',
    definitions.map(({ name }) => name),
  );
  for (const { name, window } of definitions) {
    const uses: ColumnUse[] = [];
    windows.set(foldName(name.name), { ...resolveWindow(window, { ...names, uses }, context), uses });
  }
  return names;
}

/** The window of the WINDOW clause. Its columns are used where the window is. */
export function windowNamed(name: Syntax.Identifier, scope: Scope): Window {
  const found: NamedWindow | undefined = scope.windows?.get(foldName(name.name));
  if (!found) throw new Unsupported(name, `no window is named ${name.name}`);
  const { uses, ...window } = found;
  scope.uses?.push(...uses);
  return window;
}

function refuseRepeatedParts(node: Syntax.Window, name: Syntax.Identifier, base: Window): void {
  const [partition] = node.partitionBy;
  if (partition)
    throw new Unsupported(partition, `PARTITION BY is not allowed beside the window ${name.name}`);
  const [order] = node.orderBy;
  if (order && base.orderBy.length > 0)
    throw new Unsupported(order, `the window ${name.name} has an ORDER BY of its own`);
  if (base.frame && (order || node.frame))
    throw new Unsupported(name, `the window ${name.name} has a frame and can't be extended`);
}

function partitionKey(node: Syntax.Expression, scope: Scope, context: Context): Expression {
  const key = collationKey(context.expression(node, scope));
  if (!isGroupableAnywhere(key.type) || isScalar(key.type, 'FLOAT64'))
    throw new Unsupported(
      node,
      `PARTITION BY does not take ${describeType(key.type)}${groupableInstead(key.type)}`,
    );
  return key;
}

const hasRangeOffset = ({ unit, from, to }: Syntax.Frame): boolean =>
  unit === 'RANGE' && (from.offset !== undefined || to?.offset !== undefined);

function frameOf(node: Syntax.Frame, orderBy: readonly SortKey[], scope: Scope, context: Context): Frame {
  if (node.unit === 'RANGE' && orderBy.length === 0 && !isWholePartition(node))
    throw new Unsupported(node, 'a RANGE frame needs ORDER BY');
  refuseReversed(node);
  const rows = (bound: Syntax.FrameBound) => boundOf(bound, (offset) => rowCount(offset, scope, context));
  return { unit: node.unit, begin: rows(node.from), end: node.to ? rows(node.to) : { side: 'CURRENT ROW' } };
}

const isWholePartition = ({ from, to }: Syntax.Frame): boolean =>
  rankOf(from) === 0 && to !== undefined && rankOf(to) === 4;

/** The begin of a frame must not come after its end. */
function refuseReversed({ from, to }: Syntax.Frame): void {
  const [begin, end] = [rankOf(from), to ? rankOf(to) : 2];
  if (begin > end || begin === 4 || end === 0) throw new Unsupported(from, 'the frame begins after its end');
}

/** Where a bound lies: 0 first row, 1 before the current row, 2 the current row, 3 after it, 4 last row. */
function rankOf({ direction, offset }: Syntax.FrameBound): number {
  if (direction === 'CURRENT ROW') return 2;
  if (direction === 'PRECEDING') return offset ? 1 : 0;
  return offset ? 3 : 4;
}

const boundOf = (
  { direction, offset }: Syntax.FrameBound,
  amountOf: (offset: Syntax.Expression) => Expression,
): Bound => {
  if (direction === 'CURRENT ROW') return { side: direction };
  return offset ? { side: direction, amount: amountOf(offset) } : { side: direction };
};

function rowCount(node: Syntax.Expression, scope: Scope, context: Context): Expression {
  return notNegative(node, constantInt64(node, 'a ROWS frame', scope, context));
}

/** The offset of a frame, which must be neither negative nor NULL. */
function notNegative(place: Place, amount: Expression): Expression {
  if (amount.type.kind === 'unknown') return amount;
  if (amount.kind === 'literal') {
    const isNegative =
      typeof amount.value === 'bigint' ? amount.value < 0n : `${amount.value}`.startsWith('-');
    if (amount.value === null || isNegative)
      throw new Unsupported(place, 'the offset of a frame must not be negative');
    return amount;
  }
  const zero = convert(integerLiteral(0), amount.type);
  const fail = call('bq.fail', [textLiteral('The offset of a window frame must not be negative or NULL')]);
  return caseWhen(compareWith('>=', amount, zero), amount, castTo(fail, amount.type));
}

/** A window with a RANGE frame that has an offset, which needs exactly one numeric key. */
function rangeWindow(
  frame: Syntax.Frame,
  orderBy: readonly SortKey[],
  scope: Scope,
  context: Context,
): Pick<Window, 'orderBy' | 'frame'> {
  refuseReversed(frame);
  const key = orderBy.at(-1);
  // A key for NaN comes before that of a FLOAT64.
  const isOne = key && orderBy.length === (isScalar(key.value.type, 'FLOAT64') ? 2 : 1);
  if (!isOne) throw new Unsupported(frame, 'a RANGE frame with an offset needs ORDER BY one number');
  const { type } = key.value;
  if (!isScalar(type, 'INT64', 'FLOAT64', 'NUMERIC') && type.kind !== 'unknown')
    throw new Unsupported(frame, `a RANGE frame with an offset does not take ${describeType(type)}`);
  const range = (bound: Syntax.FrameBound) =>
    boundOf(bound, (offset) => widened(rangeOffset(offset, type, scope, context)));
  const widenedKey = { ...key, value: widened(key.value) };
  return {
    orderBy: [isScalar(type, 'FLOAT64') ? withNaNAsSmallest(widenedKey) : widenedKey],
    frame: {
      unit: 'RANGE',
      begin: range(frame.from),
      end: frame.to ? range(frame.to) : { side: 'CURRENT ROW' },
    },
  };
}

function rangeOffset(node: Syntax.Expression, type: Type, scope: Scope, context: Context): Expression {
  const offset = context.expression(node, scope);
  if (!isConstant(offset)) throw new Unsupported(node, 'a frame takes literals and parameters');
  if (distance(offset, type) === undefined)
    throw new Unsupported(
      node,
      `the offset of the frame is ${describeType(offset.type)}, its key ${describeType(type)}`,
    );
  const converted = convert(offset, type);
  if (isScalar(type, 'FLOAT64') && converted.kind === 'literal' && mayOverflow(Number(converted.value)))
    throw new Unsupported(node, `the offset of a RANGE frame is supported up to ${maxFloatOffset}`);
  return notNegative(node, converted);
}

/** With a larger offset the bounds of frames could become infinite, and infinite keys would be in the frame. */
const maxFloatOffset = 1e300;

const mayOverflow = (offset: number): boolean => Number.isFinite(offset) && offset > maxFloatOffset;

/** Sums of a key and an offset may be beyond INT64 and NUMERIC. */
function widened(value: Expression): Expression {
  if (isScalar(value.type, 'INT64')) return castTo(value, value.type, 'HUGEINT');
  return isScalar(value.type, 'NUMERIC') ? call('bq.billionths', [value]) : value;
}

/** NaN is the greatest number in DuckDB, also after negation; a frame allows one key only. */
const withNaNAsSmallest = ({ value, descending, nulls }: SortKey): SortKey => ({
  value: operation('-', [value], value.type),
  descending: !descending,
  nulls,
});
