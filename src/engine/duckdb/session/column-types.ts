import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { anonymousField, type Column, type Type } from '../../dialect/types.ts';
import { scalarNames } from '../wire/bigquery-type.ts';
import { isRange } from './cell.ts';

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
  // BigQuery gives a bare NULL the type INT64.
  if (type.typeId === DuckDBTypeId.SQLNULL) return 'INT64';
  return scalarNames[type.typeId] ?? type.toString();
}

function fieldText(name: string, at: number, type: DuckDBType, known: Column | undefined): string {
  const text = columnTypeText(type, known?.type);
  const given = known?.name ?? (name === anonymousField(at) ? '' : name);
  if (given === '') return text;
  return `${/^[a-z_]\w*$/i.test(given) ? given : `\`${given.replaceAll('`', '\\`')}\``} ${text}`;
}
