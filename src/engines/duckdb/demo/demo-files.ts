import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type DuckDBConnection, version } from '@duckdb/node-api';
import { definitionOf, parquetRows, type StoredTables, writeParquetSql } from '@querygate/duckdb-import';
import type { Streams } from './streams.ts';
import { dayMs, type Writer } from './writer.ts';

interface DemoFilesOptions {
  /** The folder of all caches of the demo. */
  readonly folder: string;
  readonly connection: DuckDBConnection;
  readonly tables: StoredTables;
  readonly streams: Streams;
  readonly writer: Writer;
  /** The whole days of the rows, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Receives how much has been made, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

/** How long files stay that no start uses, because other SQL or tables made their rows. */
const unusedMs = 30 * dayMs;

/**
 * Makes the Parquet files of the rows of whole days that no earlier start has made, `<table>/<from>_<to>.<digest>.parquet`. The
 * digest is that of the content, so that a file which was cut or changed is made again.
 *
 * @returns the folder of the tables' folders: other SQL, other tables, or another DuckDB have another one
 */
export async function makeDemoFiles(options: DemoFilesOptions): Promise<string> {
  const { folder, tables, streams } = options;
  const sources = streams.all().map(({ table, source }) => [source, definitionOf(tables.get(table))]);
  const made = join(folder, `demo-${hash('sha256', JSON.stringify([version(), sources])).slice(0, 16)}`);
  const work = join(made, `.${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    for (const [at, { table }] of streams.all().entries())
      await makeFilesOf(table, join(made, table), join(work, 'rows'), {
        ...options,
        onProgress: (share) => options.onProgress((at + share) / streams.all().length),
      });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  utimesSync(made, new Date(), new Date());
  for (const name of readdirSync(folder).filter((one) => one.startsWith('demo-'))) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > unusedMs) rmSync(path, { recursive: true, force: true });
  }
  return made;
}

async function makeFilesOf(
  table: string,
  target: string,
  written: string,
  { connection, tables, streams, writer, from, to, onProgress }: DemoFilesOptions,
): Promise<void> {
  mkdirSync(target, { recursive: true });
  const missing = keepFilesOf(target, from, to);
  const stream = streams.get(table);
  if (missing === to || stream === undefined) return;
  await writer.fillAll([stream], { from: missing, to, hasFiles: true }, onProgress);
  const stored = tables.get(table);
  await connection.run(writeParquetSql(parquetRows(stored), written));
  await connection.run(`DELETE FROM ${stored.rows}`);
  const name = `${dayOf(missing)}_${dayOf(to)}.${hash('sha256', readFileSync(written))}.parquet`;
  renameSync(written, join(target, name));
  // Another process may have made some of the same rows meanwhile.
  keepFilesOf(target, from, to);
}

/** Removes the files of a table but those that are whole, and have each day once. @returns the first day that is missing */
function keepFilesOf(folder: string, from: number, to: number): number {
  let until = from;
  for (const name of readdirSync(folder).sort()) {
    const [, first, end = '', digest] = /^(.{10})_(.{10})\.(.{64})\.parquet$/.exec(name) ?? [];
    const begin = Date.parse(first ?? '');
    const isNext = until === from ? begin <= from : begin === until;
    const next = Date.parse(end);
    if (isNext && next > until && next <= to && hash('sha256', readFileSync(join(folder, name))) === digest)
      until = next;
    else rmSync(join(folder, name), { recursive: true, force: true });
  }
  return until;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
