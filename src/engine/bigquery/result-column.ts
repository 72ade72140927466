import type { Column } from '../../catalog/saved-query.ts';
import type { ResultColumn } from '../check-columns.ts';
import type { WireField } from './api/wire.ts';

/** BigQuery's type names, of the legacy and of the standard spelling. */
const columnTypes: Readonly<Record<string, Column['type']>> = {
  STRING: 'string',
  INTEGER: 'integer',
  INT64: 'integer',
  FLOAT: 'float',
  FLOAT64: 'float',
  NUMERIC: 'numeric',
  BIGNUMERIC: 'numeric',
  BOOLEAN: 'boolean',
  BOOL: 'boolean',
  TIMESTAMP: 'timestamp',
  DATETIME: 'datetime',
  DATE: 'date',
  TIME: 'time',
  BYTES: 'bytes',
  JSON: 'json',
  RECORD: 'record',
  STRUCT: 'record',
};

/** A column of BigQuery's result, in the words of a saved query's header. */
export function toResultColumn(field: WireField): ResultColumn {
  const { name, type, fields } = field;
  const own = columnTypes[type] ?? type;
  return {
    name,
    type: own,
    repeated: isRepeated(field),
    ...(own === 'record' && fields && { fields: fields.map(toResultColumn) }),
  };
}

export function isRepeated({ mode }: WireField): boolean {
  return mode === 'REPEATED';
}
