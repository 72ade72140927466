import type { DuckDBConnection } from '@duckdb/node-api';
import { bindValues } from './bindings.ts';
import type { PreparedQuery } from './prepare-query.ts';

/**
 * The tables that a query really reads: of those its SQL names, a common table expression that nothing refers to reads
 * none. The plan is asked without the optimizer, which leaves out tables that are empty at the moment.
 */
export async function tablesRead(
  connection: DuckDBConnection,
  { sql, parameters }: PreparedQuery,
): Promise<readonly string[]> {
  await connection.run('PRAGMA disable_optimizer');
  try {
    const statement = await connection.prepare(`EXPLAIN (FORMAT json) ${sql}`);
    bindValues(statement, parameters, {}, new Date(0));
    const plan = String((await statement.runAndReadAll()).getRows()[0]?.[1]);
    statement.destroySync();
    const names = [...plan.matchAll(/"Table": "(?<path>[^"]+)"/g)].map(({ groups }) =>
      groups?.path?.split('.').at(-1),
    );
    return [...new Set(names.filter((name) => name !== undefined))];
  } finally {
    await connection.run('PRAGMA enable_optimizer');
  }
}
