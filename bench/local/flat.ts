import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { columnType } from '@querygate/bigquery-sql/duckdb';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { Dataset, HotTable } from './dataset.ts';
import { type Limits, openDatabase, removeDatabase } from './limits.ts';

/** A leaf of `metadata` as a column of its own: `request_headers_accept`, and the SQL that reads it from the nested row. */
interface FlatColumn {
  readonly name: string;
  readonly value: string;
}

/** The column of the project reference in the flat tables. */
const projectColumns: Readonly<Record<HotTable, string>> = {
  edge_logs: 'project',
  function_edge_logs: 'project_ref',
};

/**
 * Creates the tables that a database designer would create for these queries: one column for every leaf, sorted by day,
 * project and time. They are kept with the set.
 */
export async function buildFlat(
  set: Dataset,
  tables: readonly TableSchema[],
  limits: Limits,
  onProgress: (line: string) => void,
): Promise<void> {
  const marker = `${set.flatFile}.complete`;
  const version = `${readFileSync(join(set.folder, 'complete'), 'utf8')} flat 1`;
  if (existsSync(marker) && readFileSync(marker, 'utf8') === version) return;
  rmSync(marker, { force: true });
  removeDatabase(set.flatFile);

  const database = await openDatabase(set.flatFile, limits);
  try {
    const connection = await database.connect();
    for (const table of tables) {
      const files = filesOf(set, table.name);
      for (const [at, file] of files.entries()) {
        const rows = `SELECT ${selectFlat(table)} FROM ${readNested(table, [file], 'TIMESTAMP')}`;
        if (at === 0) await connection.run(`CREATE TABLE ${quote(table.name)} AS ${rows} LIMIT 0`);
        const project = projectColumns[table.name as HotTable];
        await connection.run(
          `INSERT INTO ${quote(table.name)} ${rows} ORDER BY "timestamp"::DATE, ${project}, "timestamp"`,
        );
        onProgress(`${set.name}: ${table.name}: ${at + 1} of ${files.length} files flattened`);
      }
    }
    await connection.run('CHECKPOINT');
  } finally {
    database.close();
  }
  writeFileSync(marker, version);
}

/** The files of one stream of a set, oldest first. */
export function filesOf(set: Dataset, table: string): readonly string[] {
  const folder = join(set.dataDir, table);
  return readdirSync(folder)
    .sort()
    .map((file) => join(folder, file));
}

/** `read_json` of nested rows, with the types that the catalog declares. */
export function readNested({ fields }: TableSchema, files: readonly string[], timestamp: string): string {
  const columns = fields.map(
    (field) =>
      `${quoteText(field.name)}: ${quoteText(field.type === 'TIMESTAMP' ? timestamp : columnType(field))}`,
  );
  return `read_json([${files.map(quoteText).join(', ')}], columns = {${columns.join(', ')}}, format = 'newline_delimited')`;
}

/** The leaves of a table's metadata, in declared order. */
export function flatColumns({ fields }: TableSchema): readonly FlatColumn[] {
  const metadata = fields.filter(({ name }) => name === 'metadata');
  return metadata.flatMap((field) => leaves(field.fields ?? [], 'metadata[1]', ''));
}

function selectFlat(table: TableSchema): string {
  const plain = table.fields.filter(({ fields }) => fields === undefined).map(({ name }) => quote(name));
  const flat = flatColumns(table).map(({ name, value }) => `${value} AS ${quote(name)}`);
  return [...plain, ...flat].join(', ');
}

function leaves(fields: readonly Field[], parent: string, prefix: string): readonly FlatColumn[] {
  return fields.flatMap((field) => {
    const name = `${prefix}${field.name}`;
    const value = `${parent}.${quote(field.name)}`;
    return field.fields === undefined ? [{ name, value }] : leaves(field.fields, `${value}[1]`, `${name}_`);
  });
}
