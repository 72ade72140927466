import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import { didYouMean } from '@querygate/text';
import { scalarNames } from '../duckdb/bigquery-type.ts';
import { quoteText } from '../tree/quote-text.ts';
import { quote } from '../types.ts';
import { commandError } from './parameter-option.ts';

/** A file, or a pattern of files, whose rows are a table. */
export interface DataFile {
  readonly table: string;
  readonly path: string;
}

interface Format {
  readonly pattern: RegExp;
  /** DuckDB's table function, without its last bracket. */
  readonly reader: (path: string) => string;
  /** Without types of its own: a moment without a zone is a TIMESTAMP in UTC, as BigQuery loads it. */
  readonly isText: boolean;
}

const compressed = String.raw`(?:\.(?:gz|zst))?$`;

const formats: readonly Format[] = [
  {
    pattern: new RegExp(String.raw`\.(?:csv|tsv)${compressed}`, 'i'),
    reader: (path) => `read_csv(${path}, header = true, allow_quoted_nulls = false, union_by_name = true)`,
    isText: true,
  },
  {
    pattern: new RegExp(String.raw`\.(?:ndjson|jsonl)${compressed}`, 'i'),
    reader: (path) => `read_json(${path}, format = 'newline_delimited', union_by_name = true)`,
    isText: true,
  },
  {
    pattern: /\.parquet$/i,
    reader: (path) => `read_parquet(${path}, union_by_name = true)`,
    isText: false,
  },
];

const formatOf = (path: string) => formats.find(({ pattern }) => pattern.test(path));

/** `events.csv`, or `events=logs/*.parquet`; undefined for an argument that is SQL. */
export function parseDataFile(text: string): DataFile | undefined {
  const [, name, path = ''] = /^(?:([a-z_][\w-]*)=)?([^\n;]+)$/i.exec(text) ?? [];
  if (formatOf(path) === undefined || /^\s*(?:select|with|from)\s/i.test(text)) return undefined;
  return { table: name ?? basename(path).replace(/\..*$/, ''), path };
}

/**
 * Makes a view of each file, with types that BigQuery has.
 *
 * @throws ProblemError if a file cannot be read
 */
export async function openDataFiles(connection: DuckDBConnection, files: readonly DataFile[]): Promise<void> {
  const tables = new Map<string, string>();
  for (const { table, path } of files) {
    const other = tables.get(table.toLowerCase());
    if (other !== undefined)
      throw commandError(`${other} and ${path} are both the table ${table}: write name=${path}`);
    tables.set(table.toLowerCase(), path);
    await openDataFile(connection, table, path);
  }
}

async function openDataFile(connection: DuckDBConnection, table: string, path: string): Promise<void> {
  const format = formatOf(path);
  const isPattern = /[*?[]/.test(path);
  if (format === undefined || (!isPattern && !existsSync(path)))
    throw commandError(`${path} does not exist${didYouMean(path, neighbours(path))}`);
  const source = format.reader(quoteText(path));
  try {
    const rows = await connection.run(`FROM ${source} LIMIT 0`);
    const types = rows.columnTypes();
    const columns = rows.columnNames().map((name, at) => {
      const type = types[at];
      const known = type && knownType(type, format.isText);
      return known === undefined ? quote(name) : `CAST(${quote(name)} AS ${known}) AS ${quote(name)}`;
    });
    await connection.run(`CREATE VIEW ${quote(table)} AS SELECT ${columns.join(', ')} FROM ${source}`);
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw commandError(`${path} cannot be read: ${reason.replace(/^[\w ]+ Error: /, '')}`);
  }
}

/** Data files that may be meant, as they would be written. */
function neighbours(path: string): readonly string[] {
  const folder = dirname(path);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const start = path.slice(0, path.length - basename(path).length);
  return names.filter((name) => formatOf(name) !== undefined).map((name) => `${start}${name}`);
}

/** The type of DuckDB that holds the values as BigQuery would; undefined if it is the given one. */
function knownType(type: DuckDBType, isText: boolean): string | undefined {
  if (type.typeId === DuckDBTypeId.LIST) {
    // BigQuery has no arrays of arrays.
    if (type.valueType.typeId === DuckDBTypeId.LIST) return 'JSON';
    const element = knownType(type.valueType, isText);
    return element && `${element}[]`;
  }
  if (type.typeId === DuckDBTypeId.STRUCT) {
    const types = type.entryTypes.map((entry) => knownType(entry, isText));
    if (types.every((one) => one === undefined)) return undefined;
    const fields = type.entryTypes.map(
      (entry, at) => `${quote(type.entryNames[at] ?? '')} ${types[at] ?? String(entry)}`,
    );
    return `STRUCT(${fields.join(', ')})`;
  }
  if (type.typeId === DuckDBTypeId.TIMESTAMP) return isText ? 'TIMESTAMPTZ' : undefined;
  if (type.alias === 'JSON') return undefined;
  return otherTypes[type.typeId] ?? (scalarNames[type.typeId] === undefined ? 'VARCHAR' : undefined);
}

const otherTypes: Readonly<Partial<Record<DuckDBTypeId, string>>> = {
  [DuckDBTypeId.UTINYINT]: 'BIGINT',
  [DuckDBTypeId.USMALLINT]: 'BIGINT',
  [DuckDBTypeId.UINTEGER]: 'BIGINT',
  [DuckDBTypeId.UBIGINT]: 'DECIMAL(38, 9)',
  [DuckDBTypeId.HUGEINT]: 'DECIMAL(38, 9)',
  [DuckDBTypeId.UHUGEINT]: 'DECIMAL(38, 9)',
  [DuckDBTypeId.TIMESTAMP_S]: 'TIMESTAMPTZ',
  [DuckDBTypeId.TIMESTAMP_MS]: 'TIMESTAMPTZ',
  [DuckDBTypeId.TIMESTAMP_NS]: 'TIMESTAMPTZ',
  [DuckDBTypeId.MAP]: 'JSON',
};
