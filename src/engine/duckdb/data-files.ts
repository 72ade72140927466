import { readdirSync, realpathSync, statSync } from 'node:fs';
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

/** What a data folder holds for one table. */
export interface TableFiles {
  readonly files: readonly DataFile[];
  /** Of what cannot be looked at: a link that leads to itself, a folder without permission. */
  readonly problem?: string;
}

/**
 * What a data folder holds, by the name of the table: `<table>.<format>`, or anything below `<table>/`.
 * Tables without files have no entry; what is of no declared table, or of no known format, is left alone.
 */
export function findDataFiles(
  dataDir: string,
  tables: readonly TableSchema[],
): ReadonlyMap<string, TableFiles> {
  const found = new Map<string, TableFiles>();
  const named = new Map(tables.map(({ name }) => [name.toLowerCase(), name]));
  for (const top of readdirSync(dataDir).sort()) {
    const table = named.get(tableName(top).toLowerCase());
    if (table === undefined) continue;
    const { files, problem } = found.get(table) ?? { files: [] };
    const more = filesBelow(dataDir, top);
    const told = problem ?? more.problem;
    found.set(table, { files: [...files, ...more.files], ...(told === undefined ? {} : { problem: told }) });
  }
  return found;
}

/** The data files that an entry of the data folder is, or has below it. Links are followed, but never in a circle. */
function filesBelow(dataDir: string, name: string, within: readonly string[] = []): TableFiles {
  if (isHidden(name)) return { files: [] };
  const path = join(dataDir, name);
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isDirectory()) {
      const file = stats?.isFile() ? dataFile(path, name) : undefined;
      return { files: file ? [file] : [] };
    }
    const real = realpathSync(path);
    if (within.includes(real)) return { files: [] };
    const entries = readdirSync(path).sort();
    const below = entries.map((entry) => filesBelow(dataDir, join(name, entry), [...within, real]));
    const problem = below.find((entry) => entry.problem !== undefined)?.problem;
    return { files: below.flatMap(({ files }) => files), ...(problem === undefined ? {} : { problem }) };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { files: [], problem: `${name}: cannot be read: ${error.code}` };
  }
}

const tableName = (name: string) => name.split(sep, 1)[0]?.replace(/\..*/s, '') ?? '';

function dataFile(path: string, name: string): DataFile | undefined {
  const [, extension, compression] = /\.(ndjson|jsonl|json|csv|parquet)(?:\.(gz|zst))?$/i.exec(name) ?? [];
  if (extension === undefined) return undefined;
  return {
    name,
    path,
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
