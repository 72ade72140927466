import type { Column, SavedQuery } from '../../catalog/saved-query.ts';
import type { JsonObject } from './json-schema.ts';

/** The JSON Schema (2020-12) of one row of a saved query, as REST sends it. */
export function rowSchema({ name, columns }: SavedQuery): JsonObject {
  const required = columns.filter((column) => column.required).map((column) => column.name);
  return {
    type: 'object',
    description: `One row of ${name}. A column that is NULL is left out.`,
    properties: Object.fromEntries(columns.map((column) => [column.name, columnSchema(column)])),
    ...(required.length > 0 && { required }),
  };
}

function columnSchema({ type, repeated, unit, description }: Column): JsonObject {
  const { format, ...schema } = schemas[type];
  const item = format === undefined ? schema : { ...schema, format };
  const text = [description, unit && `Unit: ${unit}.`, meanings[type]].filter(Boolean).join(' ');
  const more = { description: text, 'x-type': type, ...(unit && { 'x-unit': unit }) };
  return repeated ? { type: 'array', items: item, ...more } : { ...item, ...more };
}

const schemas: Readonly<
  Record<Column['type'], { readonly type?: string; readonly format?: string } & JsonObject>
> = {
  string: { type: 'string' },
  integer: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'double' },
  numeric: { type: 'string', format: 'decimal' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'integer', format: 'int64' },
  datetime: { type: 'string', format: 'date-time-local' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'time-local' },
  bytes: { type: 'string', contentEncoding: 'base64' },
  // Any JSON value.
  json: {},
  record: { type: 'object', additionalProperties: true },
};

const meanings: Partial<Record<Column['type'], string>> = {
  integer: 'Exact up to 2^53 − 1.',
  numeric: 'Decimal text, exact.',
  timestamp: 'Microseconds since 1970-01-01T00:00:00Z.',
  datetime: 'In UTC, without a time zone.',
  time: 'HH:MM:SS, with the fraction of a second unless it is zero.',
  bytes: 'Base64.',
  record: 'Fields that are NULL are null; timestamps are microseconds since 1970-01-01T00:00:00Z.',
};
