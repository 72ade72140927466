import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWithExtensions } from './duckdb-extensions.ts';
import { startDuckdb } from './duckdb-process.ts';

export interface LakeWriter {
  /** What `DATA_DIR` is. */
  readonly dataDir: string;
  readonly folder: string;
  /** Runs statements one after the other; the lake is `w`. @returns the rows of the last one */
  run(...statements: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Keeps the file of a catalog open in a process of its own, and writes to it. */
  hold(): Promise<{ run(sql: string): Promise<void>; end(): Promise<void> }>;
  /** Rows by hand, as JSON. @param sql names the lake `w` */
  rows(sql: string): Promise<string>;
  close(): void;
}

/**
 * A lake of a test, which another program writes.
 *
 * @param catalog as in `postgres:dbname=lake`; without it, a file, which is open only while statements run
 */
export async function openLakeWriter(catalog?: string, dataPath?: string): Promise<LakeWriter> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-lake-'));
  const dataDir = `ducklake:${catalog ?? join(folder, 'lake.ducklake')}`;
  const scanner = /^(?:postgres|sqlite)(?=:)/.exec(catalog ?? '')?.[0];
  const { instance, connection } = await openWithExtensions(
    ...(scanner === undefined ? [] : [`${scanner}_scanner`]),
    'ducklake',
  );
  const path = dataPath ?? join(folder, 'files/');
  const attach = () => connection.run(`ATTACH '${dataDir}' AS w (DATA_PATH '${path}')`);
  const run: LakeWriter['run'] = async (...statements) => {
    if (catalog === undefined) await attach();
    try {
      let rows: readonly Readonly<Record<string, unknown>>[] = [];
      for (const sql of statements) rows = (await connection.runAndReadAll(sql)).getRowObjectsJS();
      return rows;
    } finally {
      if (catalog === undefined) await connection.run('DETACH w');
    }
  };
  if (catalog !== undefined) await attach();
  return {
    ...{ dataDir, folder, run },
    async rows(sql) {
      const [row] = await run(`SELECT coalesce(to_json(list(r)), '[]')::VARCHAR AS rows FROM (${sql}) AS r`);
      return String(row?.rows);
    },
    async hold() {
      const holder = await startDuckdb('ducklake');
      await holder.ask(`ATTACH '${dataDir}' AS w`);
      return {
        run: async (sql) => void (await holder.ask(sql)),
        async end() {
          await holder.ask('DETACH w');
          await holder.kill();
        },
      };
    },
    close() {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
