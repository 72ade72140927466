import type { DuckDBConnection } from '@duckdb/node-api';
import { quote } from '@querygate/bigquery-sql/types';
import { readRows } from './statements.ts';
import type { TableInStore } from './table-in-store.ts';

const rowGroupSize = 122_880;
/** A smaller table is quick to scan in any order. */
const minRows = 4 * rowGroupSize;
/** How many times more row groups than necessary a day may be spread over. */
const maxSpread = 3;

/**
 * True if the rows of a table are so far from the order of their days that a query for a time window scans most of
 * them: each day is spread over several times the row groups that it would fill.
 */
export async function isDisordered(
  connection: DuckDBConnection,
  { rows: relation, time }: TableInStore,
): Promise<boolean> {
  if (time === undefined) return false;
  const groups = `SELECT count(*) AS n, epoch(min(${quote(time)})) // 86400 AS first, epoch(max(${quote(time)})) // 86400 AS last
    FROM ${relation} GROUP BY rowid // ${rowGroupSize}`;
  const [found = []] = await readRows(
    connection,
    `SELECT sum(n)::DOUBLE, sum(last - first + 1)::DOUBLE, (count(*) + max(last) - min(first) + 1)::DOUBLE FROM (${groups})`,
  );
  const [rows, days, least] = found.map(Number);
  return (rows ?? 0) > minRows && (days ?? 0) > maxSpread * (least ?? 0);
}
