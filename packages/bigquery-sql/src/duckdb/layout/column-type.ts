import type { Field } from '../../table-schema.ts';
import { columnsOf, duckdbType } from '../../types.ts';

/**
 * The DuckDB type, as SQL text, that holds a BigQuery column or nested field. BIGNUMERIC is an integer that counts units
 * of 10^-38, because DuckDB's widest DECIMAL has 38 digits.
 */
export function columnType(field: Field): string {
  const [column] = columnsOf([field]);
  const type = column && duckdbType(column.type);
  if (type === undefined) throw new Error(`no DuckDB type for ${field.name}`);
  return type;
}

/** Like `columnType`, but the type of one element if the field is REPEATED. */
export const elementType = (field: Field): string => columnType({ ...field, mode: 'NULLABLE' });
