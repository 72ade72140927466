import type { DuckDBType } from '@duckdb/node-api';
import { describeType, duckdbType, type Type } from '../types.ts';
import { bigqueryType } from './bigquery-type.ts';

/**
 * The type of a result's column in BigQuery's syntax.
 *
 * @param known the type as the compiler knows it. DuckDB's own differs where a NULL is computed before the query runs:
 *   it then has no type, or INTEGER
 */
export const columnTypeText = (type: DuckDBType, known: Type | undefined): string =>
  typeText(known !== undefined && duckdbType(known) !== undefined ? known : bigqueryType(type));

function typeText(type: Type): string {
  switch (type.kind) {
    case 'array':
      return `ARRAY<${typeText(type.element)}>`;
    case 'range':
      return `RANGE<${typeText(type.element)}>`;
    case 'struct':
      return `STRUCT<${type.fields.map((field) => `${nameText(field.name)}${typeText(field.type)}`).join(', ')}>`;
    default:
      return describeType(type);
  }
}

function nameText(name: string): string {
  if (name === '') return '';
  return /^[a-z_]\w*$/i.test(name) ? `${name} ` : `\`${name.replaceAll('`', '\\`')}\` `;
}
