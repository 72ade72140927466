import type { DuckDBConnection } from '@duckdb/node-api';

/** The text is matched from its beginning: what follows may quote a value that a caller chose. */
const unusable =
  /^(FATAL Error: |IO Error: (Checkpoint failed for database "\w+"\. The database|Database "\w+") has been invalidated)/;

/**
 * True if DuckDB refuses everything from now on, until it is opened again: after an error inside of it that may have
 * left wrong data behind, or after a checkpoint of the store that failed.
 */
export const isDatabaseUnusable = (error: unknown): error is Error =>
  error instanceof Error && unusable.test(error.message);

/** True for an error inside of DuckDB, which may have made it unusable: only the next statement says so. */
export const isInternalError = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('INTERNAL Error');

export interface Connections {
  connect(): Promise<DuckDBConnection>;
  disconnect(connection: DuckDBConnection): void;
}

/** Reports an error that made a database unusable. */
export async function reportUnusable(
  error: unknown,
  connections: Connections,
  report: (error: Error) => void,
): Promise<void> {
  const found = isInternalError(error) ? await nextError(connections) : error;
  if (isDatabaseUnusable(found)) report(found);
}

async function nextError({ connect, disconnect }: Connections): Promise<unknown> {
  try {
    const connection = await connect();
    await connection.run('SELECT 1').finally(() => disconnect(connection));
  } catch (error) {
    return error;
  }
}
