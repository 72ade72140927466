import { DuckDBTimestampTZValue, type DuckDBValue } from '@duckdb/node-api';
import type { Expression } from '@querygate/bigquery-sql/tree';
import { isScalar, type Type } from '@querygate/bigquery-sql/types';
import { type LargeIntegers, unsafeInteger } from '../../../engine-contract/engine-errors.ts';
import { jsonText } from './json-text.ts';

/** How a column is read from DuckDB and written as JSON. */
export interface WireCell {
  /** The expression that the query selects for a value, which must be cheap to repeat. */
  select(value: Expression): Expression;
  /** The JSON text of a value that is not NULL; undefined for a value that JSON cannot express. */
  json(value: DuckDBValue): string | undefined;
}

/**
 * DuckDB serializes nested values, ten times as fast as from JavaScript objects. Plain values are serialized here:
 * DuckDB plans a query at each run, and planning the expressions would cost more than the values.
 */
export function wireCell(type: Type, large: LargeIntegers = 'fail'): WireCell {
  if (large === 'text' && isScalar(type, 'INT64')) return { select: (value) => value, json: integerOrText };
  const plain = type.kind === 'scalar' ? plainCells[type.name] : undefined;
  if (plain) return { select: (value) => value, json: plain };
  return { select: (value) => jsonText(value, type, large), json: asText };
}

const asText = (cell: DuckDBValue) => String(cell);

const plainCells: Readonly<Record<string, WireCell['json']>> = {
  BOOL: (cell) => JSON.stringify(cell),
  STRING: (cell) => JSON.stringify(cell),
  FLOAT64: (cell) => (Number.isFinite(cell) ? String(cell) : undefined),
  INT64: integer,
  TIMESTAMP: (cell) => (cell instanceof DuckDBTimestampTZValue ? String(cell.micros) : undefined),
};

const integerOrText = (cell: DuckDBValue) =>
  Number.isSafeInteger(Number(cell)) ? String(cell) : `"${String(cell)}"`;

function integer(cell: DuckDBValue): string {
  if (!Number.isSafeInteger(Number(cell))) throw new Error(unsafeInteger);
  return String(cell);
}
