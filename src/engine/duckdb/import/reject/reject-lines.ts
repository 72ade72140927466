import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field, TableSchema } from '../../../../catalog/tables/table-schema.ts';
import { columnType, quoteText } from '../../store/column-type.ts';
import { foundColumns, refusalInTry, storedValue } from '../../store/stored-value.ts';
import { globText } from '../read/glob-text.ts';
import { asText, linesSource, partitionValue, rowsOfLines } from '../read/source-relation.ts';
import type { DataFile } from '../scan/data-files.ts';
import { parseJson } from './normalize-keys.ts';

/** A line that is no row, from 0 in its file. */
export interface BadLine {
  readonly index: number;
  /** What DuckDB says of it; undefined where there were too many to ask of each. */
  readonly error: unknown;
}

export interface SiftOptions {
  readonly connection: DuckDBConnection;
  readonly table: TableSchema;
  readonly partition: DataFile['partition'];
  /** The lines to judge, and where those that are rows are written. */
  readonly path: string;
  readonly kept: string;
  /** How many errors are asked for. */
  readonly reasons: number;
  readonly signal: AbortSignal;
}

const pieceLines = 16_384;
const pieceBytes = 32 << 20;

/**
 * Parts the lines that are rows of a table from those that are not, in pieces: of most files most pieces are good as
 * they are. Where one is not, its rows are tried one by one inside of DuckDB, in one statement.
 */
export async function siftLines(options: SiftOptions): Promise<readonly BadLine[]> {
  const { connection, partition, table } = options;
  const { found } = await rowsOfLines(connection, table, partition, [{ number: 0, path: options.path }]);
  const stored = table.fields.map((field) => storedValue(field, found.get(field.name.toLowerCase())));
  const values = stored.join(', ');
  const bad: BadLine[] = [];
  const out = createWriteStream(options.kept);
  try {
    for await (const piece of piecesOf(options.path)) {
      options.signal.throwIfAborted();
      const wrong = await badLinesOf(piece, { ...options, values, reasons: options.reasons - bad.length });
      bad.push(...wrong);
      const left = new Set(wrong.map(({ index }) => index));
      const good = piece.lines.filter((_, at) => !left.has(piece.first + at));
      if (!out.write(joined(good))) await once(out, 'drain');
    }
  } finally {
    out.end();
    await finished(out);
  }
  return bad;
}

interface Trying extends SiftOptions {
  /** What is stored of a row, as SQL. */
  readonly values: string;
}

interface Piece {
  /** The index of its first line. */
  readonly first: number;
  readonly lines: readonly Buffer[];
}

async function* piecesOf(path: string): AsyncGenerator<Piece> {
  let first = 0;
  let lines: Buffer[] = [];
  let bytes = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const all = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let at = all.indexOf(10); at >= 0; at = all.indexOf(10, start)) {
      lines.push(all.subarray(start, at));
      bytes += at - start;
      start = at + 1;
      if (lines.length < pieceLines && bytes < pieceBytes) continue;
      yield { first, lines };
      first += lines.length;
      lines = [];
      bytes = 0;
    }
    rest = all.subarray(start);
  }
  if (rest.length > 0) lines.push(rest);
  if (lines.length > 0) yield { first, lines };
}

async function badLinesOf({ first, lines }: Piece, options: Trying): Promise<readonly BadLine[]> {
  const all = lines.flatMap((line, at) => (isBlank(line) ? [] : [{ index: first + at, line }]));
  if ((await errorIn(all, options)) === undefined) return [];
  const isParsed = await whichParse(all, options);
  const parsed = all.filter((_, at) => isParsed[at]);
  const rows = parsed.map(({ line }) => completed(line, options.table.fields));
  const isRow = await whichConvert(rows, options);
  const certain = new Set(all.filter((_, at) => !isParsed[at]));
  for (const [at, entry] of parsed.entries()) {
    if (rows[at] !== undefined && !isRow[at]) certain.add(entry);
  }
  // What JavaScript reads otherwise than DuckDB is rare enough for halving.
  const suspects = parsed.filter((entry) => !certain.has(entry));
  for (const entry of await halve(suspects, options)) certain.add(entry);

  const bad: BadLine[] = [];
  for (const entry of [...certain].sort((one, other) => one.index - other.index)) {
    if (bad.length >= options.reasons) bad.push({ index: entry.index, error: undefined });
    else bad.push({ index: entry.index, error: await errorIn([entry], options) });
  }
  return bad;
}

interface Line {
  readonly index: number;
  readonly line: Buffer;
}

/** What reading lines as rows of the table fails with, undefined where it does not. */
async function errorIn(lines: readonly Line[], options: Trying): Promise<unknown> {
  if (lines.length === 0) return undefined;
  const path = `${options.kept}-tried`;
  await writeFile(path, joined(lines.map(({ line }) => line)));
  const source = linesSource(options.table, [path]);
  try {
    await options.connection.run(`SELECT count(hash(${options.values})) FROM ${source} AS r`);
    return undefined;
  } catch (error) {
    options.signal.throwIfAborted();
    return error;
  }
}

async function halve(lines: readonly Line[], options: Trying): Promise<readonly Line[]> {
  if ((await errorIn(lines, options)) === undefined) return [];
  if (lines.length === 1) return lines;
  const middle = lines.length >> 1;
  return [...(await halve(lines.slice(0, middle), options)), ...(await halve(lines.slice(middle), options))];
}

/** Of each line whether it is JSON at all. */
async function whichParse(
  lines: readonly Line[],
  { connection, kept }: SiftOptions,
): Promise<readonly boolean[]> {
  const path = `${kept}-tried`;
  await writeFile(path, joined(lines.map(({ line }) => line)));
  return flags(connection, `SELECT json IS NOT NULL FROM ${objectsIn(path)}`);
}

/** Of each row whether its values can be of the declared types; a row that is undefined has none. */
async function whichConvert(
  rows: readonly (string | undefined)[],
  { connection, kept, partition, table }: SiftOptions,
): Promise<readonly boolean[]> {
  if (rows.length === 0) return [];
  const path = `${kept}-tried`;
  await writeFile(path, rows.map((row) => `${row ?? '{}'}\n`).join(''));
  const shape = quoteText(JSON.stringify(shapeOf(table.fields)));
  const source = `(SELECT converted IS NULL AS "not converted", unnest(converted) FROM
    (SELECT TRY(json_transform_strict(json, ${shape})) AS converted FROM ${objectsIn(path)}))`;
  const found = await foundColumns(connection, source);
  for (const [key, value] of Object.entries(partition)) found.set(key, partitionValue(value));
  const values = table.fields.map((field) =>
    storedValue(field, found.get(field.name.toLowerCase()), refusalInTry('r."not converted"')),
  );
  return flags(
    connection,
    `SELECT NOT r."not converted" AND TRY(hash(${values.join(', ')})) IS NOT NULL FROM ${source} AS r`,
  );
}

async function flags(connection: DuckDBConnection, sql: string): Promise<readonly boolean[]> {
  const result = await connection.runAndReadAll(sql);
  return result.getRowsJS().map(([flag]) => flag === true);
}

const objectsIn = (path: string) =>
  `read_json_objects(${globText(path)}, format = 'newline_delimited', ignore_errors = true,
     compression = 'uncompressed', hive_partitioning = false)`;

/** The types of fields as `json_transform_strict` wants them. */
function shapeOf(fields: readonly Field[]): object {
  return Object.fromEntries(fields.map((field) => [field.name, typeShape(asText(field))]));
}

function typeShape(field: Field): unknown {
  const one = field.fields ? shapeOf(field.fields) : columnType({ ...field, mode: 'NULLABLE' });
  return field.mode === 'REPEATED' ? [one] : one;
}

/**
 * A row with every declared field and no other, because DuckDB's strict conversion takes no others.
 *
 * @returns undefined where JavaScript would not read the line as DuckDB does
 */
function completed(line: Buffer, fields: readonly Field[]): string | undefined {
  const text = line.toString('utf8');
  let keys = 0;
  const count = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return;
    const members = Object.values(value);
    if (!Array.isArray(value)) keys += members.length;
    for (const member of members) count(member);
  };
  const row = parseJson(text);
  if (row === undefined) return undefined;
  count(row);
  // A key that stands twice in an object.
  if (text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1 !== keys) return undefined;
  return JSON.stringify(complete(row, fields));
}

function complete(value: unknown, fields: readonly Field[]): unknown {
  if (Array.isArray(value)) return value.map((element) => complete(element, fields));
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  const members = new Map(Object.entries(value));
  return Object.fromEntries(
    fields.map(({ name, fields: inner }) => {
      const member = members.get(name) ?? null;
      return [name, inner ? complete(member, inner) : member];
    }),
  );
}

const isBlank = (line: Buffer) => line.every((byte) => byte <= 32);

const joined = (lines: readonly Buffer[]) =>
  Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
