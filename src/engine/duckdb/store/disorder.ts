import type { DuckDBConnection } from '@duckdb/node-api';
import { quote } from '../../dialect/types.ts';
import type { TableInStore } from './stored-tables.ts';

const rowGroup = 122_880;
/** A table of fewer rows is read whole in a moment, in whatever order. */
const fewRows = 4 * rowGroup;
const tooMuch = 3;

/**
 * Whether the rows of a table lie so far from the order of their days that a window reads most of them: each day is
 * shredded over several times the row groups that it would fill.
 */
export async function isDisordered(
  connection: DuckDBConnection,
  { relation, time }: TableInStore,
): Promise<boolean> {
  if (time === undefined) return false;
  const groups = `SELECT count(*) AS n, epoch(min(${quote(time)})) // 86400 AS first, epoch(max(${quote(time)})) // 86400 AS last
    FROM ${relation} GROUP BY rowid // ${rowGroup}`;
  const found = await connection.runAndReadAll(
    `SELECT sum(n)::DOUBLE, sum(last - first + 1)::DOUBLE, (count(*) + max(last) - min(first) + 1)::DOUBLE FROM (${groups})`,
  );
  const [rows, days, least] = (found.getRows()[0] ?? []).map(Number);
  return (rows ?? 0) > fewRows && (days ?? 0) > tooMuch * (least ?? 0);
}
