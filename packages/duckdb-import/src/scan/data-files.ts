import type { BigIntStats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { forbiddenText } from '@querygate/text';
import { isRemote } from '../store/remote-path.ts';

/** A file with rows of one table, as of a scan of the data folder. */
export interface DataFile {
  /** The table's name, as declared. */
  readonly table: string;
  /** Path below the data folder. */
  readonly name: string;
  readonly path: string;
  readonly format: 'ndjson' | 'json' | 'csv' | 'parquet';
  readonly compression: 'gz' | 'zst' | undefined;
  /** Column values from the names of folders (`date=2026-01-01`), by the key in lower case. */
  readonly partition: Readonly<Record<string, string | null>>;
  /** Device and inode, which stay the same when the file is renamed. */
  readonly identity: string;
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly mtime: bigint;
  /** As `mtime`, of the last change of content or metadata, such as permissions. */
  readonly ctime: bigint;
}

/** Another name of a file of the same table, as a link gives it. */
export interface OtherName {
  readonly name: string;
  readonly path: string;
  readonly of: DataFile;
}

/** A file that is left out. */
export interface UnreadFile {
  readonly name: string;
  /** Why, and the cure, as the end of a sentence about it. */
  readonly reason: string;
}

/** The files of one table. */
export interface TableFiles {
  /** Each once. */
  readonly files: readonly DataFile[];
  readonly otherNames?: readonly OtherName[];
  readonly unread?: readonly UnreadFile[];
  /** Why a file or folder cannot be examined: a link to itself, a folder without permission. */
  readonly problem?: string;
}

/** The contents of a data folder. */
export interface DataFolder {
  /** The files of each table that has some. */
  readonly tables: ReadonlyMap<string, TableFiles>;
  /** The names of files with rows, and of folders, that are named after no declared table. */
  readonly others: readonly string[];
}

/**
 * Lists the files of a data folder by table: `<table>.<format>`, or anything below `<table>/`. Files are not read. Those of
 * unknown formats are ignored.
 */
export async function findDataFiles(dataDir: string, tables: readonly TableSchema[]): Promise<DataFolder> {
  const found = new Map<string, TableFiles>();
  const others: string[] = [];
  const declared = new Map(tables.map(({ name }) => [name.toLowerCase(), name]));
  for (const top of (await readdir(dataDir)).sort()) {
    const table = declared.get(tableOf(top).toLowerCase());
    if (table === undefined) {
      if (await hasRows(dataDir, top)) others.push(top);
      continue;
    }
    const more = await findFiles({ dataDir, table }, top, []);
    found.set(table, mergeFiles([found.get(table) ?? { files: [] }, more]));
  }
  for (const [table, files] of found) found.set(table, await eachOnce(dataDir, files));
  return { tables: found, others };
}

/** Of the names of a file, the first that no link gives is read; another partition of it has other rows. */
async function eachOnce(dataDir: string, found: TableFiles): Promise<TableFiles> {
  const groups = Map.groupBy(found.files, ({ identity }) => identity);
  if (groups.size === found.files.length) return found;
  const root = await realpath(dataDir);
  const otherNames: OtherName[] = [];
  for (const group of groups.values()) {
    if (group.length === 1) continue;
    const linked = new Set<DataFile>();
    for (const file of group) {
      const real = await realpath(file.path).catch(() => undefined);
      if (real !== join(root, file.name)) linked.add(file);
    }
    const rank = (file: DataFile) => `${Number(linked.has(file))} ${file.name}`;
    const [of, ...others] = group.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
    if (of === undefined) continue;
    for (const other of others)
      if (linked.has(other) || isSamePartition(other, of))
        otherNames.push({ name: other.name, path: other.path, of });
  }
  const names = new Set(otherNames.map(({ name }) => name));
  return { ...found, files: found.files.filter(({ name }) => !names.has(name)), otherNames };
}

const isSamePartition = ({ partition }: DataFile, other: DataFile) =>
  JSON.stringify(partition) === JSON.stringify(other.partition);

/**
 * True if an entry of a data folder is a file of a known format, or a folder with one or with partitions. It is not
 * searched further.
 */
async function hasRows(dataDir: string, top: string): Promise<boolean> {
  if (isHidden(top)) return false;
  const inside = await readdir(join(dataDir, top)).catch(() => undefined);
  if (inside === undefined) return kindOf(top) !== undefined;
  return inside.some((name) => !isHidden(name) && (kindOf(name) !== undefined || name.includes('=')));
}

interface Search {
  readonly dataDir: string;
  readonly table: string;
}

/**
 * The data files at or below an entry of the data folder. Links are followed, but loops are not.
 *
 * @param parents the real paths of the folders above
 */
async function findFiles(search: Search, name: string, parents: readonly string[]): Promise<TableFiles> {
  if (isHidden(name)) return { files: [] };
  const path = join(search.dataDir, name);
  try {
    const stats = await stat(path, { bigint: true });
    if (!stats.isDirectory()) {
      const kind = stats.isFile() ? kindOf(name) : undefined;
      if (isCompressedParquet(kind)) return { files: [], unread: [{ name, reason: compressedParquet }] };
      return {
        files: kind === undefined ? [] : [{ ...kind, table: search.table, name, path, ...statOf(stats) }],
      };
    }
    const real = await realpath(path);
    if (parents.includes(real)) return { files: [] };
    const entries = (await readdir(path)).sort();
    const metadata = entries.includes('metadata') ? await metadataIn(path) : [];
    const problem = [...entries, ...metadata].map((entry) => otherTable(`${name}/${entry}`)).find(Boolean);
    if (problem !== undefined) return { files: [], problem };
    const inside = [...parents, real];
    return mergeFiles(
      await Promise.all(entries.map((entry) => findFiles(search, join(name, entry), inside))),
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ENOENT')
      return {
        files: [],
        problem: `${name}: ${forbiddenReason(error, path) ?? `cannot be read: ${error.code}`}`,
      };
    if (await isLink(path)) return { files: [], problem: `${name}: is a link to nothing` };
    // Otherwise it was removed since its folder was listed.
    const isMisread = name.includes('\uFFFD') && (kindOf(name) !== undefined || extname(name) === '');
    return { files: [], unread: isMisread ? [{ name, reason: 'its name is not UTF-8: rename it' }] : [] };
  }
}

/** Why a file or folder may not be read; undefined for other errors. */
export function forbiddenReason(error: unknown, path: string): string | undefined {
  const code =
    error instanceof Error ? ('code' in error ? error.code : codeOfDuckdb(error, path)) : undefined;
  if (code !== 'EACCES' && code !== 'EPERM') return undefined;
  return `cannot be read (${code})${forbiddenText(path, 'read')}`;
}

const codeOfDuckdb = ({ message }: Error, path: string): string | undefined =>
  message.includes(`"${path}": Permission denied`) ? 'EACCES' : undefined;

/** A volume that is not mounted leaves a link to nothing: its rows are not gone. */
const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );

const statOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) => ({
  identity: `${dev}:${ino}`,
  size: Number(size),
  mtime: mtimeNs,
  ctime: ctimeNs,
});

function mergeFiles(parts: readonly TableFiles[]): TableFiles {
  const problem = parts.find((part) => part.problem !== undefined)?.problem;
  return {
    files: parts.flatMap(({ files }) => files),
    unread: parts.flatMap(({ unread = [] }) => unread),
    ...(problem === undefined ? {} : { problem }),
  };
}

export const isCompressedParquet = (kind: Pick<DataFile, 'format' | 'compression'> | undefined): boolean =>
  kind?.format === 'parquet' && kind.compression !== undefined;

export const compressedParquet =
  'Parquet compresses its columns itself: decompress it with gunzip or unzstd, to a name that ends in .parquet';

const metadataIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(join(folder, 'metadata')).catch(() => [])).map((name) => `metadata/${name}`);

/** Formats of tables whose folders have files of removed rows, too, by the names of their metadata. */
const otherTables: readonly (readonly [kind: string, metadata: RegExp])[] = [
  // `v1.metadata.json`, `00000-<uuid>.metadata.json`
  ['an Iceberg table', /\/metadata\/v?\d+[^/]*\.metadata\.json$/],
  ['a table of Delta Lake', /\/_delta_log(?:\/|$)/],
  ['a table of Hudi', /\/\.hoodie(?:\/|$)/],
];

/** Why the folder is not read whose metadata has a name; undefined for other names. */
export function otherTable(name: string): string | undefined {
  for (const [kind, metadata] of otherTables) {
    const end = name.search(metadata);
    if (end > 0 && !isHidden(name.slice(0, end)))
      return `${name.slice(0, end)}: is ${kind}, which is not read: write its rows as Parquet files elsewhere`;
  }
  return undefined;
}

/** The name of the table whose rows a file or folder of a data folder has. */
export const tableOf = (name: string) => name.split(sep, 1)[0]?.replace(/\..*/s, '') ?? '';

/** The properties of a data file that its name shows; undefined for other files. */
export function kindOf(name: string): Pick<DataFile, 'format' | 'compression' | 'partition'> | undefined {
  const [, extension, compression] = /\.(ndjson|jsonl|json|csv|parquet)(?:\.(gz|zst))?$/i.exec(name) ?? [];
  if (extension === undefined) return undefined;
  const known = formats.find((format) => format === extension.toLowerCase());
  return {
    format: known ?? 'ndjson',
    compression: compression === undefined ? undefined : /gz/i.test(compression) ? 'gz' : 'zst',
    partition: partitionOf(name),
  };
}

/** Lines of JSON have two extensions. */
const formats = ['json', 'csv', 'parquet'] as const;

/** True if a file has changed, or has been removed, since the folder was scanned. */
export async function hasChanged({ path, size, mtime }: DataFile): Promise<boolean> {
  // DuckDB compares the tag of a file in a bucket with each request.
  if (isRemote(path)) return false;
  try {
    const now = await stat(path, { bigint: true });
    return Number(now.size) !== size || now.mtimeNs !== mtime;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT';
  }
}

/** Files that other tools put beside their data: `_temporary/`, `.part-0.json.crc` and the like. */
export const isHidden = (name: string) => name.split(sep).some((part) => /^[._]/.test(part));

/** The column values that the folders of a name give. */
function partitionOf(name: string): DataFile['partition'] {
  const folders = name.split(sep).slice(1, -1);
  const values = folders.flatMap((folder): [string, string | null][] => {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(folder) ?? [];
    if (key === undefined || value === undefined) return [];
    return [[key.toLowerCase(), value === '__HIVE_DEFAULT_PARTITION__' ? null : decodePercent(value)]];
  });
  // Without a prototype, whose names could be those of columns.
  return { __proto__: null, ...Object.fromEntries(values) };
}

/** Hive writes `%3A` for a colon; a lone percent sign is left as it is. */
const decodePercent = (value: string) =>
  value.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString(),
  );

/** True if lines that are appended to a file of this kind can be imported without the lines before. */
export const canGrow = ({ format, compression }: Pick<DataFile, 'format' | 'compression'>): boolean =>
  format === 'ndjson' && compression === undefined;

/** True if two names mean the same format and partition, so that a renamed file's rows stay valid. */
export function isSameKind(name: string, otherName: string): boolean {
  return JSON.stringify(kindOf(name)) === JSON.stringify(kindOf(otherName));
}
