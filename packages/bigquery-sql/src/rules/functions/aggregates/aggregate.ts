import { call, literal, textLiteral } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { arrayOf, isScalar, scalar, type Type, unknown } from '../../../types.ts';
import type { Place } from '../../unsupported.ts';

/** A clause inside the parentheses of a call. */
export type Clause = 'distinct' | 'order' | 'limit' | 'having' | 'nulls';

/** Aggregates the rows of a call by a function of DuckDB. */
export interface Rows {
  /** IGNORE NULLS or RESPECT NULLS, as written. */
  readonly nulls: 'IGNORE' | 'RESPECT' | undefined;
  readonly isDistinct: boolean;
  /** True if the call has OVER. */
  readonly isWindow: boolean;
  /** The aggregate itself, with the DISTINCT, ORDER BY and LIMIT of the call. */
  main(name: string, args: readonly Expression[], type?: Type): Expression;
  /** Like `main`, without rows whose first argument is NULL. */
  withoutNulls(name: string, args: readonly Expression[], type?: Type): Expression;
  /** Like `main`, with DISTINCT. */
  distinct(name: string, args: readonly Expression[], type?: Type): Expression;
  /** Another aggregate over the same rows, without DISTINCT, ORDER BY and LIMIT. */
  other(name: string, args: readonly Expression[], type?: Type): Expression;
}

/** How one aggregate or window function is translated. */
export interface Aggregate {
  readonly arity: readonly [least: number, most: number];
  result(args: readonly Expression[]): Type;
  /** The argument that is given by its name, after all others, if at all. */
  readonly named?: string;
  /** The type of every argument; any type if absent. */
  readonly takes?: Type;
  /** The arguments with the type that some of them have in common. */
  readonly unify?: (args: readonly Expression[]) => readonly Expression[];
  /** True if the first argument may have a type, which is known; any type may be if absent. */
  readonly takesFirst?: (type: Type) => boolean;
  readonly allows?: readonly Clause[];
  /** True for functions that exist only with OVER. */
  readonly window?: true;
  /** `required` if the window needs an ORDER BY, `refused` if it must not have one; either way is fine if absent. */
  readonly windowOrder?: 'required' | 'refused';
  /** True if the window must not have a frame. */
  readonly noFrame?: true;
  build(rows: Rows, args: readonly Expression[], place: Place): Expression;
}

export const [int64, float64, bool, string] = [
  scalar('INT64'),
  scalar('FLOAT64'),
  scalar('BOOL'),
  scalar('STRING'),
];
export const typeOfFirst = ([arg]: readonly Expression[]): Type => arg?.type ?? unknown;
export const arrayOfFirst = (args: readonly Expression[]): Type => arrayOf(typeOfFirst(args));
export const isNumeric = (value: Expression | undefined): boolean =>
  value !== undefined && isScalar(value.type, 'NUMERIC', 'BIGNUMERIC');
export const isFloat = (value: Expression | undefined): boolean =>
  value !== undefined && isScalar(value.type, 'FLOAT64');

export const isNumber = (type: Type): boolean => isScalar(type, 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC');

/** True if BigQuery compares values of a type by `<`. */
export const isOrdered = (type: Type): boolean =>
  type.kind !== 'struct' && type.kind !== 'array' && !isScalar(type, 'JSON');

export const usual: readonly Clause[] = ['distinct', 'having'];
export const nan = literal(float64, 'nan');
export const fail = (message: string, type: Type) => call('bq.fail', [textLiteral(message)], type);
export const isFiniteNumber = (value: Expression) => call('isfinite', [value], bool);
export const isNotANumber = (value: Expression) => call('isnan', [value], bool);

/** An aggregate that DuckDB has, too, with the same result. */
export const plain = (
  name: string,
  result: Aggregate['result'],
  more: Partial<Aggregate> = {},
): Aggregate => ({
  arity: [1, 1],
  result,
  allows: usual,
  build: (rows, args) => rows.main(name, args, result(args)),
  ...more,
});
