import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, VARCHAR } from '@duckdb/node-api';
import type { Field, TableSchema } from '../../catalog/table-schema.ts';
import { quote } from '../dialect/type.ts';
import { type BrokenRow, findBrokenRow } from './broken-row.ts';
import { columnType, quoteText } from './column-type.ts';
import { type DataFile, findDataFiles, type TableFiles } from './data-files.ts';
import { describeProblem } from './data-problem.ts';
import { globText, plainCopy } from './plain-copy.ts';
import { respell } from './respell.ts';
import { foundColumns, storedValue } from './stored-value.ts';

/**
 * Makes a DuckDB table of every declared table and fills it from the data folder: `<table>.ndjson`, `.jsonl`, `.json`,
 * `.csv` or `.parquet`, or any of them below `<table>/`, each also as `.gz` and `.zst`. Hive partitions
 * (`<table>/date=2026-01-01/`) fill the columns of their names.
 *
 * @returns what is wrong with a table's files, by the table's name; such a table is left empty
 */
export async function loadData(
  connection: DuckDBConnection,
  tables: readonly TableSchema[],
  dataDir: string,
): Promise<ReadonlyMap<string, string>> {
  const files = findDataFiles(dataDir, tables);
  const scratch = await mkdtemp(join(tmpdir(), 'querygate-'));
  const problems = new Map<string, string>();
  try {
    // A timestamp without a zone is UTC.
    await connection.run(`SET TimeZone = 'UTC'`);
    for (const table of tables) {
      const load: Load = { connection, table, scratch };
      await createTable(connection, table);
      try {
        await fill(load, files.get(table.name));
      } catch (error) {
        if (!(error instanceof BrokenFile)) throw error;
        await createTable(connection, table);
        problems.set(table.name, error.message);
      }
    }
  } finally {
    await rm(scratch, { recursive: true });
  }
  return problems;
}

interface Load {
  readonly connection: DuckDBConnection;
  readonly table: TableSchema;
  readonly scratch: string;
}

class BrokenFile extends Error {}

/** An empty table, in place of any other of its name. */
export async function createTable(
  connection: DuckDBConnection,
  { name, fields }: TableSchema,
): Promise<void> {
  const columns = fields.map((field) => `${quote(field.name)} ${columnType(field)}`);
  await connection.run(`CREATE OR REPLACE TABLE ${quote(name)} (${columns.join(', ')})`);
}

async function fill(load: Load, { files, problem }: TableFiles = { files: [] }): Promise<void> {
  if (problem !== undefined) throw new BrokenFile(problem);
  const plain: DataFile[] = [];
  for (const file of files) {
    const read = await plainCopyOf(load, file);
    if (read === file) plain.push(file);
    else await insertFile(load, file, read);
  }
  // Files that are alike are read by one statement: many small ones are read far faster so.
  const alike = Map.groupBy(plain, ({ format, partition }) => JSON.stringify([format, partition]));
  for (const batch of alike.values()) await insertFiles(load, batch);
}

async function plainCopyOf({ connection, table, scratch }: Load, file: DataFile): Promise<DataFile> {
  try {
    return await plainCopy(connection, table.fields, file, scratch);
  } catch (error) {
    throw new BrokenFile(describeProblem(file, file, error), { cause: error });
  }
}

async function insertFiles(load: Load, files: readonly DataFile[]): Promise<void> {
  try {
    await insert(load, files);
  } catch {
    // Nothing of a failed statement stays, and one by one the file at fault is found.
    for (const file of files) await insertFile(load, file, file);
  }
}

async function insertFile(load: Load, file: DataFile, read: DataFile): Promise<void> {
  try {
    await insert(load, [read]);
  } catch (error) {
    const broken = await brokenRow(load, read).catch(() => undefined);
    const problem = describeProblem(file, read, broken?.error ?? error, broken?.line);
    throw new BrokenFile(problem, { cause: error });
  }
}

/** Where rows stand one a line, or can be written so, the one at fault is found by reading parts of the file. */
async function brokenRow(load: Load, read: DataFile): Promise<BrokenRow | undefined> {
  const { connection, scratch, table } = load;
  if (read.format === 'parquet') return undefined;
  const rows =
    read.format === 'json' ? await respell(read, table.fields, join(scratch, 'rows.ndjson')) : read;
  if (rows.format === 'json') return undefined;
  return findBrokenRow(rows.path, scratch, async (path) => {
    await connection.run('BEGIN');
    try {
      await insert(load, [{ ...rows, path }]);
    } catch (error) {
      throw new Error(errorText(error).replaceAll(path, read.path), { cause: error });
    } finally {
      await connection.run('ROLLBACK');
    }
  });
}

const errorText = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function insert(load: Load, files: readonly DataFile[]): Promise<void> {
  const { connection, table } = load;
  const source = sourceOf(table, files);
  const found = await foundColumns(connection, source);
  for (const [key, value] of Object.entries(files[0]?.partition ?? {})) {
    found.set(key, { sql: value === null ? 'NULL' : quoteText(value), type: VARCHAR });
  }
  const values = table.fields.map((field) => storedValue(field, found.get(field.name.toLowerCase())));
  await connection.run(`INSERT INTO ${quote(table.name)} SELECT ${values.join(', ')} FROM ${source} AS r`);
}

/** The table function that reads files of one format. */
function sourceOf({ fields }: TableSchema, files: readonly DataFile[]): string {
  const paths = `[${files.map(({ path }) => globText(path)).join(', ')}]`;
  const format = files[0]?.format;
  if (format === 'parquet') return `read_parquet(${paths}, union_by_name = true, hive_partitioning = false)`;
  const columns = fields.map((field) => `${quoteText(field.name)}: ${quoteText(columnType(asText(field)))}`);
  return `read_json(${paths}, columns = {${columns.join(', ')}}, hive_partitioning = false,
    format = ${format === 'json' ? `'auto'` : `'newline_delimited'`})`;
}

/** Values that JSON has no word for are read as text and converted by `storedValue`. */
function asText(field: Field): Field {
  if (field.fields) return { ...field, fields: field.fields.map(asText) };
  return field.type === 'TIMESTAMP' || field.type === 'BYTES' ? { ...field, type: 'STRING' } : field;
}
