import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { TableSchema } from '../../../../src/catalog/tables/table-schema.ts';
import {
  type Import,
  type ImportOptions,
  openImport,
} from '../../../../src/engine/duckdb/import/open-import.ts';
import { createPlainTables, plainTarget } from './plain-target.ts';

export const logs: TableSchema = {
  name: 'logs',
  fields: [
    { name: 'id', type: 'INTEGER', mode: 'NULLABLE' },
    { name: 'ts', type: 'TIMESTAMP', mode: 'NULLABLE' },
  ],
};

/** A data folder and a store in memory that follows it. */
export interface ImportFolder {
  readonly dataDir: string;
  path(name: string): string;
  write(name: string, content: string | Buffer): void;
  /** One look; what it told. */
  look(): Promise<readonly string[]>;
  data(): Import;
  /** Forgets all but the store, as a restart does. */
  reopen(): Promise<void>;
  query(sql: string): Promise<readonly unknown[][]>;
  ids(): Promise<readonly number[]>;
  close(): Promise<void>;
}

export async function openImportFolder(more: Partial<ImportOptions> = {}): Promise<ImportFolder> {
  const root = mkdtempSync(join(tmpdir(), 'import-'));
  const dataDir = join(root, 'data');
  const scratch = join(root, 'scratch');
  mkdirSync(dataDir);
  mkdirSync(scratch);
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    return connection;
  };
  const reader = await connect();
  await createPlainTables(reader, [logs]);
  const told: string[] = [];
  const open = () =>
    openImport({
      connect,
      store: 'memory',
      dataDir,
      scratch,
      tables: [logs],
      target: plainTarget,
      onPlural: () => Promise.reject(new Error('no table is stored so')),
      onProblem: (message) => told.push(message),
      signal: new AbortController().signal,
      ...more,
    });
  let data = await open();
  const query = async (sql: string) => (await reader.runAndReadAll(sql)).getRowsJS();
  return {
    dataDir,
    query,
    path: (name) => join(dataDir, name),
    write(name, content) {
      mkdirSync(dirname(join(dataDir, name)), { recursive: true });
      writeFileSync(join(dataDir, name), content);
    },
    async look() {
      told.length = 0;
      await data.sync();
      return [...told];
    },
    data: () => data,
    async reopen() {
      await data.close();
      data = await open();
    },
    ids: async () => (await query('SELECT id FROM logs ORDER BY id')).map(([id]) => Number(id)),
    async close() {
      await data.close();
      reader.closeSync();
      instance.closeSync();
      rmSync(root, { recursive: true });
    },
  };
}

/** Lines of rows with these ids. */
export const lines = (...ids: readonly number[]): string => ids.map((id) => `{"id":${id}}\n`).join('');

export const idsBetween = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
