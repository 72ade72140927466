import { someExpression } from './map.ts';
import type { Aggregate, Expression, Member, Node, Query, Select } from './nodes.ts';

/** True for an aggregate that is not a window function. */
export const isGroupAggregate = (node: Node): node is Aggregate =>
  node.kind === 'aggregate' && node.over === undefined;

/** True if an expression has an aggregate of its own: those of subqueries are of other queries. */
export const hasGroupAggregate = (value: Expression): boolean => someExpression(value, isGroupAggregate);

/** The expressions that are computed after GROUP BY. */
export const afterGroups = ({ columns, having, qualify, orderBy }: Select): readonly Expression[] => [
  ...[...columns, ...orderBy].map(({ value }) => value),
  ...having,
  ...qualify,
];

/** True if the rows of a SELECT are groups: without GROUP BY, an aggregate makes one of all. */
export const makesGroups = (select: Select): boolean =>
  select.groupBy !== undefined || afterGroups(select).some(hasGroupAggregate);

/** The expressions that a SELECT groups by, also those that are named by position. */
export const keysOf = ({ groupBy, columns }: Pick<Select, 'groupBy' | 'columns'>): readonly Expression[] =>
  (groupBy?.keys ?? []).map((key) =>
    key.kind === 'position' ? (columns[key.index - 1]?.value ?? key) : key,
  );

/** True for a column and for a field of one. */
export const isPath = (value: Expression): boolean =>
  value.kind === 'column' || (value.kind === 'field' && isPath(value.of));

/** The columns of a query's result; those of a set operation have the names of its first input. */
export function resultMembers(query: Query): readonly Member[] {
  switch (query.kind) {
    case 'select':
      return query.columns;
    case 'with':
      return resultMembers(query.body);
    case 'set':
      return query.inputs[0] ? resultMembers(query.inputs[0]) : [];
  }
}
