import type { RecordField } from '../../../catalog/model/saved-query.ts';
import { cellTimestamp, isoText } from '../../../files/timestamps.ts';
import { isLargeInteger } from '../../../engine/row-json.ts';

/**
 * Scalars of GraphQL itself, whose types every code generator knows. `Float` because counts outgrow the 32 bits of `Int`: it is
 * exact for whole numbers up to 2^53. A record without known fields is JSON.
 */
export const scalarOf = {
  string: 'String',
  integer: 'Float',
  float: 'Float',
  numeric: 'String',
  boolean: 'Boolean',
  timestamp: 'String',
  datetime: 'String',
  date: 'String',
  time: 'String',
  bytes: 'String',
  json: 'JSON',
  record: 'JSON',
} as const satisfies Record<RecordField['type'], string>;

/** The value of a column, or of a field in a record, as GraphQL returns it. @throws TypeError if it does not fit its declared type */
export function outputValue({ type, repeated }: RecordField, value: unknown): unknown {
  if (type !== 'integer' && type !== 'timestamp' && type !== 'float') return value;
  return repeated && Array.isArray(value)
    ? value.map((one) => outputNumber(type, one))
    : outputNumber(type, value);
}

function outputNumber(type: 'integer' | 'timestamp' | 'float', value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (type === 'float') return floatOutput(value);
  const output =
    type === 'timestamp' ? timestampOutput(value) : Number.isSafeInteger(value) ? value : undefined;
  if (output === undefined) throw new TypeError('a cell is not an exact integer');
  return output;
}

export const floatOutput = (value: unknown): unknown =>
  isLargeInteger(value) ? Number(value.rawJSON) : value;

/** @returns undefined if it is no integer */
export function timestampOutput(value: unknown): string | undefined {
  if (isLargeInteger(value)) return cellTimestamp(value.rawJSON);
  return typeof value === 'number' ? isoText(value) : undefined;
}

export const textFormats = {
  integer: 'A whole number.',
  timestamp: 'RFC 3339 in UTC with microseconds, as in 2026-01-31T12:00:00.000000Z.',
  numeric: 'Decimal text, exact.',
  datetime: 'In UTC, without a time zone, as in 2026-01-31T12:00:00.',
  date: 'YYYY-MM-DD.',
  time: 'HH:MM:SS, with the fraction of a second unless it is zero.',
  bytes: 'Base64.',
} satisfies Partial<Record<RecordField['type'], string>>;

export function describeField({ description, unit, type }: RecordField): string {
  const formats: Partial<Record<RecordField['type'], string>> = textFormats;
  return [description, unit && `Unit: ${unit}.`, formats[type]].filter(Boolean).join(' ');
}
