import type { Column, SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { JsonObject } from '../../../catalog/binding/parameter-schema.ts';
import type { Detail } from './detail.ts';

/** The structured content of a result. A column that is NULL is left out of its row, as in REST. */
export function outputSchema({ columns }: SavedQuery, detail: Detail): JsonObject {
  if (detail.columns === 'nothing') return unknownSchema;
  const properties = Object.fromEntries(columns.map((column) => [column.name, columnSchema(column, detail)]));
  return {
    type: 'object',
    properties: {
      rows: { type: 'array', items: { type: 'object', properties } },
      ...(detail.extras && counts),
    },
    ...(detail.extras && { required: ['rows'] }),
  };
}

/** Of structured content whose columns are not known, or not said. */
export const unknownSchema = { type: 'object' };

const counts = { rowCount: { type: 'integer' }, truncated: { type: 'boolean' } };

function columnSchema(
  { type, repeated, unit, description }: Column,
  { columns: said, extras }: Detail,
): JsonObject {
  const { format, ...plain } = itemSchemas[type];
  const item = format !== undefined && extras ? { ...plain, format } : plain;
  const schema = repeated ? { type: 'array', items: orNull(item) } : item;
  if (said === 'meaning')
    return { ...schema, description: unit === undefined ? description : `${description} Unit: ${unit}.` };
  return said === 'unit' && unit !== undefined ? { ...schema, description: unit } : schema;
}

/** An element of a list may be NULL. */
const orNull = (item: JsonObject): JsonObject =>
  item.type === undefined ? item : { ...item, type: [item.type, 'null'] };

/** As in REST, but moments are text: models convert microseconds badly. */
const itemSchemas: Readonly<Record<Column['type'], JsonObject>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  float: { type: 'number' },
  numeric: { type: 'string' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  datetime: { type: 'string' },
  date: { type: 'string' },
  time: { type: 'string' },
  bytes: { type: 'string', contentEncoding: 'base64' },
  json: {},
  record: { type: 'object' },
};
