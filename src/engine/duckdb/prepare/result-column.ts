import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Column } from '../../../catalog/saved-query.ts';
import type { ResultColumn } from '../../check-columns.ts';
import { describeType, type ScalarName, type Type } from '../../dialect/types.ts';

const columnTypes: Readonly<Partial<Record<DuckDBTypeId, Column['type']>>> = {
  [DuckDBTypeId.VARCHAR]: 'string',
  [DuckDBTypeId.INTEGER]: 'integer',
  [DuckDBTypeId.BIGINT]: 'integer',
  [DuckDBTypeId.HUGEINT]: 'integer',
  [DuckDBTypeId.DOUBLE]: 'float',
  [DuckDBTypeId.DECIMAL]: 'numeric',
  [DuckDBTypeId.BIGNUM]: 'numeric',
  [DuckDBTypeId.BOOLEAN]: 'boolean',
  [DuckDBTypeId.TIMESTAMP_TZ]: 'timestamp',
  [DuckDBTypeId.TIMESTAMP]: 'datetime',
  [DuckDBTypeId.DATE]: 'date',
  [DuckDBTypeId.TIME]: 'time',
  [DuckDBTypeId.BLOB]: 'bytes',
  [DuckDBTypeId.STRUCT]: 'record',
};

/** A column of DuckDB's result, in the words of a saved query's header. */
export function toResultColumn(name: string, type: DuckDBType): ResultColumn {
  if (type.typeId === DuckDBTypeId.SQLNULL) return { name, type: undefined, repeated: false };
  if (type.typeId === DuckDBTypeId.LIST) return { name, type: typeName(type.valueType), repeated: true };
  return { name, type: typeName(type), repeated: false };
}

function typeName(type: DuckDBType): string {
  if (type.typeId === DuckDBTypeId.LIST) return `repeated ${typeName(type.valueType)}`;
  if (type.alias === 'JSON') return 'json';
  return columnTypes[type.typeId] ?? type.toString();
}

const scalarTypes: Readonly<Partial<Record<ScalarName, Column['type']>>> = {
  STRING: 'string',
  INT64: 'integer',
  FLOAT64: 'float',
  NUMERIC: 'numeric',
  BIGNUMERIC: 'numeric',
  BOOL: 'boolean',
  TIMESTAMP: 'timestamp',
  DATETIME: 'datetime',
  DATE: 'date',
  TIME: 'time',
  BYTES: 'bytes',
  JSON: 'json',
};

/** A column of a type of BigQuery, in the words of a saved query's header. */
export function resultColumnOf(name: string, type: Type): ResultColumn {
  if (type.kind === 'array') return { name, type: headerType(type.element), repeated: true };
  return { name, type: headerType(type), repeated: false };
}

function headerType(type: Type): string {
  if (type.kind === 'struct') return 'record';
  return (type.kind === 'scalar' ? scalarTypes[type.name] : undefined) ?? describeType(type);
}
