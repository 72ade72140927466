import type { DuckDBConnection } from '@duckdb/node-api';
import { macroDefinitions } from '@querygate/bigquery-sql/duckdb';

/** Defines those macros that the database does not have yet. */
export type DefineMacros = (names: readonly string[]) => Promise<void>;

/**
 * Saved queries define the macros that they call at the start; the SQL of callers may call any other, which is defined
 * when the first one does: to define all of them takes more than a second.
 *
 * @param connection runs nothing else meanwhile
 * @param defined those that the database has
 */
export function buildDefineMacros(connection: DuckDBConnection, defined: Set<string>): DefineMacros {
  let last: Promise<void> = Promise.resolve();
  return (names) => {
    const define = async () => {
      const added = new Set(defined);
      const definitions = macroDefinitions(names, added);
      if (definitions === '') return;
      await connection.run(definitions);
      for (const name of added) defined.add(name);
    };
    // One after the other: two definitions of one macro at the same time would conflict.
    const next = last.then(define);
    last = next.catch(() => {});
    return next;
  };
}
