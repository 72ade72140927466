import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { registerHostFunctions } from '@querygate/bigquery-sql/duckdb';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { openTables, type StoredTables } from '../src/store/stored-tables.ts';

/** The stored tables of a database, as the import gets them. */
export interface TestStore {
  readonly tables: StoredTables;
  connect(): Promise<DuckDBConnection>;
  onRepeatedRecord(table: string, path: string): Promise<void>;
  query(sql: string): Promise<readonly unknown[][]>;
  queryJson(sql: string): Promise<readonly unknown[][]>;
  close(): void;
}

/** @param path of the store's file */
export async function openTestStore(schemas: readonly TableSchema[], path = ':memory:'): Promise<TestStore> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connect = async () => {
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    return connection;
  };
  const connection = await connect();
  // BIGNUMERIC is read by one of them.
  registerHostFunctions(connection);
  await connection.run(`ATTACH '${path}' AS store (STORAGE_VERSION 'v1.5.0'); USE store`);
  const tables = await openTables(connection, schemas);
  return {
    tables,
    connect,
    async onRepeatedRecord(table, path) {
      const old = await tables.rebuild(table, new Set([...tables.get(table).repeatedPaths, path]));
      await old.drop();
    },
    query: async (sql) => (await connection.runAndReadAll(sql)).getRowsJS(),
    queryJson: async (sql) => (await connection.runAndReadAll(sql)).getRowsJson(),
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
