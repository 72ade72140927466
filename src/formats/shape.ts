import type { ResultColumn } from '../engine/check-columns.ts';

/** The values that a format with types distinguishes. `json`: any JSON, as text. */
export type ScalarShape =
  | 'string'
  | 'integer'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'timestamp'
  | 'datetime'
  | 'date'
  | 'time'
  | 'bytes'
  | 'json';

/** The type of a column, or of a part of it. */
export type Shape =
  | { readonly kind: ScalarShape }
  | { readonly kind: 'list'; readonly element: Shape }
  | { readonly kind: 'struct'; readonly fields: readonly ShapeField[] };

export interface ShapeField {
  readonly name: string;
  readonly shape: Shape;
}

/** NUMERIC of BigQuery has so many digits before and after the point. BIGNUMERIC may have more. */
export const decimalDigits = { precision: 38, scale: 9 } as const;

const declared: Readonly<Record<string, ScalarShape>> = {
  string: 'string',
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  timestamp: 'timestamp',
  datetime: 'datetime',
  date: 'date',
  time: 'time',
  bytes: 'bytes',
  json: 'json',
};

/** @returns undefined if its shape is that of the values */
export function declaredShape({ type, repeated }: ResultColumn): Shape | undefined {
  const kind = type === undefined ? undefined : declared[type];
  if (kind === undefined) return undefined;
  return repeated ? { kind: 'list', element: { kind } } : { kind };
}

/** True if a cell of the column is JSON text in formats without nested values. */
export const isNested = ({ type, repeated }: ResultColumn): boolean =>
  repeated || type === 'record' || type === 'json';
