import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { type DuckDBConnection, type DuckDBType, DuckDBTypeId, VARCHAR } from '@duckdb/node-api';
import { didYouMean, foldName } from '@querygate/text';
import { scalarNames } from '../duckdb/bigquery-type.ts';
import { scalarValue } from '../duckdb/layout/scalar-value.ts';
import {
  type Column,
  columnsOf,
  isPlainText,
  pathsBeyondInt64,
  pathsWhere,
  sampledRows,
  sampledValues,
  wideTypes,
} from '../duckdb/layout/value-paths.ts';
import { findWideDecimal } from '../duckdb/layout/wide-decimals.ts';
import { dataRowOf, describeDataRow } from '../files/data-row.ts';
import { quoteText } from '../tree/quote-text.ts';
import { quote } from '../types.ts';
import {
  areMoments,
  areWideIntegers,
  fileReason,
  globText,
  isoDates,
  lineEndProblem,
  separatorOf,
  textStart,
} from './csv-file.ts';
import { commandError } from './parameter-option.ts';

/** A file, or a pattern of files, whose rows are a table. */
export interface DataFile {
  readonly table: string;
  readonly path: string;
}

interface Format {
  readonly pattern: RegExp;
  /** DuckDB's table function. */
  readonly reader: (path: string, separator: string, moreOptions?: string) => string;
  /** Without types of its own: a moment without a zone is a TIMESTAMP in UTC, as BigQuery loads it. */
  readonly isText: boolean;
}

const compressed = String.raw`(?:\.(?:gz|zst))?$`;

const formats: readonly Format[] = [
  {
    pattern: new RegExp(String.raw`\.(?:csv|tsv)${compressed}`, 'i'),
    // Otherwise DuckDB skips lines until one has as many values as the most.
    reader: (path, separator, moreOptions = '') =>
      `read_csv(${path}, header = true, skip = 0, delim = ${quoteText(separator)}, allow_quoted_nulls = false, union_by_name = true, ${isoDates}${moreOptions})`,
    isText: true,
  },
  {
    pattern: new RegExp(String.raw`\.(?:ndjson|jsonl)${compressed}`, 'i'),
    reader: (path) =>
      `read_json(${path}, format = 'newline_delimited', union_by_name = true, ${isoDates}, timestampformat = 'iso')`,
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
 * Refuses an argument that is a file neither of rows nor of SQL.
 *
 * @throws ProblemError
 */
export function checkNotFile(text: string): void {
  const path = text.replace(/^[a-z_][\w-]*=/i, '');
  if (path.length > 4096 || /\n/.test(path) || !existsSync(path)) return;
  const ending = extname(path);
  // Statements, which are read as with -f.
  if (path === text && /^\.(?:sql|json)$/i.test(ending)) return;
  if (/^\.(?:sql|bqsql)$/i.test(ending)) throw commandError(`${path} has SQL: write -f ${path}`);
  checkNotFolder(path);
  throw commandError(
    `${path}: ${ending === '' ? 'a file without an ending' : ending} is not read; save it as CSV`,
  );
}

function checkNotFolder(path: string): void {
  if (!statSync(path).isDirectory()) return;
  // Spark writes a folder of files with the name of one.
  const [ending] = (formatOf(path) && /\.\w+(?:\.(?:gz|zst))?$/i.exec(path)) ?? ['.csv'];
  throw commandError(`${path} is a folder: write name='${path}/*${ending}' for its files as one table`);
}

/**
 * Makes a view of each file, with types that BigQuery has.
 *
 * @throws ProblemError if a file cannot be read
 */
export async function openDataFiles(connection: DuckDBConnection, files: readonly DataFile[]): Promise<void> {
  const tables = new Map<string, string>();
  for (const { table, path } of files) {
    const other = tables.get(foldName(table));
    if (other !== undefined)
      throw commandError(`${other} and ${path} are both the table ${table}: write name=${path}`);
    tables.set(foldName(table), path);
    await openDataFile(connection, table, path);
  }
}

async function openDataFile(connection: DuckDBConnection, table: string, path: string): Promise<void> {
  const format = formatOf(path);
  const isPattern = /[*?[]/.test(path);
  if (format === undefined || (!isPattern && !existsSync(path)))
    throw commandError(`${path} does not exist${didYouMean(path, neighbours(path))}`);
  if (!isPattern) checkNotFolder(path);
  const files = format.isText ? await checkText(connection, path) : [];
  const separator = isCsv(path) ? commonSeparator(path, files) : ',';
  const wide = /\.parquet$/i.test(path)
    ? await findWideDecimal(connection, quoteText(path)).catch(noProblem)
    : undefined;
  if (wide !== undefined) throw commandError(`${path}: ${wide}`);
  const read = (pathText: string, moreOptions?: string) => format.reader(pathText, separator, moreOptions);
  try {
    const plain = read(quoteText(path));
    const columns = await columnsOf(connection, plain);
    const texts = isCsv(path) ? read(quoteText(path), ', all_varchar = true') : plain;
    const own = format.isText ? await ownTypes(connection, texts, columns, isCsv(path)) : new Map();
    const found: FoundPaths = {
      moments: format.isText ? await nestedMoments(connection, plain, columns) : undefined,
      wide: await pathsBeyondInt64(
        connection,
        format.isText ? files.map(({ file }) => read(globText(file))) : [plain],
        columns,
        format.isText,
      ),
    };
    const asTexts = [...own].map(
      ([name, type]) => `${quoteText(name)}: '${type === 'TIMESTAMP' ? 'VARCHAR' : type}'`,
    );
    const source =
      isCsv(path) && own.size > 0 ? read(quoteText(path), `, types = {${asTexts.join(', ')}}`) : plain;
    const values = columns.map(({ name, type }) => {
      if (own.get(name) === 'TIMESTAMP') return `${momentOf(name, path)} AS ${quote(name)}`;
      const known = own.has(name) ? undefined : knownType(name, type, found);
      return known === undefined ? quote(name) : `CAST(${quote(name)} AS ${known}) AS ${quote(name)}`;
    });
    await connection.run(`CREATE VIEW ${quote(table)} AS SELECT ${values.join(', ')} FROM ${source}`);
  } catch (error) {
    const ends = isCsv(path) && !isPattern ? await lineEndProblem(path) : undefined;
    if (ends !== undefined) throw commandError(`${path} ${ends}`);
    const row = dataRowOf(messageOf(error));
    throw commandError(
      row === undefined
        ? `${path} cannot be read: ${(await fileReason(messageOf(error))) ?? wrongShape}`
        : await describeDataRow(row),
    );
  }
}

/** A file that cannot be read is so where its columns are read. */
const noProblem = () => undefined;

const isCsv = (path: string) => /\.[ct]sv(?:\.\w+)?$/i.test(path);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const wrongShape = 'each line must have as many values as the header, and " around texts with separators';

/** A text file with its first line. */
interface TextFile {
  readonly file: string;
  readonly header: string;
}

async function checkText(connection: DuckDBConnection, path: string): Promise<readonly TextFile[]> {
  const found = await connection.runAndReadAll(`SELECT file FROM glob(${quoteText(path)})`);
  const files: TextFile[] = [];
  for (const [name] of found.getRows()) {
    const file = String(name);
    const { header, problem } = await textStart(file, true).catch((error: unknown) => {
      throw commandError(`${file}: ${messageOf(error)}`);
    });
    if (problem !== undefined) throw commandError(`${file} ${problem}`);
    files.push({ file, header });
  }
  return files;
}

/** A file with one column has none. */
function commonSeparator(path: string, files: readonly TextFile[]): string {
  const [first = ',', ...others] = new Set(files.flatMap(({ header }) => separatorOf(header) ?? []));
  if (others.length > 0)
    throw commandError(`${path}: its files have different separators: save them with one`);
  return first;
}

/** The columns whose types DuckDB detects otherwise than BigQuery's: TIMESTAMP, a text or a number too large. */
async function ownTypes(
  connection: DuckDBConnection,
  texts: string,
  columns: readonly Column[],
  isOfTexts: boolean,
): Promise<ReadonlyMap<string, 'TIMESTAMP' | 'VARCHAR' | 'DECIMAL(38,9)'>> {
  const found = new Map<string, 'TIMESTAMP' | 'VARCHAR' | 'DECIMAL(38,9)'>();
  const checked = columns.filter(
    ({ type }) => isPlainText(type) || (isOfTexts && detectedTypes.has(type.typeId)),
  );
  if (checked.length === 0) return found;
  const names = checked.map(({ name }) => quote(name));
  const reader = await connection.runAndReadAll(
    `SELECT ${[...names.map(areMoments), ...names.map((name) => areWideIntegers(name))].join(', ')} FROM (FROM ${texts} LIMIT ${sampledRows})`,
  );
  const [holds = []] = reader.getRows();
  for (const [at, { name, type }] of checked.entries()) {
    const isWide = holds[names.length + at] === true;
    if (holds[at] === true) found.set(name, 'TIMESTAMP');
    else if (type.typeId === DuckDBTypeId.DOUBLE && isWide) found.set(name, 'DECIMAL(38,9)');
    else if (isOfTexts && type.typeId !== DuckDBTypeId.DOUBLE) found.set(name, 'VARCHAR');
  }
  return found;
}

const detectedTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_TZ,
  DuckDBTypeId.DOUBLE,
]);

const momentOf = (name: string, path: string) =>
  scalarValue(
    { name, type: 'TIMESTAMP', mode: 'NULLABLE' },
    { sql: quote(name), type: VARCHAR },
    (field, message) => `error(${quoteText(`${path}: ${field}: `)} || ${message})`,
  );

/** Data files that may be meant, as they would be written. */
function neighbours(path: string): readonly string[] {
  const folder = dirname(path);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const start = path.slice(0, path.length - basename(path).length);
  return names.filter((name) => formatOf(name) !== undefined).map((name) => `${start}${name}`);
}

/** The paths of texts within records and arrays that are all moments: DuckDB detects them only if all have a zone. */
const nestedMoments = (
  connection: DuckDBConnection,
  relation: string,
  columns: readonly Column[],
): Promise<ReadonlySet<string>> =>
  pathsWhere(
    connection,
    sampledValues(
      relation,
      columns.filter(({ type }) => type.typeId !== DuckDBTypeId.VARCHAR),
      isPlainText,
    ),
    `${areMoments('v')} AND bool_and(v IS NULL OR try_cast(v AS TIMESTAMPTZ) IS NOT NULL)`,
  );

interface FoundPaths {
  /** Of texts that are moments; undefined for a format with types. */
  readonly moments: ReadonlySet<string> | undefined;
  /** Of integers beyond INT64. */
  readonly wide: ReadonlySet<string>;
}

/** The type of DuckDB that holds the values as BigQuery would; undefined if it is the given one. */
function knownType(path: string, type: DuckDBType, found: FoundPaths): string | undefined {
  if (type.typeId === DuckDBTypeId.LIST) {
    // BigQuery has no arrays of arrays.
    if (type.valueType.typeId === DuckDBTypeId.LIST) return 'JSON';
    const element = knownType(path, type.valueType, found);
    return element && `${element}[]`;
  }
  if (type.typeId === DuckDBTypeId.STRUCT) {
    const types = type.entryTypes.map((entry, at) =>
      knownType(`${path}.${type.entryNames[at]}`, entry, found),
    );
    if (types.every((one) => one === undefined)) return undefined;
    const fields = type.entryTypes.map(
      (entry, at) => `${quote(type.entryNames[at] ?? '')} ${types[at] ?? String(entry)}`,
    );
    return `STRUCT(${fields.join(', ')})`;
  }
  if (type.typeId === DuckDBTypeId.TIMESTAMP) return found.moments ? 'TIMESTAMPTZ' : undefined;
  if (type.alias === 'JSON') return undefined;
  if (found.moments?.has(path)) return 'TIMESTAMPTZ';
  if (wideTypes.has(type.typeId)) return found.wide.has(path) ? 'DECIMAL(38, 9)' : 'BIGINT';
  return otherTypes[type.typeId] ?? (scalarNames[type.typeId] === undefined ? 'VARCHAR' : undefined);
}

const otherTypes: Readonly<Partial<Record<DuckDBTypeId, string>>> = {
  [DuckDBTypeId.UTINYINT]: 'BIGINT',
  [DuckDBTypeId.USMALLINT]: 'BIGINT',
  [DuckDBTypeId.UINTEGER]: 'BIGINT',
  [DuckDBTypeId.TIMESTAMP_S]: 'TIMESTAMPTZ',
  [DuckDBTypeId.TIMESTAMP_MS]: 'TIMESTAMPTZ',
  [DuckDBTypeId.TIMESTAMP_NS]: 'TIMESTAMPTZ',
  [DuckDBTypeId.MAP]: 'JSON',
  [DuckDBTypeId.TIME_TZ]: 'TIME',
};
