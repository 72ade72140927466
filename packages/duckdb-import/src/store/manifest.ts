import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import { storeName } from './open-store.ts';

/** The record of one imported file: how far it was read, and with what outcome. */
export interface ManifestEntry {
  /** Identifies the file; the store keeps it beside every row of the file. */
  readonly number: number;
  readonly table: string;
  /** Path below the data folder. */
  readonly name: string;
  /** Device and inode. */
  readonly identity: string;
  /** Size and modification time of the file when its last batch was imported. */
  readonly size: number;
  readonly mtime: bigint;
  /** Fingerprint of the file's first `headBytes` bytes. */
  readonly head: string;
  readonly headBytes: number;
  /** Fingerprint of the bytes before `offset`, at most as many as a head has; only of files that can grow. */
  readonly tail: string;
  /** Bytes of the decompressed lines that have been imported. */
  readonly offset: number;
  /** Newlines among these bytes. */
  readonly lines: number;
  readonly rows: number;
  readonly rejected: number;
  /** True if the whole file, as of `size` and `mtime`, has been imported. */
  readonly done: boolean;
}

/** A row that cannot be imported. */
export interface Reject {
  /** From 1: the line of the file, or with `isRow` the row. */
  readonly line: number;
  readonly isRow?: boolean;
  readonly reason: string;
}

/**
 * The store's record of the imported files and of the rows that were rejected. Its methods build SQL statements, because
 * the record changes in the same transaction as the rows.
 */
export interface Manifest {
  /** By number. The caller updates them after the transaction with the statements is committed. */
  readonly entries: Map<number, ManifestEntry>;
  /** Statements that insert entries, in place of those with the same numbers. */
  put(entries: readonly ManifestEntry[]): readonly string[];
  /** Statements that remove entries and their rejects. */
  remove(numbers: readonly number[]): readonly string[];
  addRejects(number: number, rejects: readonly Reject[]): readonly string[];
  removeRejects(number: number, reason: string): string;
  /** The footers of files that are read where they are, by number, as texts of JSON. */
  readonly footers: Map<number, string>;
  putFooter(number: number, footer: string): string;
  /** The tables of which all files were imported at some time: a file that waits makes their rows old, and not wrong. */
  readonly completeTables: Set<string>;
  /** Statements that store them, as they are now. */
  putCompleteTables(): readonly string[];
}

const schema = `${storeName}."import"`;
const files = `${schema}."files"`;
const footers = `${schema}."footers"`;
const rejectLines = `${schema}."reject_lines"`;
const completeTables = `${schema}."complete_tables"`;

/** Reads the manifest; creates its tables in a new store. */
export async function loadManifest(connection: DuckDBConnection): Promise<Manifest> {
  await connection.run(`CREATE SCHEMA IF NOT EXISTS ${schema};
    CREATE TABLE IF NOT EXISTS ${files} ("number" INTEGER, "table" VARCHAR, "name" VARCHAR, "identity" VARCHAR,
      "size" BIGINT, "mtime" BIGINT, "head" VARCHAR, "headBytes" INTEGER, "tail" VARCHAR, "offset" BIGINT,
      "lines" BIGINT, "rows" BIGINT, "rejected" BIGINT, "done" BOOLEAN);
    CREATE TABLE IF NOT EXISTS ${footers} ("number" INTEGER, "footer" VARCHAR);
    CREATE TABLE IF NOT EXISTS ${rejectLines} ("number" INTEGER, "line" BIGINT, "reason" VARCHAR);
    CREATE TABLE IF NOT EXISTS ${completeTables} AS SELECT "table" FROM ${files} GROUP BY "table" HAVING bool_and("done");
    CREATE OR REPLACE VIEW ${schema}."rejects" AS
      SELECT "table", "name" AS "file", "line", "reason" FROM ${rejectLines} JOIN ${files} USING ("number")`);
  const result = await connection.runAndReadAll(`SELECT ${columns.map(quote).join(', ')} FROM ${files}`);
  const entries = result.getRowObjectsJS().map(parseEntry);
  const known = await connection.runAndReadAll(`SELECT "number", "footer" FROM ${footers}`);
  const complete = await connection.runAndReadAll(`SELECT "table" FROM ${completeTables}`);
  const completeNow = new Set(complete.getRowsJS().map(([name]) => String(name)));
  return {
    entries: new Map(entries.map((entry) => [entry.number, entry])),
    put(entries) {
      if (entries.length === 0) return [];
      const values = entries.map(
        (entry) => `(${columns.map((column) => literal(entry[column])).join(', ')})`,
      );
      return [
        `DELETE FROM ${files} WHERE "number" IN ${listSql(entries.map(({ number }) => number))}`,
        `INSERT INTO ${files} (${columns.map(quote).join(', ')}) VALUES ${values.join(', ')}`,
      ];
    },
    remove(numbers) {
      if (numbers.length === 0) return [];
      return [files, footers, rejectLines].map(
        (table) => `DELETE FROM ${table} WHERE "number" IN ${listSql(numbers)}`,
      );
    },
    addRejects(number, rejects) {
      if (rejects.length === 0) return [];
      const values = rejects.map(({ line, reason }) => `(${number}, ${line}, ${quoteText(reason)})`);
      return [`INSERT INTO ${rejectLines} VALUES ${values.join(', ')}`];
    },
    removeRejects: (number, reason) =>
      `DELETE FROM ${rejectLines} WHERE "number" = ${number} AND "reason" = ${quoteText(reason)}`,
    footers: new Map(known.getRowsJS().map(([number, footer]) => [Number(number), String(footer)])),
    putFooter: (number, footer) => `INSERT INTO ${footers} VALUES (${number}, ${quoteText(footer)})`,
    completeTables: completeNow,
    putCompleteTables: () => [
      `DELETE FROM ${completeTables}`,
      ...[...completeNow].map((name) => `INSERT INTO ${completeTables} VALUES (${quoteText(name)})`),
    ],
  };
}

/** The numbers of the files that have a reject with this reason. */
export async function loadNumbersRejectedFor(
  connection: DuckDBConnection,
  reason: string,
): Promise<readonly number[]> {
  const sql = `SELECT "number" FROM ${rejectLines} WHERE "reason" = ${quoteText(reason)}`;
  return (await connection.runAndReadAll(sql)).getRowsJS().map(([number]) => Number(number));
}

/** Removes the files of a table whose rows have been dropped, with their rejects, so that they are imported again. */
export async function forgetTable(connection: DuckDBConnection, table: string): Promise<void> {
  const exists = `SELECT table_name FROM duckdb_tables() WHERE database_name = '${storeName}' AND schema_name = 'import'`;
  const names = (await connection.runAndReadAll(exists)).getRowsJS().flat();
  if (!names.includes('files')) return;
  const isTable = `WHERE "table" = ${quoteText(table)}`;
  const ofTable = `FROM ${files} ${isTable}`;
  // A store of an older release does not have it yet.
  if (names.includes('complete_tables')) await connection.run(`DELETE FROM ${completeTables} ${isTable}`);
  for (const kept of ['footers', 'reject_lines'].filter((name) => names.includes(name)))
    await connection.run(
      `DELETE FROM ${schema}.${quote(kept)} WHERE "number" IN (SELECT "number" ${ofTable})`,
    );
  await connection.run(`DELETE ${ofTable}`);
}

const columns = [
  'number',
  'table',
  'name',
  'identity',
  'size',
  'mtime',
  'head',
  'headBytes',
  'tail',
  'offset',
  'lines',
  'rows',
  'rejected',
  'done',
] as const satisfies readonly (keyof ManifestEntry)[];

const listSql = (numbers: readonly number[]) => `(${numbers.join(', ')})`;

const literal = (value: ManifestEntry[keyof ManifestEntry]) =>
  typeof value === 'string' ? quoteText(value) : String(value);

function parseEntry(row: Record<string, unknown>): ManifestEntry {
  return {
    number: Number(row.number),
    table: String(row.table),
    name: String(row.name),
    identity: String(row.identity),
    size: Number(row.size),
    mtime: BigInt(String(row.mtime)),
    head: String(row.head),
    headBytes: Number(row.headBytes),
    tail: String(row.tail),
    offset: Number(row.offset),
    lines: Number(row.lines),
    rows: Number(row.rows),
    rejected: Number(row.rejected),
    done: row.done === true,
  };
}
