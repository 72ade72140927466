import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { TableSchema } from '../../../../catalog/tables/table-schema.ts';

/** One file of rows of one table, as it was when it was looked at. */
export interface DataFile {
  /** Of the table, as declared. */
  readonly table: string;
  /** Where it stands below the data folder: for messages. */
  readonly name: string;
  readonly path: string;
  readonly format: 'ndjson' | 'json' | 'csv' | 'parquet';
  readonly compression: 'gz' | 'zst' | undefined;
  /** What the folders say of its rows (`date=2026-01-01`): text by the key in lower case; null is no value. */
  readonly partition: Readonly<Record<string, string | null>>;
  /** Device and inode: what stays when a file is renamed. */
  readonly identity: string;
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly mtime: bigint;
  /** As `mtime`, of the last change of anything, permissions too. */
  readonly ctime: bigint;
}

/** What a data folder holds for one table. */
export interface TableFiles {
  readonly files: readonly DataFile[];
  /** Of what cannot be looked at: a link that leads to itself, a folder without permission. */
  readonly problem?: string;
}

/**
 * What a data folder holds, by the name of the table: `<table>.<format>`, or anything below `<table>/`. Nothing is read.
 * Tables without files have no entry; what is of no declared table, or of no known format, is left alone.
 */
export async function findDataFiles(
  dataDir: string,
  tables: readonly TableSchema[],
): Promise<ReadonlyMap<string, TableFiles>> {
  const found = new Map<string, TableFiles>();
  const named = new Map(tables.map(({ name }) => [name.toLowerCase(), name]));
  for (const top of (await readdir(dataDir)).sort()) {
    const table = named.get(tableName(top).toLowerCase());
    if (table === undefined) continue;
    const more = await filesBelow({ dataDir, table }, top, []);
    found.set(table, mergeFiles([found.get(table) ?? { files: [] }, more]));
  }
  return found;
}

interface Place {
  readonly dataDir: string;
  readonly table: string;
}

/** The data files that an entry of the data folder is, or has below it. Links are followed, but never in a circle. */
async function filesBelow(place: Place, name: string, within: readonly string[]): Promise<TableFiles> {
  if (isHidden(name)) return { files: [] };
  const path = join(place.dataDir, name);
  try {
    const stats = await stat(path, { bigint: true });
    if (!stats.isDirectory()) {
      const kind = stats.isFile() ? kindOf(name) : undefined;
      if (kind === undefined) return { files: [] };
      const { size, mtimeNs: mtime, ctimeNs: ctime, dev, ino } = stats;
      const identity = `${dev}:${ino}`;
      const times = { mtime, ctime };
      return { files: [{ ...kind, table: place.table, name, path, identity, size: Number(size), ...times }] };
    }
    const real = await realpath(path);
    if (within.includes(real)) return { files: [] };
    const entries = (await readdir(path)).sort();
    const inside = [...within, real];
    return mergeFiles(
      await Promise.all(entries.map((entry) => filesBelow(place, join(name, entry), inside))),
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // Gone since its folder was listed, or a link to nothing.
    if (error.code === 'ENOENT') return { files: [] };
    return { files: [], problem: `${name}: cannot be read: ${error.code}` };
  }
}

function mergeFiles(parts: readonly TableFiles[]): TableFiles {
  const problem = parts.find((part) => part.problem !== undefined)?.problem;
  return { files: parts.flatMap(({ files }) => files), ...(problem === undefined ? {} : { problem }) };
}

const tableName = (name: string) => name.split(sep, 1)[0]?.replace(/\..*/s, '') ?? '';

function kindOf(name: string): Pick<DataFile, 'format' | 'compression' | 'partition'> | undefined {
  const [, extension, compression] = /\.(ndjson|jsonl|json|csv|parquet)(?:\.(gz|zst))?$/i.exec(name) ?? [];
  if (extension === undefined) return undefined;
  return {
    format: formatOf(extension.toLowerCase()),
    compression: compression === undefined ? undefined : compression.toLowerCase() === 'gz' ? 'gz' : 'zst',
    partition: partitionOf(name),
  };
}

/** What other tools lay beside their data: `_temporary/`, `.part-0.json.crc` and the like. */
const isHidden = (name: string) => /(^|[\\/])[._]/.test(name);

function formatOf(extension: string): DataFile['format'] {
  if (extension === 'json' || extension === 'csv' || extension === 'parquet') return extension;
  return 'ndjson';
}

/** What the folders of a name say, as it stands in `DataFile`. */
export function partitionOf(name: string): DataFile['partition'] {
  const folders = name.split(sep).slice(1, -1);
  return Object.fromEntries(
    folders.flatMap((folder) => {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(folder) ?? [];
      if (key === undefined || value === undefined) return [];
      return [[key.toLowerCase(), value === '__HIVE_DEFAULT_PARTITION__' ? null : decodePercent(value)]];
    }),
  );
}

/** Hive writes `%3A` for a colon; a lone percent sign is left as it is. */
const decodePercent = (value: string) =>
  value.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString(),
  );

/** Whether lines appended to a file of this kind can be taken by themselves. */
export const canGrow = ({ format, compression }: Pick<DataFile, 'format' | 'compression'>): boolean =>
  format === 'ndjson' && compression === undefined;

/** Whether two names mean rows of the same kind, so that a renamed file keeps what was taken of it. */
export function isSameKind(one: string, other: string): boolean {
  return JSON.stringify(kindOf(one)) === JSON.stringify(kindOf(other));
}
