import type * as Syntax from '../../syntax/nodes.ts';
import { aliasesOf } from '../../tree/aliases-of.ts';
import { and, boolLiteral, call, column, nullLiteral, select } from '../../tree/build.ts';
import { mapExpression, someNode } from '../../tree/map.ts';
import type { Expression, From, Join, Member, Unnest } from '../../tree/nodes.ts';
import { isRandom } from '../../tree/volatile.ts';
import { sameName, scalar, unknown } from '../../types.ts';
import { convert, supertype } from '../coercion.ts';
import type { Context, ResolvedFrom } from '../context.ts';
import { compare, requireBool } from '../expressions/comparison.ts';
import {
  absentColumn,
  columnsNamed,
  emptyScope,
  findAbsent,
  hasDoubtfulNames,
  isMerged,
  type Range,
  type Scope,
  scopeOfRows,
  typedColumns,
} from '../scope.ts';
import { Unsupported } from '../unsupported.ts';

type JoinKind = Join['join'];

export function resolveJoin(node: Syntax.Join, scope: Scope, context: Context): ResolvedFrom {
  const left = context.from(node.left, scope);
  return joinRight(node, left, scope, context);
}

/** Joins a FROM item that is resolved with one that may be correlated to it. */
export function joinRight(
  node: Pick<Syntax.Join, 'type' | 'right' | 'condition' | 'start'>,
  left: ResolvedFrom,
  scope: Scope,
  context: Context,
): ResolvedFrom {
  const right = context.from(node.right, scopeOfRight(node, left, scope));
  const join = joinKind(node);
  const { on, keys } = conditionOf(node, join, left, right, scope, context);
  const ranges = [
    ...(join === 'RIGHT' || join === 'FULL' ? left.ranges.map(makeNullable) : left.ranges),
    ...(join === 'LEFT' || join === 'FULL' ? right.ranges.map(makeNullable) : right.ranges),
  ];
  const named = keys.length === 0 ? ranges : mergedRanges(keys, ranges);
  context.attempt(() => requireOwnNames(node.right, named), undefined);
  return { from: joined(join, left.from, right.from, on, context), ranges: named };
}

/** The keys of JOIN USING come first; each is one column instead of those of both sides. */
function mergedRanges(keys: readonly Member[], ranges: readonly Range[]): readonly Range[] {
  const names = keys.map(({ name }) => name);
  return [
    { name: undefined, columns: keys },
    ...ranges.map((range) => ({ ...range, merged: [...(range.merged ?? []), ...names] })),
  ];
}

/** An array may read the items to its left, unless their rows may be missing; a query may not. */
function scopeOfRight(
  { type, right }: Pick<Syntax.Join, 'type' | 'right'>,
  left: ResolvedFrom,
  scope: Scope,
) {
  const isArray = right.kind === 'Unnest' || right.kind === 'Table';
  if (isArray && type !== 'RIGHT' && type !== 'FULL') return { ...scope, ranges: left.ranges };
  return { ...scope, beside: [...(scope.beside ?? []), ...left.ranges] };
}

/** Each FROM item, element and offset has a name of its own; elements that USING has merged share one. */
function requireOwnNames(place: Syntax.FromItem, ranges: readonly Range[]): void {
  const names = ranges.flatMap((range) => {
    const { name, value } = range;
    return name === undefined || (value && isMerged(range, name)) ? [] : [name];
  });
  const repeated = names.find((name, at) => names.slice(0, at).some((other) => sameName(name, other)));
  if (repeated === undefined) return;
  throw new Unsupported(place, `two items of FROM are named ${repeated}: give one of them another alias`);
}

function joinKind({ type, condition }: Pick<Syntax.Join, 'type' | 'condition'>): JoinKind {
  if (type === 'COMMA' || type === 'CROSS') return 'CROSS';
  return type === 'INNER' && !condition ? 'CROSS' : type;
}

/** An item that is undefined was unsupported, and the problem is recorded. */
function joined(
  join: JoinKind,
  left: From | undefined,
  right: From | undefined,
  on: Expression | undefined,
  context: Context,
): From | undefined {
  if (!left || !right) return left ?? right;
  if (join === 'CROSS' && !on) return { kind: 'join', join, left, right };
  const condition = on ?? boolLiteral(true);
  if (
    join === 'LEFT' &&
    right.kind === 'unnest' &&
    !isTrue(condition) &&
    !drawsForPairs(condition, right, left)
  )
    return { kind: 'join', join, left, right: filtered(right, condition, context), on: boolLiteral(true) };
  return { kind: 'join', join, left, right, on: condition };
}

/** DuckDB filters an array that reads nothing to its left once: a condition on a random value is one of the join. */
function drawsForPairs(condition: Expression, { array }: Unnest, left: From): boolean {
  const aliases = aliasesOf(left);
  return (
    isRandom(condition) && !someNode(array, (part) => part.kind === 'column' && aliases.includes(part.from))
  );
}

const isTrue = (condition: Expression) => condition.kind === 'literal' && condition.value === true;

/** The elements for which a condition holds: DuckDB takes no condition in an outer join with a correlated UNNEST. */
function filtered(unnest: Unnest, condition: Expression, context: Context): From {
  const inner = context.fresh(unnest.alias);
  const where = mapExpression(condition, (part) =>
    part.kind === 'column' && part.from === unnest.alias ? { ...part, from: inner } : part,
  );
  const { type } = unnest.array;
  const value = column(inner, 'value', type.kind === 'array' ? type.element : unknown);
  const columns = [{ name: 'value', value }];
  if (unnest.offset) columns.push({ name: 'offset', value: column(inner, 'offset', scalar('INT64')) });
  const query = select({ columns, from: { ...unnest, alias: inner }, where: [where] });
  return { kind: 'derived', alias: unnest.alias, query, lateral: true };
}

/** The side of an outer join that may be missing: its columns may be NULL. */
const makeNullable = (range: Range): Range => ({
  ...range,
  columns: range.columns.map((member) => ({ ...member, value: optional(member.value) })),
  ...(range.value && { value: optional(range.value) }),
});

function optional(value: Expression): Expression {
  if (value.kind !== 'column') return value;
  const { required: _, ...column } = value;
  return column;
}

interface Condition {
  readonly on: Expression | undefined;
  /** The merged columns of USING. */
  readonly keys: readonly Member[];
}

function conditionOf(
  { condition, start, type }: Pick<Syntax.Join, 'condition' | 'start' | 'type'>,
  join: JoinKind,
  left: ResolvedFrom,
  right: ResolvedFrom,
  scope: Scope,
  context: Context,
): Condition {
  if (!condition) {
    if (join === 'CROSS' || join === 'INNER' || isArray(right)) return { on: undefined, keys: [] };
    throw new Unsupported({ start }, `${type} JOIN needs ON or USING`);
  }
  if (condition.kind === 'On') {
    const both = scopeOfRows({ ...scope, ranges: [...left.ranges, ...right.ranges] }, 'ON');
    const on = context.expression(condition.condition, both);
    requireBool(condition.condition, on, 'ON');
    return { on, keys: [] };
  }
  const pairs = condition.columns.map((name) => {
    const [a, b] = [findColumn(left, name.name), findColumn(right, name.name)];
    const absent = (!a || !b) && findAbsent(name.name, [...left.ranges, ...right.ranges]);
    if (absent) throw absentColumn(name, absent);
    if (!a || !b)
      throw new Unsupported(name, `USING needs exactly one column ${name.name} on each side`, {
        known: () => typedColumns({ ...scope, ranges: [...left.ranges, ...right.ranges] }),
      });
    return { name: name.name, a, b, test: compare(name, '=', a, b) };
  });
  return {
    on: and(pairs.map(({ test }) => test)),
    keys: pairs.map(({ name, a, b }) => ({ name, value: mergedValue(join, a, b) })),
  };
}

const isArray = ({ from }: ResolvedFrom) => from?.kind === 'unnest';

/** The column, the element or the offset of that name. */
function findColumn({ ranges }: ResolvedFrom, name: string): Expression | undefined {
  const element = ranges.find(
    (range) => !range.isQualifiedOnly && !isMerged(range, name) && sameName(range.name ?? '', name),
  )?.value;
  if (element) return element;
  const found = columnsNamed({ ranges }, name);
  if (ranges.some(({ acceptsAnyColumn }) => acceptsAnyColumn)) return nullLiteral(unknown);
  if (found.length === 0 && hasDoubtfulNames({ ...emptyScope, ranges })) return nullLiteral(unknown);
  const open = found.find(({ type }) => type.kind === 'unknown');
  return open ?? (found.length === 1 ? found[0] : undefined);
}

/** The merged column of JOIN USING: the side that is never missing, or of a FULL JOIN the one that is there. */
function mergedValue(join: JoinKind, left: Expression, right: Expression): Expression {
  if (join !== 'FULL') return join === 'RIGHT' ? right : left;
  const sides = [optional(left), optional(right)];
  const type = supertype(sides) ?? unknown;
  return call(
    'coalesce',
    sides.map((side) => convert(side, type)),
    type,
  );
}
