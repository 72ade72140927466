import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import type { ImportOptions } from '../src/import-state.ts';
import { type Import, openImport } from '../src/open-import.ts';
import { openTestStore, type TestStore } from './test-store.ts';

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
  readonly store: TestStore;
  path(name: string): string;
  write(name: string, content: string | Buffer): void;
  /** Imports the changes. @returns the reported problems */
  sync(): Promise<readonly string[]>;
  data(): Import;
  /** Forgets everything but the store, as a restart does. */
  reopen(more?: Partial<ImportOptions>): Promise<void>;
  query: TestStore['query'];
  ids(): Promise<readonly number[]>;
  /** Writes a file with the rows of a SELECT. */
  writeParquet(name: string, select: string): Promise<void>;
  close(): Promise<void>;
}

export async function openImportFolder(
  more: Partial<ImportOptions> = {},
  schemas: readonly TableSchema[] = [logs],
): Promise<ImportFolder> {
  const root = mkdtempSync(join(tmpdir(), 'import-'));
  const dataDir = join(root, 'data');
  const scratch = join(root, 'scratch');
  mkdirSync(dataDir);
  mkdirSync(scratch);
  const store = await openTestStore(schemas);
  const problems: string[] = [];
  const open = (options: Partial<ImportOptions>) =>
    openImport({
      connect: store.connect,
      dataDir,
      scratch,
      tables: store.tables,
      onRepeatedRecord: store.onRepeatedRecord,
      events: { problem: (message) => problems.push(message) },
      signal: new AbortController().signal,
      ...options,
    });
  let data = await open(more);
  return {
    dataDir,
    store,
    query: store.query,
    path: (name) => join(dataDir, name),
    write(name, content) {
      mkdirSync(dirname(join(dataDir, name)), { recursive: true });
      writeFileSync(join(dataDir, name), content);
    },
    async sync() {
      problems.length = 0;
      await data.sync();
      return [...problems];
    },
    data: () => data,
    async reopen(options = more) {
      await data.close();
      data = await open(options);
    },
    ids: async () => (await store.query('SELECT id FROM logs ORDER BY id')).map(([id]) => Number(id)),
    async writeParquet(name, select) {
      mkdirSync(dirname(join(dataDir, name)), { recursive: true });
      await store.query(`COPY (${select}) TO '${join(dataDir, name)}' (FORMAT parquet)`);
    },
    async close() {
      await data.close();
      store.close();
      rmSync(root, { recursive: true });
    },
  };
}

/** Lines of rows with these ids. */
export const lines = (...ids: readonly number[]): string => ids.map((id) => `{"id":${id}}\n`).join('');

export const idsBetween = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
