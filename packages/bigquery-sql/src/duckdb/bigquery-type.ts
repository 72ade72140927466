import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import {
  arrayOf,
  type CollatedName,
  type ScalarName,
  scalar,
  structOf,
  type Type,
  unknown,
} from '../types.ts';

/** The scalar types of BigQuery whose values DuckDB holds in its types, but for JSON, which is a VARCHAR by another name. */
export const scalarNames: Readonly<Partial<Record<DuckDBTypeId, Exclude<ScalarName, CollatedName>>>> = {
  [DuckDBTypeId.VARCHAR]: 'STRING',
  [DuckDBTypeId.TINYINT]: 'INT64',
  [DuckDBTypeId.SMALLINT]: 'INT64',
  [DuckDBTypeId.INTEGER]: 'INT64',
  [DuckDBTypeId.BIGINT]: 'INT64',
  [DuckDBTypeId.HUGEINT]: 'INT64',
  [DuckDBTypeId.FLOAT]: 'FLOAT64',
  [DuckDBTypeId.DOUBLE]: 'FLOAT64',
  [DuckDBTypeId.DECIMAL]: 'NUMERIC',
  [DuckDBTypeId.BIGNUM]: 'BIGNUMERIC',
  [DuckDBTypeId.BOOLEAN]: 'BOOL',
  [DuckDBTypeId.TIMESTAMP_TZ]: 'TIMESTAMP',
  [DuckDBTypeId.TIMESTAMP]: 'DATETIME',
  [DuckDBTypeId.DATE]: 'DATE',
  [DuckDBTypeId.TIME]: 'TIME',
  [DuckDBTypeId.INTERVAL]: 'INTERVAL',
  [DuckDBTypeId.BLOB]: 'BYTES',
};

/** The BigQuery type whose values DuckDB holds in a type. */
export function bigqueryType(type: DuckDBType): Type {
  if (type.alias === 'JSON') return scalar('JSON');
  if (type.typeId === DuckDBTypeId.LIST) return arrayOf(bigqueryType(type.valueType));
  if (type.typeId === DuckDBTypeId.STRUCT)
    return structOf(
      type.entryTypes.map((entry, at) => ({ name: type.entryNames[at] ?? '', type: bigqueryType(entry) })),
    );
  const name = scalarNames[type.typeId];
  return name === undefined ? unknown : scalar(name);
}
