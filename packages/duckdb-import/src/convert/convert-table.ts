import { constants, existsSync } from 'node:fs';
import { access, mkdir, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { fileReason } from '@querygate/bigquery-sql/command';
import { reservedName } from '@querygate/bigquery-sql/duckdb';
import { type Problem, ProblemError } from '@querygate/bigquery-sql/problem';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quoteText, type StoredColumn } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import { isOutOfSpace, outOfSpaceMessage } from '../store/disk-space.ts';
import { countRows } from '../load/read-footer.ts';
import { openImport } from '../open-import.ts';
import { progressText } from '../report/progress.ts';
import { type DataFile, findDataFiles, hasChanged, isHidden } from '../scan/data-files.ts';
import { findChanges } from '../scan/find-changes.ts';
import { importStore } from '../store/import-store.ts';
import { loadManifest, type ManifestEntry } from '../store/manifest.ts';
import { openStore, type Store } from '../store/open-store.ts';
import type { SortColumns } from '../store/inserted-rows.ts';
import { readRows } from '../store/statements.ts';
import { openTables, type StoredTables } from '../store/stored-tables.ts';
import type { TableInStore } from '../store/table-in-store.ts';
import { valuesLeftOut } from './values-left-out.ts';
import { parquetRows, storedRows, writeParquetSql } from './parquet-rows.ts';

/** The files of a table that are to become Parquet, and where. */
export interface ConvertOptions {
  /** Opens a connection of one database, which has the host functions, to nothing yet. */
  readonly connect: () => Promise<DuckDBConnection>;
  readonly table: TableSchema;
  /** The folder of the table's files, which stay as they are unless `removesSources`. */
  readonly dataDir: string;
  /** The folder in which the files are made: `<table>/<day>.parquet`. */
  readonly to: string;
  /** The columns by which rows of a day are sorted before time, given the stored table; the first counts. */
  readonly sortColumns: (table: TableInStore) => ReturnType<SortColumns>;
  /** True to remove each source of which all values are in the new files. */
  readonly removesSources: boolean;
  readonly onProblem: (message: string) => void;
  /** Receives lines of text. */
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The outcome of a conversion. */
export interface Converted {
  readonly rows: number;
  /** Rows of the sources that cannot be read, and are in no file. */
  readonly rejected: number;
  readonly files: number;
  /** The sources that are not removed although they were to be, each with the reason. */
  readonly kept: readonly Problem[];
}

/**
 * Makes Parquet files of all files of a table: one for each day, sorted by the first sort column and by time. The rows are
 * imported into a store of its own first, and each file is read again and compared with it, so that each row is in the files
 * once, also if the process is killed at any moment and started again.
 *
 * @throws ProblemError if a source or the target cannot be used, or the disk is full: the next conversion goes on from there
 */
export async function convertTable(options: ConvertOptions): Promise<Converted> {
  const { connect, onProgress, table: schema, to } = options;
  await requireOtherFolder(options);
  const target = join(to, schema.name);
  const work = join(to, `.${schema.name}`);
  await requireOwnFolder(work);
  if (existsSync(target) && !existsSync(work) && (await readdir(target)).length > 0)
    throw problem(`${target} has files already; give a folder without`);
  await mkdir(target, { recursive: true });
  await mkdir(work, { recursive: true, mode: 0o700 });
  // DuckDB would say it in its own words, with the statement.
  await access(target, constants.W_OK);
  const connection = await connect();
  const store = await openStore(connection, join(work, 'store.duckdb'));
  try {
    const isWritten = existsSync(join(work, written));
    const tables = await openTables(await connect(), [schema]);
    tables.setSortColumns((name) => options.sortColumns(tables.get(name)));
    if (!isWritten) await importAll(options, { store, tables });
    const days = await daysOf(connection, tables.get(schema.name));
    if (!isWritten) {
      for (const [at, day] of days.entries()) {
        options.signal.throwIfAborted();
        await writeDay(connection, tables.get(schema.name), target, day, options);
        onProgress(`writing ${Math.floor((100 * (at + 1)) / days.length)} % | ${day.name}.parquet`);
      }
      await removeOthers(target, days);
    }
    const { entries } = await loadManifest(connection);
    if (options.removesSources) await requireAllRows(connection, target, [...entries.values()]);
    const kept = options.removesSources
      ? await removeSources(options, connection, [...entries.values()])
      : [];
    await connection.run('DETACH store').catch(() => {});
    await rm(work, { recursive: true });
    const rejected = sum([...entries.values()].map((entry) => entry.rejected));
    return { rows: sum(days.map(({ rows }) => rows)), rejected, files: days.length, kept };
  } catch (error) {
    if (!isOutOfSpace(error)) throw await sourceProblem(options, error);
    const shortage = outOfSpaceMessage(error, `the disk of ${to} is full`);
    throw problem(`${shortage}; the same command goes on once it has room`);
  } finally {
    await store.close();
  }
}

/** The problem of the source that an error of DuckDB names; another error as it is. */
async function sourceProblem({ dataDir, table }: ConvertOptions, error: unknown): Promise<unknown> {
  const message = error instanceof Error ? error.message : '';
  const { tables } = await findDataFiles(dataDir, [table]);
  const file = tables.get(table.name)?.files.find(({ path }) => message.includes(path));
  return file ? problem(`${file.name}: ${await fileReason(message)}; ${fileAdvice}`) : error;
}

const fileAdvice = 'replace, remove or rename the file';

/** Of a path of which only the folders above may exist. @throws Error if one of those is a file */
const realPath = (path: string): Promise<string> =>
  realpath(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR') throw error;
    return join(await realPath(dirname(resolve(path))), basename(path));
  });

/** @throws ProblemError if the new files could be sources, of this table or another */
async function requireOtherFolder({ dataDir, table, to }: ConvertOptions): Promise<void> {
  const target = await realPath(join(to, table.name));
  const tops = await readdir(dataDir, { withFileTypes: true }).catch(() => []);
  const links = tops.filter((top) => top.isSymbolicLink() && !isHidden(top.name));
  const paths = [dataDir, ...links.map(({ name }) => join(dataDir, name))];
  // A link that leads nowhere has no files.
  const found = await Promise.all(paths.map((path) => realPath(path).catch(() => undefined)));
  const folders = found.filter((path) => path !== undefined);
  // A path that leaves a folder begins with a dot, too.
  if (folders.every((folder) => isHidden(relative(folder, target)))) return;
  const isSame = (await realPath(to)) === folders[0];
  throw problem(
    `${to} is ${isSame ? '' : 'within '}the folder of the sources, whose rows could be read twice; give another one`,
  );
}

/** The name of the file that says that all rows are in the new files, and sources are being removed. */
const written = 'written';

/** A folder of an earlier conversion has its store, and nothing of others, because it is removed at the end. */
async function requireOwnFolder(work: string): Promise<void> {
  const names = await readdir(work).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  const other = names.find(
    (name) => name !== written && !/^store\.duckdb(?:\.(?:wal|scratch|spill|sandboxes))?$/.test(name),
  );
  if (other !== undefined)
    throw problem(
      `${work} is needed for the conversion, and ${other} in it is of others; give another folder`,
    );
}

const problem = (message: string) => new ProblemError('The files cannot be converted', [{ message }]);

async function importAll(
  { connect, dataDir, onProblem, onProgress, signal, table: { name } }: ConvertOptions,
  { store, tables }: { readonly store: Store; readonly tables: StoredTables },
): Promise<void> {
  const startedAt = performance.now();
  const data = await openImport({
    ...importStore(connect, store, tables),
    ...{ dataDir, signal },
    events: {
      problem: onProblem,
      progress: (progress) => onProgress(progressText(progress, performance.now() - startedAt)),
    },
  });
  try {
    const { interruption, isComplete, waitingSince, leftOut = [] } = await data.sync();
    for (const warning of leftOut) onProblem(warning);
    // The problem of the table is then that its files wait.
    if (interruption !== undefined)
      throw problem(`${interruption}; the same command goes on once it has room`);
    const [unreadable] = waitingSince === undefined ? data.problems.values() : [];
    if (unreadable !== undefined) throw problem(`${unreadable}; ${fileAdvice}`);
    if (!isComplete || waitingSince !== undefined)
      throw problem(`files of ${name} are not imported yet; the same command goes on`);
  } finally {
    await data.close();
  }
}

interface Day {
  readonly name: string;
  /** SQL of a condition. */
  readonly condition: string;
  readonly rows: number;
}

/** The days of a table, oldest first; all rows at once, if it has no column of times. */
async function daysOf(
  connection: DuckDBConnection,
  { relation, time }: TableInStore,
): Promise<readonly Day[]> {
  const day = time === undefined ? "'all'" : `strftime(date_trunc('day', ${quote(time)}), '%Y-%m-%d')`;
  const found = await readRows(
    connection,
    // By position: names could be those of columns.
    `SELECT ${day}, count(*)::DOUBLE FROM ${relation} GROUP BY 1 ORDER BY 1`,
  );
  return found.map(([name, rows]) => {
    const from = `${quoteText(`${name} 00:00:00+00`)}::TIMESTAMPTZ`;
    const isOfDay = `${quote(time ?? '')} >= ${from} AND ${quote(time ?? '')} < ${from} + INTERVAL 1 DAY`;
    return { name: String(name), condition: time === undefined ? 'true' : isOfDay, rows: Number(rows) };
  });
}

/** Writes the file of a day, unless an earlier conversion has written it. */
async function writeDay(
  connection: DuckDBConnection,
  table: TableInStore,
  target: string,
  { condition, name }: Day,
  { sortColumns }: ConvertOptions,
): Promise<void> {
  const rows = `${parquetRows(table)} WHERE ${condition}`;
  const stored = Iterator.from(sortColumns(table)).map(({ path }) => path);
  const [tenant] = stored.filter((path) => isStored(table.columns, path)).take(1);
  const order = [tenant, table.time].flatMap((path) => (path === undefined ? [] : [quote(path)]));
  const expected = await checksum(connection, `${await storedRows(connection, table)} WHERE ${condition}`);
  const file = join(target, `${name}.parquet`);
  const isSame = async (path: string) =>
    (await checksum(connection, await storedRows(connection, table, path))) === expected;
  if (existsSync(file) && (await isSame(file).catch(() => false))) return;
  const unfinished = join(target, `.${name}.parquet`);
  const sorted = `${rows}${order.length > 0 ? ` ORDER BY ${order.join(', ')}` : ''}`;
  await connection.run(writeParquetSql(sorted, unfinished));
  if (!(await isSame(unfinished)))
    throw problem(`${file}: the rows that were written are not those that were read`);
  await rename(unfinished, file);
}

/** The number of rows, and of their hashes two sums that do not depend on their order. */
async function checksum(connection: DuckDBConnection, rows: string): Promise<string> {
  const row = quote(reservedName('row'));
  const sums = `SELECT count(*)::VARCHAR, sum(hash(${row}))::VARCHAR, bit_xor(hash(${row}))::VARCHAR FROM (${rows}) AS ${row}`;
  return (await readRows(connection, sums)).join();
}

const isStored = (columns: readonly StoredColumn[], path: string, prefix = ''): boolean =>
  columns.some(({ fields, name }) =>
    fields ? isStored(fields, path, `${prefix}${name}.`) : `${prefix}${name}` === path,
  );

/** Files of an earlier conversion, whose rows were in sources that are gone. */
async function removeOthers(target: string, days: readonly Day[]): Promise<void> {
  const names = new Set(days.map(({ name }) => `${name}.parquet`));
  const others = (await readdir(target)).filter((name) => !names.has(name));
  for (const name of others) if (convertedFile.test(name)) await rm(join(target, name));
}

const convertedFile = /^\.?(?:all|null|-?\d+-\d\d-\d\d(?: \(BC\))?)\.parquet$/;

/** @throws ProblemError unless the new files together have as many rows as the sources had */
async function requireAllRows(
  connection: DuckDBConnection,
  target: string,
  entries: readonly ManifestEntry[],
): Promise<void> {
  const files = (await readdir(target)).filter((name) => convertedFile.test(name));
  const counts = await Promise.all(files.map((name) => countRows(connection, join(target, name))));
  const [rows, read] = [sum(counts), sum(entries.map((entry) => entry.rows))];
  if (rows !== read)
    throw problem(`${target}: its files have ${rows} rows, of ${read} in the sources, which are left`);
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

/**
 * Removes the sources of which all values are in the new files.
 *
 * @returns those that are left, each with the reason
 * @throws ProblemError if one has changed since it was read: none is removed, unless an earlier conversion has begun to
 */
async function removeSources(
  options: ConvertOptions,
  connection: DuckDBConnection,
  entries: readonly ManifestEntry[],
): Promise<readonly Problem[]> {
  const { dataDir, signal, table } = options;
  const { tables } = await findDataFiles(dataDir, [table]);
  const { files = [], otherNames = [], unread = [] } = tables.get(table.name) ?? {};
  const found = findChanges(files, entries);
  const changed = new Set([...found.changed, ...found.touched].map(({ file }) => file));
  const imported = new Map(entries.map((entry) => [entry.name, entry]));
  const kept: Problem[] = [];
  const removable: DataFile[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    if (changed.has(file)) continue;
    const entry = imported.get(file.name) ?? { rows: 0, rejected: 0 };
    const message = await valuesLeftOut({ connection, file, table }, entry);
    if (message === undefined) removable.push(file);
    else kept.push({ file: file.path, message });
  }
  const begun = join(options.to, `.${table.name}`, written);
  if (!existsSync(begun)) {
    for (const file of files) if (await hasChanged(file)) changed.add(file);
    const [first] = changed;
    if (first !== undefined)
      throw problem(
        `${first.name} is new or has changed since it was read, so that no source is removed; the same command goes on once nothing writes to it`,
      );
    // From here on, a source that is missing is not a source whose rows are to go.
    await writeFile(begun, '');
  }
  for (const file of removable) {
    if (await hasChanged(file)) changed.add(file);
    else {
      await rm(file.path);
      const names = otherNames.filter(({ of }) => of === file);
      for (const { path } of names) await rm(path, { force: true });
    }
  }
  for (const { name, reason } of unread)
    kept.push({ file: join(dataDir, name), message: `is kept, and not read, because ${reason}` });
  const [first] = changed;
  if (first !== undefined)
    throw problem(
      `${first.name} is new or has changed since it was read, and is left; ${imported.get(first.name)?.rows ?? 0} rows of it are in the new files, and the other sources are removed`,
    );
  return kept;
}
