import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';

/** What both sides may use: the product reads the same variable, and has as many threads. */
export interface Limits {
  readonly DUCKDB_MEMORY_LIMIT: string;
  readonly threads: string;
}

export function readLimits(env: Readonly<Record<string, string | undefined>>): Limits {
  return {
    DUCKDB_MEMORY_LIMIT: env.DUCKDB_MEMORY_LIMIT || '4GB',
    threads: String(availableParallelism()),
  };
}

interface Database {
  connect(): Promise<DuckDBConnection>;
  close(): void;
}

/** A separate DuckDB for the benchmark, with the limits of the product. */
export async function openDatabase(file: string, limits: Limits): Promise<Database> {
  if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true });
  const instance = await DuckDBInstance.create(file, {
    threads: limits.threads,
    memory_limit: limits.DUCKDB_MEMORY_LIMIT,
  });
  const connections: DuckDBConnection[] = [];
  return {
    async connect() {
      const connection = await instance.connect();
      connections.push(connection);
      await connection.run(`SET TimeZone = 'UTC'`);
      return connection;
    },
    close() {
      for (const connection of connections.splice(0)) connection.closeSync();
      instance.closeSync();
    },
  };
}

export function removeDatabase(file: string): void {
  for (const path of [file, `${file}.wal`, `${file}.tmp`]) rmSync(path, { recursive: true, force: true });
}
