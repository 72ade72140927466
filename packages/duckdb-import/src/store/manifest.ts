import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { Footer } from './files/placed-file.ts';
import { storeName } from './open-store.ts';
import { readRows } from './statements.ts';

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
  /** Of the last change of content or metadata; undefined in a store of an earlier release. */
  readonly ctime?: bigint | undefined;
  /** Of the footer of a file that is read where it is; else of the whole file, once it had to be read again to compare. */
  readonly digest: string;
  /** Fingerprint of the file's first `headBytes` bytes. */
  readonly head: string;
  readonly headBytes: number;
  /** Fingerprint of the bytes before `offset`, at most as many as a head has; only of files that can grow. */
  readonly tail: string;
  /** Of all bytes before `offset`; empty if it is not known, and for files that cannot grow. */
  readonly checksum: string;
  /** Bytes of the decompressed lines that have been imported. */
  readonly offset: number;
  /** Newlines among these bytes. */
  readonly lines: number;
  readonly rows: number;
  readonly rejected: number;
  /** True if the whole file, as of `size` and `mtime`, has been imported. */
  readonly done: boolean;
  /** Of a file that is read where it is. */
  readonly footer?: Footer | undefined;
}

/** A row that cannot be imported. */
export interface Reject {
  /** From 1: the line of the file, or with `isRow` the row. */
  readonly line: number;
  readonly isRow?: boolean;
  readonly reason: string;
}

/** Stored with the rejected line, and searched for when the store is opened again. */
export const incompleteLine = 'not JSON: the last line is not finished';

/**
 * The store's record of the imported files and of the rows that were rejected. Its methods build SQL statements, because
 * the record changes in the same transaction as the rows.
 */
export interface Manifest {
  /** By number. */
  readonly entries: Map<number, ManifestEntry>;
  /** Numbers of the files whose incomplete last line has been rejected. */
  readonly incomplete: Set<number>;
  /** The tables of which all files were imported at some time: a file that waits makes their rows old, and not wrong. */
  readonly completeTables: Set<string>;
  /** Statements that insert entries, in place of those with the same numbers. */
  put(entries: readonly ManifestEntry[]): readonly string[];
  /** Statements that store the `identity`, `ctime` and `digest` of entries. */
  touch(entries: readonly ManifestEntry[]): readonly string[];
  /** Statements that remove entries and their rejects. */
  remove(numbers: Iterable<number>): readonly string[];
  /** Called once what `put` and `remove` have built is committed. */
  remember(entries: readonly ManifestEntry[]): void;
  forget(numbers: Iterable<number>): void;
  addRejects(number: number, rejects: readonly Reject[]): readonly string[];
  /** Statements that remove the reject of an incomplete last line. */
  removeIncomplete(number: number): readonly string[];
  /** Statements that store the complete tables, as they are now. */
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
    ALTER TABLE ${files} ADD COLUMN IF NOT EXISTS "ctime" BIGINT;
    ALTER TABLE ${files} ADD COLUMN IF NOT EXISTS "digest" VARCHAR DEFAULT '';
    ALTER TABLE ${files} ADD COLUMN IF NOT EXISTS "checksum" VARCHAR DEFAULT '';
    CREATE TABLE IF NOT EXISTS ${footers} ("number" INTEGER, "footer" VARCHAR);
    CREATE TABLE IF NOT EXISTS ${rejectLines} ("number" INTEGER, "line" BIGINT, "reason" VARCHAR);
    CREATE TABLE IF NOT EXISTS ${completeTables} AS SELECT "table" FROM ${files} GROUP BY "table" HAVING bool_and("done");
    CREATE OR REPLACE VIEW ${schema}."rejects" AS
      SELECT "table", "name" AS "file", "line", "reason" FROM ${rejectLines} JOIN ${files} USING ("number")`);
  const stored = await connection.runAndReadAll(
    `SELECT ${columns.map(quote).join(', ')}, "footer" FROM ${files} LEFT JOIN ${footers} USING ("number")`,
  );
  const entries = new Map(stored.getRowObjectsJS().map((row) => [Number(row.number), parseEntry(row)]));
  const numbers = `SELECT "number" FROM ${rejectLines} WHERE "reason" = ${quoteText(incompleteLine)}`;
  const incomplete = new Set((await readRows(connection, numbers)).map(([number]) => Number(number)));
  const complete = await readRows(connection, `SELECT "table" FROM ${completeTables}`);
  const completeNow = new Set(complete.map(([name]) => String(name)));
  return {
    ...{ entries, incomplete, completeTables: completeNow },
    put(entries) {
      if (entries.length === 0) return [];
      const values = entries.map(
        (entry) => `(${columns.map((column) => literal(entry[column])).join(', ')})`,
      );
      return [
        `DELETE FROM ${files} WHERE "number" IN (${entries.map(({ number }) => number).join(', ')})`,
        `INSERT INTO ${files} (${columns.map(quote).join(', ')}) VALUES ${values.join(', ')}`,
        ...entries.flatMap(({ footer, number }) =>
          footer ? [`INSERT INTO ${footers} VALUES (${number}, ${quoteText(JSON.stringify(footer))})`] : [],
        ),
      ];
    },
    touch(entries) {
      if (entries.length === 0) return [];
      const values = entries.map(
        (entry) => `(${touched.map((column) => literal(entry[column])).join(', ')})`,
      );
      return [
        `UPDATE ${files} SET "identity" = new.identity, "ctime" = new.ctime, "digest" = new.digest
          FROM (VALUES ${values.join(', ')}) AS new(number, identity, ctime, digest) WHERE ${files}."number" = new.number`,
      ];
    },
    remove(numbers) {
      const list = [...numbers].join(', ');
      if (list === '') return [];
      return [files, footers, rejectLines].map((table) => `DELETE FROM ${table} WHERE "number" IN (${list})`);
    },
    remember(put) {
      for (const entry of put) {
        entries.set(entry.number, entry);
        incomplete.delete(entry.number);
      }
    },
    forget(numbers) {
      for (const number of numbers) {
        entries.delete(number);
        incomplete.delete(number);
      }
    },
    addRejects(number, rejects) {
      if (rejects.length === 0) return [];
      const values = rejects.map(({ line, reason }) => `(${number}, ${line}, ${quoteText(reason)})`);
      return [`INSERT INTO ${rejectLines} VALUES ${values.join(', ')}`];
    },
    removeIncomplete: (number) =>
      incomplete.has(number)
        ? [
            `DELETE FROM ${rejectLines} WHERE "number" = ${number} AND "reason" = ${quoteText(incompleteLine)}`,
          ]
        : [],
    putCompleteTables: () => [
      `DELETE FROM ${completeTables}`,
      ...[...completeNow].map((name) => `INSERT INTO ${completeTables} VALUES (${quoteText(name)})`),
    ],
  };
}

/** Removes the files of tables whose rows have been dropped, with their rejects, so that they are imported again. */
export async function forgetTables(connection: DuckDBConnection, tables: readonly string[]): Promise<void> {
  const exists = `SELECT table_name FROM duckdb_tables() WHERE database_name = '${storeName}' AND schema_name = 'import'`;
  const names = (await readRows(connection, exists)).flat();
  if (!names.includes('files')) return;
  const isTable = `WHERE "table" IN (${tables.map(quoteText).join(', ')})`;
  const ofTable = `FROM ${files} ${isTable}`;
  // A store of an older release does not have it yet.
  if (names.includes('complete_tables')) await connection.run(`DELETE FROM ${completeTables} ${isTable}`);
  for (const kept of ['footers', 'reject_lines'].filter((name) => names.includes(name)))
    await connection.run(
      `DELETE FROM ${schema}.${quote(kept)} WHERE "number" IN (SELECT "number" ${ofTable})`,
    );
  await connection.run(`DELETE ${ofTable}`);
}

const texts = ['table', 'name', 'identity', 'head', 'tail', 'checksum', 'digest'] as const;
const counts = ['number', 'size', 'headBytes', 'offset', 'lines', 'rows', 'rejected'] as const;
const columns = [...texts, ...counts, 'mtime', 'ctime', 'done'] as const;
const touched = ['number', 'identity', 'ctime', 'digest'] as const;

const literal = (value: string | number | bigint | boolean | undefined) =>
  typeof value === 'string' ? quoteText(value) : String(value ?? 'NULL');

function parseEntry(row: Readonly<Record<string, unknown>>): ManifestEntry {
  const read = <K extends string, V>(names: readonly K[], as: (value: unknown) => V) =>
    Object.fromEntries(names.map((name) => [name, as(row[name])])) as Record<K, V>;
  const { mtime, ctime, done, footer } = row;
  const others = {
    mtime: BigInt(String(mtime)),
    ...(ctime !== null && { ctime: BigInt(String(ctime)) }),
    done: done === true,
  };
  return {
    ...{ ...read(texts, String), ...read(counts, Number), ...others },
    ...(typeof footer === 'string' && { footer: JSON.parse(footer) }),
  };
}
