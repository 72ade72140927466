import type { Field, FieldType } from '../../../catalog/tables/table-schema.ts';
import { quote } from '../../dialect/types.ts';

const plainTypes: Readonly<Record<Exclude<FieldType, 'RECORD' | 'STRUCT'>, string>> = {
  STRING: 'VARCHAR',
  BYTES: 'BLOB',
  INTEGER: 'BIGINT',
  INT64: 'BIGINT',
  FLOAT: 'DOUBLE',
  FLOAT64: 'DOUBLE',
  NUMERIC: 'DECIMAL(38, 9)',
  // Our choice: DuckDB's decimals end at 38 digits; a value that does not fit is an error, never rounded off.
  BIGNUMERIC: 'DECIMAL(38, 9)',
  BOOLEAN: 'BOOLEAN',
  BOOL: 'BOOLEAN',
  TIMESTAMP: 'TIMESTAMPTZ',
  DATE: 'DATE',
  TIME: 'TIME',
  DATETIME: 'TIMESTAMP',
  JSON: 'JSON',
};

/** The DuckDB type, as SQL text, that holds a BigQuery column or nested field. */
export function columnType(field: Field): string {
  const type = elementType(field);
  return field.mode === 'REPEATED' ? `${type}[]` : type;
}

/** Like `columnType`, of one element where the field is REPEATED. */
export function elementType({ type, fields = [] }: Field): string {
  if (type !== 'RECORD' && type !== 'STRUCT') return plainTypes[type];
  return `STRUCT(${fields.map((field) => `${quote(field.name)} ${columnType(field)}`).join(', ')})`;
}

/** A text as it may stand in SQL, whatever it contains. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
