import type { OrderKey } from '../catalog/model/saved-query.ts';
import type { CellValue } from './cell-values.ts';
import type { LikePattern } from './like-pattern.ts';

/** The rows of a result that a caller requests. It is plain data, so that it can be sent to a thread. */
export interface RowArguments {
  /** undefined for all rows. */
  readonly where: Condition | undefined;
  /** The most significant key first; rows that are equal stay in the order of the result. */
  readonly orderBy: readonly OrderKey[];
  readonly offset: number;
  /** undefined for all rows after the offset. */
  readonly first: number | undefined;
}

/** As in SQL a condition is true, false or unknown, and rows are kept for which it is true. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | Comparison;

export type ComparisonOperator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';

export type Comparison =
  | {
      readonly kind: ComparisonOperator;
      readonly column: string;
      readonly value: CellValue;
    }
  | { readonly kind: 'in'; readonly column: string; readonly values: readonly CellValue[] }
  | { readonly kind: 'like'; readonly column: string; readonly pattern: LikePattern }
  | { readonly kind: 'isNull'; readonly column: string; readonly isNull: boolean };

export const aggregateFunctions = ['count', 'sum', 'avg', 'min', 'max'] as const;

export type AggregateFunction = (typeof aggregateFunctions)[number];

/** A value computed from all rows that the conditions keep. */
export interface Aggregate {
  readonly function: AggregateFunction;
  /** undefined for the count of rows. */
  readonly column: string | undefined;
}

/** Nothing is filtered, ordered or left out. */
export const allRows: RowArguments = { where: undefined, orderBy: [], offset: 0, first: undefined };

/** The columns that must have been read. */
export function columnsOf({ where, orderBy }: RowArguments): ReadonlySet<string> {
  const names = new Set(orderBy.map(({ column }) => column));
  const collect = (condition: Condition) => {
    if ('conditions' in condition) condition.conditions.forEach(collect);
    else if ('condition' in condition) collect(condition.condition);
    else names.add(condition.column);
  };
  if (where !== undefined) collect(where);
  return names;
}

/** A text that is equal for equal arguments, for keys of what is kept. */
export const argumentsKey = (value: unknown): string =>
  JSON.stringify(value, (_name, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one));
