import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '../../dialect/expr/literals.ts';
import { quote } from '../../dialect/types.ts';
import type { TableInStore } from './stored-tables.ts';

/**
 * Removes the rows of before a moment, of tables whose rows all have a time.
 *
 * @returns how many there were
 */
export async function dropOlder(
  connection: DuckDBConnection,
  tables: readonly TableInStore[],
  before: Date,
): Promise<number> {
  let dropped = 0;
  for (const { relation, time } of tables) {
    if (time === undefined) continue;
    const moment = `${quoteText(before.toISOString())}::TIMESTAMPTZ`;
    const { rowsChanged } = await connection.run(`DELETE FROM ${relation} WHERE ${quote(time)} < ${moment}`);
    dropped += rowsChanged;
  }
  return dropped;
}
