import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { Changed } from './changed-times.ts';
import { readRows } from './statements.ts';
import type { StoredTables } from './stored-tables.ts';

/**
 * Deletes the rows from before a time, and hides those of files; a table without a time column keeps all rows.
 *
 * @returns how many were deleted
 */
export function dropOlder(connection: DuckDBConnection, tables: StoredTables, before: Date): Promise<number> {
  const older: Changed = [{ from: Number.NEGATIVE_INFINITY, until: before.getTime() * 1000 }];
  const changed = new Map(tables.all.map(({ name, time }) => [name, time === undefined ? [] : older]));
  return tables.change(async () => {
    await tables.hideBefore(before);
    let dropped = 0;
    for (const { rows, time } of tables.all) {
      if (time === undefined) continue;
      dropped += (await connection.run(`DELETE FROM ${rows} WHERE ${isOlder(time, before)}`)).rowsChanged;
    }
    return dropped;
  }, changed);
}

/** True if a table has rows from before a time, other than those of files. */
export async function hasOlder(
  connection: DuckDBConnection,
  { all }: StoredTables,
  before: Date,
): Promise<boolean> {
  for (const { rows, time } of all) {
    if (time === undefined) continue;
    const older = await readRows(connection, `SELECT 1 FROM ${rows} WHERE ${isOlder(time, before)} LIMIT 1`);
    if (older.length > 0) return true;
  }
  return false;
}

const isOlder = (time: string, before: Date) =>
  `${quote(time)} < ${quoteText(before.toISOString())}::TIMESTAMPTZ`;
