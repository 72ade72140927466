import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Table, tableFromIPC, type Vector } from 'apache-arrow';
import type { Column } from '../../src/catalog/model/saved-query.ts';

export type Columns = readonly Pick<Column, 'name' | 'type' | 'repeated'>[];
export type ReadRow = Record<string, unknown>;

/** Rows as the JSON document has them, without NULL: what every reader must give. */
export const withoutNulls = (rows: readonly ReadRow[]): readonly ReadRow[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)));

/** Reads a Parquet file with DuckDB, and gives each value the spelling of the JSON document. */
export function readParquet(bytes: Uint8Array, columns: Columns): Promise<readonly ReadRow[]> {
  const spell = (type: Column['type'], value: string) => {
    if (type === 'timestamp') return `epoch_us(${value})`;
    if (type === 'datetime') return `replace(CAST(${value} AS VARCHAR), ' ', 'T')`;
    if (type === 'date' || type === 'time') return `CAST(${value} AS VARCHAR)`;
    if (type === 'bytes') return `to_base64(${value})`;
    if (type === 'numeric')
      return `rtrim(regexp_replace(CAST(${value} AS VARCHAR), '(\\.\\d*?)0+$', '\\1'), '.')`;
    return value;
  };
  const select = columns.map(({ name, type, repeated }) =>
    repeated && type !== 'record'
      ? `list_transform("${name}", lambda one: ${spell(type, 'one')}) AS "${name}"`
      : `${spell(type, `"${name}"`)} AS "${name}"`,
  );
  return withDuckdb(
    bytes,
    (file) =>
      `SELECT to_json(one_row) FROM (SELECT ${select.join(', ')} FROM read_parquet('${file}')) AS one_row`,
  );
}

/** The columns of a Parquet file as DuckDB's text of their values, in which no digit is lost. */
export const readParquetText = (bytes: Uint8Array, columns: Columns): Promise<readonly ReadRow[]> =>
  withDuckdb(
    bytes,
    (file) =>
      `SELECT to_json(one_row) FROM (SELECT ${columns.map(({ name }) => `CAST("${name}" AS VARCHAR) AS "${name}"`).join(', ')} FROM read_parquet('${file}')) AS one_row`,
  );

/** The types of a Parquet file's columns, as DuckDB names them. */
export async function parquetTypes(bytes: Uint8Array): Promise<ReadRow> {
  const [types] = await withDuckdb(
    bytes,
    (file) =>
      `SELECT json_group_object(column_name, column_type) FROM (DESCRIBE SELECT * FROM read_parquet('${file}'))`,
  );
  return types ?? {};
}

/** Reads CSV with DuckDB, in which an empty text and NULL differ. */
export function readCsv(bytes: Uint8Array): Promise<readonly ReadRow[]> {
  return withDuckdb(
    bytes,
    (file) =>
      `SELECT to_json(one_row) FROM read_csv('${file}', header = true, all_varchar = true, strict_mode = true,
        allow_quoted_nulls = false) AS one_row`,
  );
}

/** Reads lines of JSON with DuckDB, each as JSON. */
export function readNdjson(bytes: Uint8Array): Promise<readonly ReadRow[]> {
  return withDuckdb(bytes, (file) => `SELECT json FROM read_ndjson_objects('${file}')`);
}

async function withDuckdb(bytes: Uint8Array, sql: (file: string) => string): Promise<readonly ReadRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'querygate-formats-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  try {
    const file = join(folder, 'file');
    writeFileSync(file, bytes);
    const connection = await instance.connect();
    await connection.run("SET TimeZone = 'UTC'");
    const reader = await connection.runAndReadAll(sql(file));
    const rows = reader.getRowsJson().map(([json]) => JSON.parse(String(json)) as ReadRow);
    connection.closeSync();
    return rows;
  } finally {
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}

/** Reads CSV with Python's module `csv`. */
export function readPythonCsv(bytes: Uint8Array, encoding = 'utf-8'): readonly ReadRow[] {
  const program = `import csv, io, json, sys
rows = csv.DictReader(io.TextIOWrapper(sys.stdin.buffer, encoding='${encoding}', newline=''), strict=True)
print(json.dumps(list(rows)))`;
  const { error, status, stdout, stderr } = spawnSync('python3', ['-c', program], {
    input: bytes,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  if (status !== 0) throw error ?? new Error(stderr);
  return JSON.parse(stdout) as ReadRow[];
}

/** Reads an Arrow IPC stream with Apache Arrow, and gives each value the spelling of the JSON document. */
export function readArrow(bytes: Uint8Array, columns: Columns): readonly ReadRow[] {
  const table: Table = tableFromIPC(bytes);
  const vectors = columns.map(({ name }) => table.getChild(name));
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(
      columns.map(({ name, type }, at) => [name, spellArrow(type, vectors[at] ?? null, row)]),
    ),
  );
}

function spellArrow(type: Column['type'], vector: Vector | null, row: number): unknown {
  const value: unknown = vector?.get(row) ?? null;
  if (value === null) return null;
  if (value instanceof Object && 'numChildren' in value && 'toArray' in value && !ArrayBuffer.isView(value)) {
    const list = value as unknown as Vector;
    return Array.from({ length: list.length }, (_, at) => spellArrow(type, list, at));
  }
  switch (type) {
    case 'timestamp':
      return Number(exactOf(vector, row));
    case 'datetime':
      return isoOf(exactOf(vector, row));
    case 'date':
      return new Date(Number(value)).toISOString().slice(0, 10);
    case 'time':
      return isoOf(value as bigint).slice('1970-01-01T'.length);
    case 'bytes':
      return Buffer.from(value as Uint8Array).toString('base64');
    case 'json':
      return JSON.parse(String(value));
    case 'numeric':
      return typeof value === 'string' ? value : decimalText(value as Uint32Array);
    default:
      return JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? Number(one) : one)));
  }
}

/** Apache Arrow gives timestamps as numbers of milliseconds, which are not exact: the value as it is stored. */
function exactOf(vector: Vector | null, row: number): bigint {
  let at = row;
  for (const part of vector?.data ?? []) {
    if (at < part.length) return (part.values as BigInt64Array)[at] ?? 0n;
    at -= part.length;
  }
  throw new Error('no such row');
}

/** @param micros since the epoch */
function isoOf(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19);
  return fraction === 0n ? seconds : `${seconds}.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
}

/** A decimal with nine places, of four words of 32 bits. */
function decimalText(words: Uint32Array): string {
  const unsigned = [...words].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  const value = BigInt.asIntN(128, unsigned);
  const digits = String(value < 0n ? -value : value).padStart(10, '0');
  const text = `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}
