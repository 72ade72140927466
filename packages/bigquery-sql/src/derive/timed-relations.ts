import { call } from '../tree/build.ts';
import { isEqual } from '../tree/equal.ts';
import { forEachNode, mapExpression, mapExpressions, someExpression } from '../tree/map.ts';
import type { Expression, From } from '../tree/nodes.ts';
import { scalar } from '../types.ts';
import { axisTime, readsNow, readsTime, rowTime } from './time-steps.ts';

/**
 * The columns of a relation whose values are computed from the time of a row, from parameters and from the current time alone. If
 * one is computed from the time of a row, then each row of the relation with a value depends on those rows of tables only from
 * whose times the same value is computed.
 */
export type Columns = ReadonlyMap<string, Expression>;

/** The rows of a query, or of an item of FROM. */
export interface Relation {
  readonly columns: Columns;
  /** True if it has rows of tables. */
  readonly isTimed: boolean;
  /** The array of bucket starts that it has, as long as it is not compared with the buckets of rows. */
  readonly axis?: Expression | undefined;
}

/** One that has no column of time, and reads no table. */
export const untimed: Relation = { columns: new Map(), isTimed: false };

/** The rows of FROM. */
export interface Scope extends Omit<Relation, 'columns'> {
  /** By alias. */
  readonly items: ReadonlyMap<string, Relation>;
}

/** The scope of one item of FROM. */
export const scopeOf = (alias: string, relation: Relation): Scope => ({
  items: new Map([[alias, relation]]),
  isTimed: relation.isTimed,
  axis: relation.axis,
});

/** The columns of an item with a column of time. */
export const timeColumnOf = (name: string, from: typeof rowTime | typeof axisTime): Columns =>
  new Map([[name, { kind: 'column', from, name: '', type: scalar('TIMESTAMP') }]]);

/** Replaces columns that are computed from times alone. */
export const resolveIn = (value: Expression, scope: Pick<Scope, 'items'>): Expression =>
  mapExpression(value, resolver(scope));

/** The same in an item of FROM: an array may read the columns of the items to its left. */
export const resolveItem = (item: From, scope: Pick<Scope, 'items'>): From =>
  mapExpressions(item, resolver(scope));

const resolver =
  ({ items }: Pick<Scope, 'items'>) =>
  (node: Expression): Expression =>
    node.kind === 'column' ? (items.get(node.from)?.columns.get(node.name) ?? node) : node;

/** Longer ones are not followed: each column may be computed from several others. */
const maxNodes = 500;

/** True if a value is computed from times and parameters alone. */
export function isDetermined(value: Expression): boolean {
  let nodes = 0;
  let isOther = false;
  forEachNode(value, (node) => {
    nodes += 1;
    isOther ||= node.kind === 'aggregate' || node.kind === 'subquery';
    isOther ||= node.kind === 'column' && node.from !== rowTime && node.from !== axisTime;
  });
  return !isOther && nodes <= maxNodes;
}

/** The bucket of which the rows of both sides of a join are, as its conditions say. */
export function commonBucket(
  conditions: readonly Expression[],
  left: Scope,
  right: Scope,
): Expression | undefined {
  for (const condition of conditions) {
    if (condition.kind !== 'operation' || condition.operator !== '=') continue;
    const [one, other] = condition.operands;
    if (!one || !other) continue;
    for (const [a, b] of [
      [resolveIn(one, left), resolveIn(other, right)],
      [resolveIn(other, left), resolveIn(one, right)],
    ] as const) {
      if (!isDetermined(a) || !isDetermined(b)) continue;
      if (isAxis(a) && left.axis && isTimeOnly(b)) return b;
      if (isAxis(b) && right.axis && isTimeOnly(a)) return a;
      if (isTimeOnly(a) && isEqual(a, b)) return a;
    }
  }
  return undefined;
}

const isAxis = (value: Expression) => value.kind === 'column' && value.from === axisTime;
const isTimeOnly = (value: Expression) =>
  readsTime(value) && !readsNow(value) && !someExpression(value, isAxis);

/** Another value than that, or the same: what uses it depends on the current time as that does. */
const lost = (value: Expression): Expression =>
  call('lost', [value, { kind: 'column', from: '#lost', name: '', type: value.type }], value.type);

/** The columns that are still computed so after a join, or depend on the current time. @param isKept those of which, once the bucket of both sides is put in */
export function itemsAfter(
  items: Scope['items'],
  bucket: Expression | undefined,
  isKept: (value: Expression) => boolean,
): Scope['items'] {
  const substitute = (value: Expression) =>
    bucket ? mapExpression(value, (node) => (isAxis(node) ? bucket : node)) : value;
  const columnsAfter = (columns: Columns) =>
    new Map(
      [...columns]
        .map(([name, value]) => [name, substitute(value)] as const)
        .filter(([, value]) => isKept(value) || readsNow(value))
        .map(([name, value]) => [name, isKept(value) ? value : lost(value)] as const),
    );
  return new Map(
    [...items].map(([alias, relation]) => [alias, { ...relation, columns: columnsAfter(relation.columns) }]),
  );
}
