import { DuckDBTypeId, LIST, STRUCT } from '@duckdb/node-api';
import type { Field } from '../../table-schema.ts';
import { parameterSql } from './reserved-name.ts';
import type { SourceValue } from './scalar-value.ts';

/** A map as the records that BigQuery loads: elements with `key` and `value`, or a record that has them in `key_value`. */
export function withPairs(field: Field, source: SourceValue): SourceValue {
  const { sql, type } = source;
  if (!field.fields) return source;
  if (type.typeId === DuckDBTypeId.LIST && type.valueType.typeId === DuckDBTypeId.MAP) {
    const each = parameterSql('map');
    const record = withPairs({ ...field, mode: 'NULLABLE' }, { sql: each, type: type.valueType });
    return {
      ...source,
      sql: `list_transform(${sql}, lambda ${each}: ${record.sql})`,
      type: LIST(record.type),
    };
  }
  if (type.typeId !== DuckDBTypeId.MAP) return source;
  const entries = `map_entries(${sql})`;
  const pairs = LIST(STRUCT({ key: type.keyType, value: type.valueType }));
  if (field.mode === 'REPEATED') return { ...source, sql: entries, type: pairs };
  const record = `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(key_value := ${entries}) END`;
  return { ...source, sql: record, type: STRUCT({ key_value: pairs }) };
}
