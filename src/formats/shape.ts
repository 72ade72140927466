import type { ResultColumn } from '../catalog/model/header-types.ts';

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
export function declaredShape({ type, repeated, fields }: ResultColumn): Shape | undefined {
  const kind = type === undefined ? undefined : declared[type];
  const element = kind !== undefined ? { kind } : fields && structShape(fields);
  if (element === undefined) return undefined;
  return repeated ? { kind: 'list', element } : element;
}

/** A record has its fields whatever the rows are. */
function structShape(fields: readonly ResultColumn[]): Shape {
  return {
    kind: 'struct',
    fields: fields.map((field) => ({ name: field.name, shape: declaredShape(field) ?? otherShape(field) })),
  };
}

/** Numerals are text, which all of them fit; a record whose fields are not known is JSON text. */
function otherShape({ type, repeated }: ResultColumn): Shape {
  if (type !== 'numeric') return { kind: 'json' };
  return repeated ? { kind: 'list', element: { kind: 'string' } } : { kind: 'string' };
}

/** True if a cell of the column is JSON text in formats without nested values. */
export const isNested = ({ type, repeated }: ResultColumn): boolean =>
  repeated || type === 'record' || type === 'json';
