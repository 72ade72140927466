import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { Changed } from './changed-times.ts';
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
      const isOlder = `${quote(time)} < ${quoteText(before.toISOString())}::TIMESTAMPTZ`;
      dropped += (await connection.run(`DELETE FROM ${rows} WHERE ${isOlder}`)).rowsChanged;
    }
    return dropped;
  }, changed);
}
