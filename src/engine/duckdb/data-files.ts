import { readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { TableSchema } from '../../catalog/table-schema.ts';

/** One file of rows of one table. */
export interface DataFile {
  /** Where it stands below the data folder: for messages. */
  readonly name: string;
  /** What is read: the file itself, or a copy of it. */
  readonly path: string;
  readonly format: 'ndjson' | 'json' | 'csv' | 'parquet';
  readonly compression: 'gz' | 'zst' | undefined;
  /** What the folders say of its rows (`date=2026-01-01`): text by the key in lower case; null is no value. */
  readonly partition: Readonly<Record<string, string | null>>;
}

/**
 * The files of a data folder by the name of their table: `<table>.<format>`, or anything below `<table>/`.
 * Tables without files have no entry; files of no declared table, or of no known format, are left alone.
 */
export function findDataFiles(
  dataDir: string,
  tables: readonly TableSchema[],
): ReadonlyMap<string, readonly DataFile[]> {
  const named = new Map(tables.map(({ name }) => [name.toLowerCase(), name]));
  const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).sort();
  const found = names.flatMap((name) => {
    const file = dataFile(dataDir, name);
    const table = named.get(tableName(name).toLowerCase());
    return file === undefined || table === undefined ? [] : [{ table, file }];
  });
  return new Map(
    [...Map.groupBy(found, ({ table }) => table)].map(([table, files]) => [
      table,
      files.map(({ file }) => file),
    ]),
  );
}

const tableName = (name: string) => name.split(sep, 1)[0]?.replace(/\..*/s, '') ?? '';

function dataFile(dataDir: string, name: string): DataFile | undefined {
  const path = join(dataDir, name);
  const [, extension, compression] = /\.(ndjson|jsonl|json|csv|parquet)(?:\.(gz|zst))?$/i.exec(name) ?? [];
  if (extension === undefined || isHidden(name) || !isFile(path)) return undefined;
  return {
    name,
    path,
    format: formatOf(extension.toLowerCase()),
    compression: compression === undefined ? undefined : compression.toLowerCase() === 'gz' ? 'gz' : 'zst',
    partition: partitionOf(name),
  };
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** What other tools lay beside their data: `_temporary/`, `.part-0.json.crc` and the like. */
const isHidden = (name: string) => /(^|[\\/])[._]/.test(name);

function formatOf(extension: string): DataFile['format'] {
  if (extension === 'json' || extension === 'csv' || extension === 'parquet') return extension;
  return 'ndjson';
}

function partitionOf(name: string): DataFile['partition'] {
  const folders = name.split(sep).slice(1, -1);
  return Object.fromEntries(
    folders.flatMap((folder) => {
      const [, key, value] = /^([^=]+)=(.*)$/s.exec(folder) ?? [];
      if (key === undefined || value === undefined) return [];
      return [[key.toLowerCase(), value === '__HIVE_DEFAULT_PARTITION__' ? null : unescaped(value)]];
    }),
  );
}

/** Hive writes `%3A` for a colon; a lone percent sign is left as it is. */
const unescaped = (value: string) =>
  value.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString(),
  );
