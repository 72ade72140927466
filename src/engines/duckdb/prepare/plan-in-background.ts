import { hash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { StartError } from '../../../errors.ts';
import type { Runnable } from './prepare-catalog.ts';
import { plannedTypes } from './result-types.ts';

interface BackgroundOptions {
  /** A connection that nothing else uses. */
  readonly connection: DuckDBConnection;
  readonly queries: readonly SavedQuery[];
  /** Calls a function with the current form of a query, whose tables exist until it has ended. */
  readonly withQuery: (query: SavedQuery, use: (runnable: Runnable) => Promise<void>) => Promise<void>;
  readonly onProblem: (message: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Lets DuckDB plan every query once, one after another, after the start: what it refuses is reported before anybody
 * calls it. A query that is called earlier is planned then.
 */
export async function planInBackground(options: BackgroundOptions): Promise<void> {
  const { connection, onProblem, queries, signal, withQuery } = options;
  for (const query of queries) {
    await nextTurn();
    if (signal.aborted) return;
    try {
      await withQuery(query, async ({ compiled, exported }) => {
        await plannedTypes(connection, query, compiled);
        exported();
      });
    } catch (error) {
      if (!signal.aborted) onProblem(describe(query, error));
    }
  }
}

/** A message for authors, with what DuckDB says about its own SQL, which is for the log. */
function describe({ name, sql }: SavedQuery, error: unknown): string {
  const reason = error instanceof StartError ? error.message : String(error);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined;
  const duckdb = cause === undefined ? '' : `; SQL with the SHA-256 ${hash('sha256', sql)}: ${cause}`;
  return `${name} answers ENGINE_FAILED until its SQL is corrected: ${reason}${duckdb}`;
}
