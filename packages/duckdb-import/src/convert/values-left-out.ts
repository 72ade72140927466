import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type DuckDBConnection, DuckDBListType, DuckDBStructType, type DuckDBType } from '@duckdb/node-api';
import { parseJson } from '@querygate/text';
import { decompress } from '@querygate/bigquery-sql/command';
import { type Column, columnsOf } from '@querygate/bigquery-sql/duckdb';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { readHeader } from '../read/csv-copy.ts';
import { openPlainLines } from '../read/plain-lines.ts';
import { isBlank, splitLines } from '../read/read-text.ts';
import { withoutBareNumbers } from '../read/exact-numbers.ts';
import type { DataFile } from '../scan/data-files.ts';
import { parquetSql } from '../store/statements.ts';

/** A file of a table, all of whose rows were read. */
interface ReadFile {
  readonly connect: () => Promise<DuckDBConnection>;
  readonly connection: DuckDBConnection;
  readonly file: DataFile;
  readonly table: TableSchema;
}

/** Why the rows of a table lack values of a file; undefined if they have all of them. */
export async function valuesLeftOut(read: ReadFile, rejected: number): Promise<string | undefined> {
  if (rejected === 1) return 'is kept, because a row of it cannot be read, and is in no new file';
  if (rejected > 1) return `is kept, because ${rejected} rows of it cannot be read, and are in no new file`;
  const field = await undeclaredField(read);
  return field === undefined
    ? undefined
    : `is kept, because ${field} is not declared in ${read.table.name}, and its values are in no new file`;
}

/** The path of the first field of a file that the table does not declare. */
async function undeclaredField(read: ReadFile): Promise<string | undefined> {
  const { connection, file, table } = read;
  if (file.format !== 'parquet') return fieldOfText(read);
  const columns = await columnsOf(connection, parquetSql([file.path]));
  return fieldOfTypes(columns, table.fields);
}

async function fieldOfText({ connect, file, table }: ReadFile): Promise<string | undefined> {
  const scratch = await mkdtemp(join(tmpdir(), 'querygate-convert-'));
  try {
    if (file.format === 'csv') return fieldOfHeader(await headerOf(file, scratch), table.fields);
    const { bytes } = await openPlainLines(file, 0, { connect, fields: table.fields, scratch });
    for await (const line of splitLines(bytes)) {
      if (isBlank(line)) continue;
      const field = fieldOfValue(parseLine(line.toString()), table.fields);
      if (field !== undefined) return field;
    }
    return undefined;
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function headerOf(file: DataFile, scratch: string): Promise<readonly string[]> {
  if (file.compression === undefined) return readHeader(file.path);
  const plain = join(scratch, 'decompressed');
  await pipeline(decompress(file), createWriteStream(plain));
  return readHeader(plain);
}

const fieldOfHeader = (header: readonly string[], fields: readonly Field[]) =>
  header.find((name) => fieldNamed(fields, name) === undefined);

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
