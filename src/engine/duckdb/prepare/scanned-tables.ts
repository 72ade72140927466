import type { DuckDBConnection } from '@duckdb/node-api';
import type { StoredTable } from '../../dialect/rewrite.ts';
import { quote } from '../../dialect/types.ts';
import { bindTo } from '../wire/bindings.ts';

/**
 * The names of the tables that a query scans. A table that the SQL names only in an unused common table expression is
 * not scanned. The plan is made without the optimizer, which would leave out tables that are empty at the moment.
 */
export async function findScannedTables(
  connection: DuckDBConnection,
  sql: string,
  tables: readonly StoredTable[],
): Promise<readonly string[]> {
  await connection.run('PRAGMA disable_optimizer');
  try {
    const statement = await connection.prepare(`EXPLAIN (FORMAT json) ${sql}`);
    bindTo(statement, new Map());
    const plan = String((await statement.runAndReadAll()).getRows()[0]?.[1]);
    statement.destroySync();
    const scanned = [...plan.matchAll(/"Table": "(?<path>(?:[^"\\]|\\.)+)"/g)].map(
      ({ groups }) => `.${withoutQuotes(groups?.path ?? '')}`,
    );
    return tables
      .filter(({ name, relation = quote(name) }) =>
        scanned.some((path) => path.endsWith(`.${withoutQuotes(relation)}`)),
      )
      .map(({ name }) => name);
  } finally {
    await connection.run('PRAGMA enable_optimizer');
  }
}

const withoutQuotes = (path: string) => path.replaceAll(/\\?"/g, '');
