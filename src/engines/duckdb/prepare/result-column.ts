import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { headerTypes, type ResultColumn } from '../../../catalog/model/header-types.ts';
import { scalarNames } from '@querygate/bigquery-sql/duckdb';

/** A column of DuckDB's result, in the words of a saved query's header. */
export function toResultColumn(name: string, type: DuckDBType): ResultColumn {
  if (type.typeId === DuckDBTypeId.SQLNULL) return { name, type: undefined, repeated: false };
  const repeated = type.typeId === DuckDBTypeId.LIST;
  const element = repeated ? type.valueType : type;
  const fields = fieldsOf(element);
  return { name, type: typeName(element), repeated, ...(fields && { fields }) };
}

function fieldsOf(type: DuckDBType): readonly ResultColumn[] | undefined {
  if (type.typeId !== DuckDBTypeId.STRUCT) return undefined;
  return type.entryTypes.map((entry, at) => toResultColumn(type.entryNames[at] ?? '', entry));
}

function typeName(type: DuckDBType): string {
  if (type.typeId === DuckDBTypeId.LIST) return `repeated ${typeName(type.valueType)}`;
  if (type.alias === 'JSON') return 'json';
  if (type.typeId === DuckDBTypeId.STRUCT) return 'record';
  const name = scalarNames[type.typeId];
  return (name && headerTypes[name]) ?? type.toString();
}
