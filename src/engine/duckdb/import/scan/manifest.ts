import type { DuckDBConnection } from '@duckdb/node-api';
import { quote } from '../../../dialect/types.ts';
import { quoteText } from '../../store/column-type.ts';
import { storeName } from '../../store/open-store.ts';

/** What the store holds of one file. */
export interface ManifestEntry {
  /** Stands beside every row of the file. */
  readonly number: number;
  readonly table: string;
  /** Below the data folder. */
  readonly name: string;
  readonly identity: string;
  /** As the file was when its last portion was taken. */
  readonly size: number;
  readonly mtime: bigint;
  /** Fingerprint of the first `headBytes` bytes, of the file itself. */
  readonly head: string;
  readonly headBytes: number;
  /** Fingerprint of the bytes before `offset`, at most as many as a head has; only of files that can grow. */
  readonly tail: string;
  /** Bytes taken, of the plain lines. */
  readonly offset: number;
  /** Newlines among them. */
  readonly lines: number;
  readonly rows: number;
  readonly rejected: number;
  /** Whether all of the file is in, as it was at `size` and `mtime`. */
  readonly done: boolean;
}

/** A row that could not be read. */
export interface Reject {
  /** From 1: the line of the file, or the row where lines are not what it is made of. */
  readonly line: number;
  readonly isRow?: boolean;
  readonly reason: string;
}

/** SQL over the tables in which a store remembers what it has taken in; they are changed in the rows' own transactions. */
export interface Manifest {
  /** Makes the tables where there are none yet, and gives what they hold. */
  load(connection: DuckDBConnection): Promise<readonly ManifestEntry[]>;
  /** Statements that put entries in place of any of the same number. */
  put(entries: readonly ManifestEntry[]): readonly string[];
  /** Statements that forget files, with their rejects. */
  remove(numbers: readonly number[]): readonly string[];
  /** The numbers of files with a reject of this reason. */
  rejectedFor(connection: DuckDBConnection, reason: string): Promise<readonly number[]>;
  addRejects(number: number, rejects: readonly Reject[]): readonly string[];
  removeRejects(number: number, reason: string): string;
}

const schema = `${storeName}."import"`;
const files = `${schema}."files"`;
const rejects = `${schema}."reject_lines"`;

/** Removes the files of a table whose rows have been dropped, so that they are imported again. */
export async function forgetTable(connection: DuckDBConnection, table: string): Promise<void> {
  const exists = `SELECT 1 FROM duckdb_tables() WHERE database_name = '${storeName}' AND schema_name = 'import' AND table_name = 'files'`;
  if ((await connection.runAndReadAll(exists)).currentRowCount === 0) return;
  await connection.run(`DELETE FROM ${files} WHERE "table" = ${quoteText(table)}`);
}

export function openManifest(): Manifest {
  const list = (numbers: readonly number[]) => `(${numbers.join(', ')})`;
  return {
    async load(connection) {
      await connection.run(`CREATE SCHEMA IF NOT EXISTS ${schema};
        CREATE TABLE IF NOT EXISTS ${files} ("number" INTEGER, "table" VARCHAR, "name" VARCHAR, "identity" VARCHAR,
          "size" BIGINT, "mtime" BIGINT, "head" VARCHAR, "headBytes" INTEGER, "tail" VARCHAR, "offset" BIGINT,
          "lines" BIGINT, "rows" BIGINT, "rejected" BIGINT, "done" BOOLEAN);
        CREATE TABLE IF NOT EXISTS ${rejects} ("number" INTEGER, "line" BIGINT, "reason" VARCHAR);
        CREATE OR REPLACE VIEW ${schema}."rejects" AS
          SELECT "table", "name" AS "file", "line", "reason" FROM ${rejects} JOIN ${files} USING ("number")`);
      const result = await connection.runAndReadAll(`SELECT ${columns.map(quote).join(', ')} FROM ${files}`);
      return result.getRowObjectsJS().map(parseEntry);
    },
    put(entries) {
      if (entries.length === 0) return [];
      const values = entries.map(
        (entry) => `(${columns.map((column) => literal(entry[column])).join(', ')})`,
      );
      return [
        `DELETE FROM ${files} WHERE "number" IN ${list(entries.map(({ number }) => number))}`,
        `INSERT INTO ${files} (${columns.map(quote).join(', ')}) VALUES ${values.join(', ')}`,
      ];
    },
    remove(numbers) {
      if (numbers.length === 0) return [];
      return [files, rejects].map((table) => `DELETE FROM ${table} WHERE "number" IN ${list(numbers)}`);
    },
    async rejectedFor(connection, reason) {
      const sql = `SELECT "number" FROM ${rejects} WHERE "reason" = ${quoteText(reason)}`;
      return (await connection.runAndReadAll(sql)).getRowsJS().map(([number]) => Number(number));
    },
    addRejects(number, rows) {
      if (rows.length === 0) return [];
      const values = rows.map(({ line, reason }) => `(${number}, ${line}, ${quoteText(reason)})`);
      return [`INSERT INTO ${rejects} VALUES ${values.join(', ')}`];
    },
    removeRejects: (number, reason) =>
      `DELETE FROM ${rejects} WHERE "number" = ${number} AND "reason" = ${quoteText(reason)}`,
  };
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
