import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  type DuckDBConnection,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  type DuckDBType,
  STRUCT,
} from '@duckdb/node-api';
import { parseJson } from '@querygate/text';
import { decompress } from '@querygate/bigquery-sql/command';
import { type Column, columnsOf } from '@querygate/bigquery-sql/duckdb';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import { countRows } from '../load/read-footer.ts';
import { readHeader } from '../read/csv-copy.ts';
import { openPlainLines } from '../read/plain-lines.ts';
import { isBlank, splitLines } from '../read/read-text.ts';
import { withoutBareNumbers } from '../read/exact-numbers.ts';
import type { DataFile } from '../scan/data-files.ts';
import type { ManifestEntry } from '../store/manifest.ts';
import { parquetSql, readRows } from '../store/statements.ts';

/** A file of a table, all of whose rows were read. */
interface ReadFile {
  readonly connection: DuckDBConnection;
  readonly file: DataFile;
  readonly table: TableSchema;
}

/** The content of a file that is read again. */
interface Found {
  /** The path of the first field that the table does not declare, or of which a value is not that of the folder. */
  readonly field?: string | undefined;
  readonly rows: number;
}

/** Why the rows of a table lack values of a file, given how many were imported; undefined if they have all of them. */
export async function valuesLeftOut(
  read: ReadFile,
  { rejected, rows }: Pick<ManifestEntry, 'rejected' | 'rows'>,
): Promise<string | undefined> {
  if (rejected === 1) return 'is kept, because a row of it cannot be read, and is in no new file';
  if (rejected > 1) return `is kept, because ${rejected} rows of it cannot be read, and are in no new file`;
  const found = await readAgain(read);
  if (found.field !== undefined && isGiven(read, found.field))
    return `is kept, because its folder gives ${found.field}, and the values that it has itself are in no new file`;
  if (found.field !== undefined)
    return `is kept, because ${found.field} is not declared in ${read.table.name}, and its values are in no new file`;
  if (found.rows !== rows) return `is kept, because it has ${found.rows} rows, and ${rows} are in new files`;
  return undefined;
}

/** True for a column whose values the folder of a file gives. */
const isGiven = ({ file, table }: ReadFile, name: string): boolean =>
  Object.hasOwn(file.partition, name.toLowerCase()) && fieldNamed(table.fields, name) !== undefined;

async function readAgain(read: ReadFile): Promise<Found> {
  const { connection, file, table } = read;
  const ofFolder = undeclaredOf(Object.keys(file.partition), table.fields);
  if (ofFolder !== undefined) return { field: ofFolder, rows: 0 };
  if (file.format === 'parquet') {
    const columns = await columnsOf(connection, parquetSql([file.path]));
    const field = fieldOfTypes(columns, table.fields) ?? (await ownColumn(read, columns));
    return { field, rows: await countRows(connection, file.path) };
  }
  const scratch = await mkdtemp(join(tmpdir(), 'querygate-convert-'));
  try {
    if (file.format === 'csv') {
      const field = undeclaredOf(await headerOf(file, scratch), table.fields);
      if (field !== undefined) return { field, rows: 0 };
    }
    const options = { connect: async () => connection, fields: table.fields, scratch };
    const { bytes } = await openPlainLines(file, 0, options);
    let rows = 0;
    for await (const line of splitLines(bytes)) {
      if (isBlank(line)) continue;
      rows += 1;
      const row = parseLine(line.toString());
      const field = fieldOfValue(row, table.fields) ?? ownField(read, row);
      if (field !== undefined) return { field, rows };
    }
    return { rows };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** The name of the first value of a row that is not the one that the folder gives. */
const ownField = (read: ReadFile, row: unknown): string | undefined =>
  Object.entries(row ?? {}).find(([name, value]) => {
    // An empty cell of CSV is NULL.
    if (!isGiven(read, name) || value === null || (value === '' && read.file.format === 'csv')) return false;
    const given = read.file.partition[name.toLowerCase()];
    const isExact = typeof value === 'boolean' || Number.isSafeInteger(value);
    return value !== given && !(isExact && String(value) === given);
  })?.[0];

/** As `ownField`, of the rows of a Parquet file. */
async function ownColumn(read: ReadFile, columns: readonly Column[]): Promise<string | undefined> {
  const { connection, file } = read;
  for (const { name } of columns.filter((column) => isGiven(read, column.name))) {
    const given = quoteText(file.partition[name.toLowerCase()] ?? '');
    const others = `FROM ${parquetSql([file.path])} WHERE CAST(${quote(name)} AS VARCHAR) <> ${given} LIMIT 1`;
    if ((await readRows(connection, `SELECT 1 ${others}`)).length > 0) return name;
  }
  return undefined;
}

async function headerOf(file: DataFile, scratch: string): Promise<readonly string[]> {
  if (file.compression === undefined) return readHeader(file.path);
  const plain = join(scratch, 'decompressed');
  await pipeline(decompress(file), createWriteStream(plain));
  return readHeader(plain);
}

const undeclaredOf = (names: readonly string[], fields: readonly Field[]) =>
  names.find((name) => fieldNamed(fields, name) === undefined);

/** DuckDB reads NaN and Infinity, which JSON does not have. */
const parseLine = (line: string): unknown => parseJson(withoutBareNumbers(line.replace(/^\uFEFF/, '')));

function fieldOfValue(value: unknown, fields: readonly Field[]): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (item) => fieldOfValue(item, fields));
  if (typeof value !== 'object' || value === null) return undefined;
  return firstOf(Object.entries(value), ([name, item]) => {
    if (item === null) return undefined;
    return withinField(fields, name, (inner) => fieldOfValue(item, inner));
  });
}

const fieldOfTypes = (columns: readonly Column[], fields: readonly Field[]): string | undefined =>
  firstOf(columns, ({ name, type }) => withinField(fields, name, (inner) => fieldOfType(type, inner)));

function fieldOfType(type: DuckDBType, fields: readonly Field[]): string | undefined {
  if (type instanceof DuckDBListType) return fieldOfType(type.valueType, fields);
  if (type instanceof DuckDBMapType)
    return fieldOfType(STRUCT({ key: type.keyType, value: type.valueType }), fields);
  if (!(type instanceof DuckDBStructType)) return undefined;
  return fieldOfTypes(
    type.entryTypes.map((entry, at) => ({ name: type.entryNames[at] ?? '', type: entry })),
    fields,
  );
}

/** The path of what is not declared at a name, or within the record that it names. */
function withinField(
  fields: readonly Field[],
  name: string,
  find: (inner: readonly Field[]) => string | undefined,
): string | undefined {
  const field = fieldNamed(fields, name);
  if (field === undefined) return name;
  const inner = field.fields && find(field.fields);
  return inner === undefined ? undefined : `${name}.${inner}`;
}

const fieldNamed = (fields: readonly Field[], name: string) =>
  fields.find((field) => field.name.toLowerCase() === name.toLowerCase());

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
