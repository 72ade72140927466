import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Column } from '../../../catalog/saved-query.ts';

const fitting: Record<Column['type'], readonly DuckDBTypeId[]> = {
  string: [DuckDBTypeId.VARCHAR],
  integer: [DuckDBTypeId.BIGINT, DuckDBTypeId.HUGEINT, DuckDBTypeId.INTEGER],
  float: [DuckDBTypeId.DOUBLE, DuckDBTypeId.BIGINT],
  numeric: [DuckDBTypeId.DECIMAL],
  boolean: [DuckDBTypeId.BOOLEAN],
  timestamp: [DuckDBTypeId.TIMESTAMP_TZ],
  datetime: [DuckDBTypeId.TIMESTAMP],
  date: [DuckDBTypeId.DATE],
  time: [DuckDBTypeId.TIME],
  bytes: [DuckDBTypeId.BLOB],
  json: [DuckDBTypeId.VARCHAR],
  record: [DuckDBTypeId.STRUCT],
};

/** Why a column of the SQL's result is not what the header declares; undefined where it is. */
export function columnMisfit(column: Column, type: DuckDBType): string | undefined {
  const isList = type.typeId === DuckDBTypeId.LIST;
  const element = isList ? type.valueType : type;
  const declared = `${column.repeated ? 'repeated ' : ''}${column.type}`;
  if (isList === column.repeated && fits(column, element)) return undefined;
  // An untyped NULL fits every column.
  if (type.typeId === DuckDBTypeId.SQLNULL) return undefined;
  return `columns.${column.name}: declared ${declared}, but the SQL gives ${inWords(type)}`;
}

function fits({ type: declared }: Column, type: DuckDBType): boolean {
  return fitting[declared].includes(type.typeId) && (type.alias === 'JSON') === (declared === 'json');
}

function inWords(type: DuckDBType): string {
  if (type.typeId === DuckDBTypeId.LIST) return `repeated ${inWords(type.valueType)}`;
  if (type.alias === 'JSON') return 'json';
  const word = Object.entries(fitting).find(([, ids]) => ids.includes(type.typeId))?.[0];
  return word ?? type.toString();
}
