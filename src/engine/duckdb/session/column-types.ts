import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { anonymousField, type Column, type ScalarName, type Type } from '../../dialect/types.ts';
import { isRange } from './cell.ts';

const scalarNames: Readonly<Partial<Record<DuckDBTypeId, ScalarName>>> = {
  [DuckDBTypeId.BOOLEAN]: 'BOOL',
  [DuckDBTypeId.TINYINT]: 'INT64',
  [DuckDBTypeId.SMALLINT]: 'INT64',
  [DuckDBTypeId.INTEGER]: 'INT64',
  [DuckDBTypeId.BIGINT]: 'INT64',
  [DuckDBTypeId.HUGEINT]: 'INT64',
  [DuckDBTypeId.FLOAT]: 'FLOAT64',
  [DuckDBTypeId.DOUBLE]: 'FLOAT64',
  [DuckDBTypeId.DECIMAL]: 'NUMERIC',
  [DuckDBTypeId.BIGNUM]: 'BIGNUMERIC',
  [DuckDBTypeId.VARCHAR]: 'STRING',
  [DuckDBTypeId.BLOB]: 'BYTES',
  [DuckDBTypeId.DATE]: 'DATE',
  [DuckDBTypeId.TIME]: 'TIME',
  [DuckDBTypeId.TIMESTAMP]: 'DATETIME',
  [DuckDBTypeId.TIMESTAMP_TZ]: 'TIMESTAMP',
  [DuckDBTypeId.INTERVAL]: 'INTERVAL',
  // BigQuery gives a bare NULL the type INT64.
  [DuckDBTypeId.SQLNULL]: 'INT64',
};

/**
 * The type of a result's column in BigQuery's syntax.
 *
 * @param known the type as far as the translation knows it: it has the names of fields that DuckDB cannot leave out
 */
export function columnTypeText(type: DuckDBType, known: Type | undefined): string {
  if (type.typeId === DuckDBTypeId.LIST) {
    const element = known?.kind === 'array' ? known.element : undefined;
    return `ARRAY<${columnTypeText(type.valueType, element)}>`;
  }
  if (type.typeId === DuckDBTypeId.STRUCT) {
    const [element] = type.entryTypes;
    if (isRange(type) && element) return `RANGE<${columnTypeText(element, undefined)}>`;
    const fields = known?.kind === 'struct' ? known.fields : [];
    const texts = type.entryTypes.map((entry, at) =>
      fieldText(type.entryNames[at] ?? '', at, entry, fields[at]),
    );
    return `STRUCT<${texts.join(', ')}>`;
  }
  if (type.alias === 'JSON') return 'JSON';
  return scalarNames[type.typeId] ?? type.toString();
}

function fieldText(name: string, at: number, type: DuckDBType, known: Column | undefined): string {
  const text = columnTypeText(type, known?.type);
  const given = known?.name ?? (name === anonymousField(at) ? '' : name);
  if (given === '') return text;
  return `${/^[a-z_]\w*$/i.test(given) ? given : `\`${given.replaceAll('`', '\\`')}\``} ${text}`;
}
