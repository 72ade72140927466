import { isNullableField } from '../../catalog/model/null-values.ts';
import type { Column, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { JsonObject } from '../../catalog/binding/parameter-schema.ts';

type RecordField = NonNullable<Column['fields']>[number];

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

function columnSchema(column: Column): JsonObject {
  const more = { ...describe(column), 'x-type': column.type };
  const item = itemSchema(column);
  if (!column.repeated) return { ...item, ...more };
  return { type: 'array', items: orNull(item), ...more };
}

/** Of a column or a field, or of an element of it. */
function itemSchema({ type, fields }: RecordField): JsonObject {
  if (type !== 'record' || fields === undefined) {
    const { format, ...schema } = schemas[type];
    return format === undefined ? schema : { ...schema, format };
  }
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    // In a record a NULL field is null; a column that is NULL is left out.
    required: fields.map(({ name }) => name),
  };
}

function fieldSchema(field: RecordField): JsonObject {
  const more = describe(field);
  const item = itemSchema(field);
  if (field.repeated) return { type: 'array', items: orNull(item), ...more };
  return { ...(isNullableField(field) ? orNull(item) : item), ...more };
}

/** The same, or null. */
function orNull(schema: JsonObject): JsonObject {
  return schema.type === undefined ? schema : { ...schema, type: [schema.type, 'null'] };
}

function describe({ description, unit, type, fields }: RecordField): JsonObject {
  const meaning = fields === undefined ? meanings[type] : undefined;
  const text = [description, unit && `Unit: ${unit}.`, meaning].filter(Boolean).join(' ');
  return {
    ...(text !== '' && { description: text }),
    // For pages, which show values as people write them.
    ...(description !== undefined && text !== description && { 'x-description': description }),
    ...(unit && { 'x-unit': unit }),
  };
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

const largeTimestamps =
  'Before 1684 and after 2255 they are beyond 2^53, and JSON.parse of JavaScript rounds them; CSV and GraphQL have text.';

const meanings: Partial<Record<Column['type'], string>> = {
  integer: 'Exact up to 2^53 − 1.',
  numeric: 'Decimal text, exact.',
  timestamp: `Microseconds since 1970-01-01T00:00:00Z. ${largeTimestamps}`,
  datetime: 'In UTC, without a time zone.',
  time: 'HH:MM:SS, with the fraction of a second unless it is zero.',
  bytes: 'Base64.',
  record: `Fields that are NULL are null; timestamps are microseconds since 1970-01-01T00:00:00Z. ${largeTimestamps}`,
};
