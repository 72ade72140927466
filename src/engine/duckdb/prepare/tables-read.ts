import type { DuckDBConnection } from '@duckdb/node-api';
import type { StoredTable } from '../../dialect/rewrite.ts';
import { quote } from '../../dialect/types.ts';
import { bindTo } from '../run/bindings.ts';

/**
 * The tables that a query really reads: of those its SQL names, a common table expression that nothing refers to reads
 * none. The plan is asked without the optimizer, which leaves out tables that are empty at the moment.
 */
export async function tablesRead(
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
    const read = new Set(
      [...plan.matchAll(/"Table": "(?<path>(?:[^"\\]|\\.)+)"/g)].map(({ groups }) =>
        unquoted(groups?.path ?? ''),
      ),
    );
    return tables
      .filter(({ name, relation = quote(name) }) =>
        [...read].some((path) => `.${path}`.endsWith(`.${unquoted(relation)}`)),
      )
      .map(({ name }) => name);
  } finally {
    await connection.run('PRAGMA enable_optimizer');
  }
}

const unquoted = (path: string) => path.replaceAll(/\\?"/g, '');
