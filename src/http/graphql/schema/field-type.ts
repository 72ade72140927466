import type { RecordField } from '../../../catalog/model/saved-query.ts';

/** Scalars that every code generator knows. `Float` because counts outgrow 32 bits: it is exact up to 2^53. */
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
