import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Catalog } from '../../catalog/saved-query.ts';
import type { Config } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { openDemo } from './demo.ts';
import { openImport } from './import/open-import.ts';
import { createPlainTables, plainTarget } from './import/plain-target.ts';

/** The tables of the catalog, filled. */
export interface LocalData {
  /** What is wrong with a table's files, by the table's name; such a table is empty. */
  readonly problems: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export interface DataOptions {
  /** For the data alone, as long as it is open. */
  readonly connection: DuckDBConnection;
  /** More of the kind; they are closed with the engine. */
  readonly connect: () => Promise<DuckDBConnection>;
  readonly catalog: Catalog;
  readonly config: Config;
  readonly now: () => Date;
  readonly onProblem: (message: string) => void;
}

/**
 * Fills the tables from the data folder, or with the demo where none is configured.
 *
 * @throws StartError where the data folder is none
 */
export async function openData({
  connection,
  connect,
  catalog,
  config,
  now,
  onProblem,
}: DataOptions): Promise<LocalData> {
  if (config.dataDir === undefined) {
    const demo = await openDemo(connection, catalog.tables, join(config.queriesDir, 'demo'), {
      now: () => now().getTime(),
      onError: (error) => onProblem(`The demo pauses: ${String(error)}`),
    });
    return { problems: new Map(), close: () => demo.close() };
  }
  if (!statSync(config.dataDir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StartError('The data cannot be read', [
      { message: `DATA_DIR: got ${JSON.stringify(config.dataDir)}; must be a folder that can be read` },
    ]);
  }
  const scratch = await mkdtemp(join(tmpdir(), 'querygate-'));
  await createPlainTables(connection, catalog.tables);
  const data = await openImport({
    connect,
    store: 'memory',
    dataDir: config.dataDir,
    scratch,
    tables: catalog.tables,
    target: plainTarget,
    onPlural: () => Promise.resolve(),
    onProblem,
    signal: new AbortController().signal,
  });
  await data.catchUp().finally(() => rm(scratch, { recursive: true }));
  // Tables in memory are compressed only now: a tenth of the place.
  await connection.run('CHECKPOINT');
  return { problems: data.problems, close: () => Promise.resolve() };
}
