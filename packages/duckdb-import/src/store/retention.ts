import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { Changed } from './changed-times.ts';
import type { TableInStore } from './table-in-store.ts';

/** All tables with a time column, as `StoredTables.change` takes what is changed. */
export const changedBefore = (
  { all }: { readonly all: readonly TableInStore[] },
  before: Date,
): ReadonlyMap<string, Changed> =>
  new Map(
    all.map(({ name, time }) => [
      name,
      time === undefined ? [] : [{ from: Number.NEGATIVE_INFINITY, until: before.getTime() * 1000 }],
    ]),
  );

/**
 * Deletes the rows from before a time; a table without a time column keeps all rows.
 *
 * @returns how many were deleted
 */
export async function dropOlder(
  connection: DuckDBConnection,
  tables: readonly TableInStore[],
  before: Date,
): Promise<number> {
  let dropped = 0;
  for (const { rows, time } of tables) {
    if (time === undefined) continue;
    const timestamp = `${quoteText(before.toISOString())}::TIMESTAMPTZ`;
    const { rowsChanged } = await connection.run(`DELETE FROM ${rows} WHERE ${quote(time)} < ${timestamp}`);
    dropped += rowsChanged;
  }
  return dropped;
}
