import { DuckDBTimestampTZValue, type DuckDBType, DuckDBTypeId, type DuckDBValue } from '@duckdb/node-api';
import { unsafeInteger } from '../../engine-errors.ts';
import { wireSql } from './sql.ts';

/** How a column is read from DuckDB and written as JSON. */
export interface WireCell {
  /** What the query selects. */
  readonly sql: string;
  /** The JSON text of a value that is not NULL; undefined for a value that JSON cannot express. */
  json(value: DuckDBValue): string | undefined;
}

/**
 * DuckDB serializes nested values, ten times as fast as from JavaScript objects. Plain values are serialized here:
 * DuckDB plans a query at each run, and planning the expressions would cost more than the values.
 *
 * @param value an SQL expression of the given type, cheap to repeat (a column)
 */
export function wireCell(value: string, type: DuckDBType): WireCell {
  if (type.alias === 'JSON') return { sql: wireSql(value, type), json: asText };
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
    case DuckDBTypeId.VARCHAR:
      return { sql: value, json: (cell) => JSON.stringify(cell) };
    case DuckDBTypeId.DOUBLE:
      return { sql: value, json: (cell) => (Number.isFinite(cell) ? String(cell) : undefined) };
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.HUGEINT:
      return { sql: value, json: integer };
    case DuckDBTypeId.TIMESTAMP_TZ:
      return {
        sql: value,
        json: (cell) => (cell instanceof DuckDBTimestampTZValue ? String(cell.micros) : undefined),
      };
    default:
      return { sql: wireSql(value, type), json: asText };
  }
}

const asText = (cell: DuckDBValue) => String(cell);

function integer(cell: DuckDBValue): string {
  if (!Number.isSafeInteger(Number(cell))) throw new Error(unsafeInteger);
  return String(cell);
}
