import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { StartError } from '../../errors.ts';
import type { DuckdbSettings } from './duckdb-options.ts';
import { type HostWorks, keepByteOrderMarks, registerHostFunctions } from '@querygate/bigquery-sql/duckdb';

export type DatabaseSettings = Pick<DuckdbSettings, 'memoryLimit' | 'threads'>;

export interface Database {
  connect(): Promise<DuckDBConnection>;
  /** Closes one connection before the others. */
  disconnect(connection: DuckDBConnection): void;
  /** Where the statements of its connections put what they use of this process. */
  readonly hostWorks: HostWorks;
  /** Closes its connections too. */
  close(): void;
}

/**
 * Opens an empty database in memory, with the functions that macros call. It never downloads an extension.
 *
 * @throws StartError if DuckDB rejects the configuration
 */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  keepByteOrderMarks();
  const instance = await createInstance(settings);
  const connections = new Set<DuckDBConnection>();
  const first = await instance.connect();
  const hostWorks = registerHostFunctions(first);
  first.closeSync();
  return {
    hostWorks,
    async connect() {
      const connection = await instance.connect();
      connections.add(connection);
      return connection;
    },
    disconnect(connection) {
      if (connections.delete(connection)) connection.closeSync();
    },
    close() {
      for (const connection of connections) connection.closeSync();
      connections.clear();
      instance.closeSync();
    },
  };
}

async function createInstance({ threads, memoryLimit }: DatabaseSettings): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(':memory:', {
      threads: String(threads),
      memory_limit: memoryLimit,
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError('DuckDB cannot be opened', [
      { message: `memoryLimit: got ${JSON.stringify(memoryLimit)}, with ${threads} threads: ${reason}` },
    ]);
  }
}

/** Names the setting that is too small when a start fails for lack of memory; returns other errors unchanged. */
export function asStartError(error: unknown, { memoryLimit }: DatabaseSettings): unknown {
  if (!(error instanceof Error) || !/^(Out of Memory Error|Failed to allocate)/.test(error.message))
    return error;
  return new StartError('DuckDB cannot start', [
    { message: `memoryLimit: ${memoryLimit} is too little for the macros and the data` },
  ]);
}
