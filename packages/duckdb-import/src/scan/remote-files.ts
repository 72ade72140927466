import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { globText } from '@querygate/bigquery-sql/command';
import { readRows } from '../store/statements.ts';
import { isRemote } from '../store/remote-path.ts';
import {
  compressedParquet,
  type DataFile,
  type DataFolder,
  findDataFiles,
  isCompressedParquet,
  isHidden,
  kindOf,
  otherTable,
  tableOf,
  type TableFiles,
  type UnreadFile,
} from './data-files.ts';

/** The files of a data folder, or of a bucket, by table. */
export const findFiles = (
  connection: DuckDBConnection,
  dataDir: string,
  tables: readonly TableSchema[],
): Promise<DataFolder> =>
  isRemote(dataDir) ? findRemoteFiles(connection, dataDir, tables) : findDataFiles(dataDir, tables);

/**
 * Lists the files of a bucket by table, as `findDataFiles` does those of a folder: one request for each thousand files. What is
 * not Parquet has a problem, because it would have to be copied.
 *
 * @throws Error if the bucket cannot be listed
 */
async function findRemoteFiles(
  connection: DuckDBConnection,
  dataDir: string,
  tables: readonly TableSchema[],
): Promise<DataFolder> {
  const root = dataDir.replace(/\/*$/, '/');
  const declared = new Map(tables.map(({ name }) => [name.toLowerCase(), name]));
  const isOfTable = (name: string) =>
    kindOf(name) !== undefined && !isHidden(name) && declared.has(tableOf(name).toLowerCase());
  const listed = await listBucket(connection, root, isOfTable);
  const found = new Map<string, { files: DataFile[]; unread: UnreadFile[]; problem?: string }>();
  const others = new Set<string>();
  for (const [path, size, micros] of listed) {
    const name = String(path).slice(root.length);
    const kind = kindOf(name);
    const problem = otherTable(name);
    if (problem === undefined && (kind === undefined || isHidden(name))) continue;
    const table = declared.get(tableOf(name).toLowerCase());
    if (table === undefined) {
      others.add(name.split('/', 1)[0] ?? name);
      continue;
    }
    const ofTable = found.get(table) ?? { files: [], unread: [] };
    found.set(table, ofTable);
    if (problem !== undefined) ofTable.problem ??= problem;
    if (kind === undefined || problem !== undefined) continue;
    if (name.includes('?')) {
      ofTable.unread.push({ name, reason: 'DuckDB reads no name with ? from a bucket: rename it' });
      continue;
    }
    const mtime = BigInt(String(micros)) * 1000n;
    const file = {
      ...kind,
      table,
      name,
      path: String(path),
      identity: name,
      size: Number(size),
      mtime,
      ctime: mtime,
    };
    if (isCompressedParquet(kind)) ofTable.unread.push({ name, reason: compressedParquet });
    else if (kind.format === 'parquet') ofTable.files.push(file);
    else
      ofTable.problem ??= `${name}: only Parquet is read from a bucket; querygate tables convert makes it of other files`;
  }
  return { tables: found satisfies Map<string, TableFiles>, others: [...others] };
}

/** Paths with their sizes and times, which are not known of each if a name has a `?`. */
async function listBucket(
  connection: DuckDBConnection,
  root: string,
  isOfTable: (name: string) => boolean,
): Promise<unknown[][]> {
  const pattern = globText(root).replace(/'$/, "**'");
  const list = (files: string) =>
    readRows(
      connection,
      `SELECT filename, size::DOUBLE, epoch_us(last_modified) FROM read_blob(${files}) ORDER BY filename`,
    );
  const listEach = async () => {
    const paths = (await readRows(connection, `FROM glob(${pattern})`)).map(([path]) => String(path));
    const { sized = [], others = [] } = Object.groupBy(paths, (path) => {
      const name = path.slice(root.length);
      return isOfTable(name) && !name.includes('?') ? 'sized' : 'others';
    });
    const found = sized.length === 0 ? [] : await list(`[${sized.map(globText).join(', ')}]`);
    return [...found, ...others.map((path) => [path])];
  };
  try {
    return await list(pattern);
  } catch (error) {
    // It takes what follows `?` for parameters, and refuses all files; to list them one by one takes a request for each.
    if (!/Invalid query parameters|Incorrect setting/.test(String(error))) throw error;
    return await listEach().catch((reason: unknown) => {
      // A file may be removed before its request.
      if (!/HTTP 404/.test(String(reason))) throw reason;
      return listEach();
    });
  }
}
