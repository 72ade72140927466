import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { globText, readBytes } from '@querygate/bigquery-sql/command';
import { columnType, errorInTry, reservedName } from '@querygate/bigquery-sql/duckdb';
import type { Field, TableSchema } from '@querygate/bigquery-sql/table-schema';
import { hasEqualNames } from '@querygate/text';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import { parseExactNumbers } from '../read/exact-numbers.ts';
import { isBlank, splitLines } from '../read/read-text.ts';
import {
  describeColumns,
  linesRelation,
  readJsonSql,
  valuesSql,
  withTextTypes,
} from '../read/source-relation.ts';
import type { DataFile } from '../scan/data-files.ts';
import { isOutOfSpace } from '../store/disk-space.ts';
import { readRows } from '../store/statements.ts';

/** A line that is not a row of the table. */
interface RejectedLine {
  /** From 0 in the scratch file. */
  readonly index: number;
  /** DuckDB's error; undefined beyond `maxReasons`. */
  readonly error: unknown;
}

interface RejectOptions {
  readonly connection: DuckDBConnection;
  readonly table: TableSchema;
  readonly partition: DataFile['partition'];
  /** The lines to check. */
  readonly path: string;
  /** Where the lines that are rows are written. */
  readonly acceptedPath: string;
  /** How many rejected lines get an error of their own. */
  readonly maxReasons: number;
  readonly signal: AbortSignal;
}

const chunkLines = 16_384;
const chunkBytes = 32 << 20;

/**
 * Separates the lines that are rows of a table from those that are not, in chunks: in most files most chunks have no bad
 * line. In a chunk that has one, DuckDB checks every line by itself, in one statement.
 */
export async function rejectLines(options: RejectOptions): Promise<readonly RejectedLine[]> {
  const { connection, maxReasons, partition, path, table } = options;
  const { columns } = await linesRelation(connection, table, partition, [{ number: 0, path }]);
  const probe = { ...options, values: valuesSql(table, columns) };
  const rejected: RejectedLine[] = [];
  const out = createWriteStream(options.acceptedPath);
  try {
    for await (const chunk of readChunks(path)) {
      options.signal.throwIfAborted();
      const lines = chunk.filter(({ line }) => !isBlank(line));
      const bad = (await errorIn(lines, probe)) === undefined ? [] : await findBadLines(lines, probe);
      const errorOf = buildErrorOf(probe);
      for (const line of bad) {
        const error = rejected.length < maxReasons ? await errorOf(line) : undefined;
        rejected.push({ index: line.index, error });
      }
      const accepted = new Set(chunk).difference(new Set(bad));
      if (!out.write(joinLines([...accepted]))) await once(out, 'drain');
    }
  } finally {
    out.end();
    await finished(out);
  }
  return rejected;
}

interface ProbeOptions extends RejectOptions {
  /** The values that are stored of a row, as SQL. */
  readonly values: string;
}

interface Line {
  readonly index: number;
  readonly line: Buffer;
}

async function* readChunks(path: string): AsyncGenerator<readonly Line[]> {
  let chunk: Line[] = [];
  let index = 0;
  let bytes = 0;
  for await (const line of splitLines(readBytes(path))) {
    chunk.push({ index, line });
    index += 1;
    bytes += line.length;
    if (chunk.length < chunkLines && bytes < chunkBytes) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

async function findBadLines(all: readonly Line[], options: ProbeOptions): Promise<readonly Line[]> {
  const isJson = await queryJsonFlags(all, options);
  const bad = new Set(all.filter((_, at) => !isJson[at]));
  const parsed = all.filter((_, at) => isJson[at]);
  const rows = parsed.map(({ line }) => completeRow(line, options.table.fields));
  const isRow = await queryRowFlags(rows, options);
  for (const [at, entry] of parsed.entries()) {
    if (rows[at] !== undefined && !isRow[at]) bad.add(entry);
  }
  // Lines that JavaScript parses otherwise than DuckDB are so rare that bisecting is good enough.
  const others = parsed.filter((entry) => !bad.has(entry));
  for (const entry of await bisect(others, options)) bad.add(entry);
  return [...bad].sort((a, b) => a.index - b.index);
}

/** The error of reading lines as rows of the table; undefined without an error. */
async function errorIn(lines: readonly Line[], options: ProbeOptions): Promise<unknown> {
  if (lines.length === 0) return undefined;
  const source = readJsonSql(options.table, [await writeProbe(lines, options)]);
  try {
    await options.connection.run(`SELECT count(hash(${options.values})) FROM ${source} AS r`);
    return undefined;
  } catch (error) {
    options.signal.throwIfAborted();
    if (isOutOfSpace(error)) throw error;
    return error;
  }
}

/** The errors of single lines. Each takes a statement, and logs have the same lines again and again. */
function buildErrorOf(options: ProbeOptions): (line: Line) => Promise<unknown> {
  const known = new Map<string, unknown>();
  return async (one) => {
    const text = one.line.toString('latin1');
    if (!known.has(text)) known.set(text, await errorIn([one], options));
    return known.get(text);
  };
}

async function bisect(lines: readonly Line[], options: ProbeOptions): Promise<readonly Line[]> {
  if ((await errorIn(lines, options)) === undefined) return [];
  if (lines.length === 1) return lines;
  const middle = lines.length >> 1;
  return [
    ...(await bisect(lines.slice(0, middle), options)),
    ...(await bisect(lines.slice(middle), options)),
  ];
}

/** For each line, whether it is JSON. */
async function queryJsonFlags(lines: readonly Line[], options: RejectOptions): Promise<readonly boolean[]> {
  const path = await writeProbe(lines, options);
  return queryFlags(options, `SELECT json IS NOT NULL FROM ${readObjectsSql(path)}`);
}

/**
 * For each row, whether its values can be converted to the declared types.
 *
 * @param rows as from `completeRow`; the flag of an undefined row has no meaning
 */
async function queryRowFlags(
  rows: readonly (string | undefined)[],
  options: RejectOptions,
): Promise<readonly boolean[]> {
  if (rows.length === 0) return [];
  const { connection, partition, table } = options;
  const path = probePath(options);
  await writeFile(path, rows.map((row) => `${row ?? '{}'}\n`).join(''));
  const shape = quoteText(JSON.stringify(shapeOf(table.fields)));
  const source = `(SELECT converted IS NULL AS ${unconverted}, unnest(converted) FROM
    (SELECT TRY(json_transform_strict(json, ${shape})) AS converted FROM ${readObjectsSql(path)}))`;
  const columns = await describeColumns(connection, source, partition);
  const values = valuesSql(table, columns, errorInTry(`r.${unconverted}`));
  const isRow = `NOT r.${unconverted} AND TRY(hash(${values})) IS NOT NULL`;
  return queryFlags(options, `SELECT ${isRow} FROM ${source} AS r`);
}

const unconverted = quote(reservedName('unconverted'));

/** Writes the lines of one statement. @returns the scratch file */
async function writeProbe(lines: readonly Line[], options: RejectOptions): Promise<string> {
  const path = probePath(options);
  await writeFile(path, joinLines(lines));
  return path;
}

const probePath = ({ acceptedPath }: RejectOptions) => `${acceptedPath}-probe`;

const queryFlags = async ({ connection }: RejectOptions, sql: string): Promise<readonly boolean[]> =>
  (await readRows(connection, sql)).map(([flag]) => flag === true);

const readObjectsSql = (path: string) =>
  `read_json_objects(${globText(path)}, format = 'newline_delimited', ignore_errors = true,
     compression = 'uncompressed', hive_partitioning = false)`;

/** The types of fields in the form that `json_transform_strict` takes. */
function shapeOf(fields: readonly Field[]): object {
  return Object.fromEntries(fields.map((field) => [field.name, typeShape(withTextTypes(field))]));
}

function typeShape(field: Field): unknown {
  const element = field.fields ? shapeOf(field.fields) : columnType({ ...field, mode: 'NULLABLE' });
  return field.mode === 'REPEATED' ? [element] : element;
}

/**
 * A row with exactly the declared fields, as DuckDB's strict conversion requires.
 *
 * @returns undefined if JavaScript would not read the line as DuckDB does
 */
function completeRow(line: Buffer, fields: readonly Field[]): string | undefined {
  const text = line.toString('utf8');
  const row = parseExactNumbers(text);
  if (row === undefined) return undefined;
  if (hasEqualNames(text, row)) return undefined;
  return JSON.stringify(completeValue(row, fields));
}

function completeValue(value: unknown, fields: readonly Field[]): unknown {
  if (Array.isArray(value)) return value.map((element) => completeValue(element, fields));
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  const members = new Map(Object.entries(value));
  return Object.fromEntries(
    fields.map(({ name, fields: inner }) => {
      const member = members.get(name) ?? null;
      return [name, inner ? completeValue(member, inner) : member];
    }),
  );
}

const joinLines = (lines: readonly Line[]) =>
  Buffer.concat(lines.flatMap(({ line }) => [line, Buffer.from('\n')]));
