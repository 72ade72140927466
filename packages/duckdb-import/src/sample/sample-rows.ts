import { createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { decompress, readBytes } from '@querygate/bigquery-sql/command';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { parseJson } from '@querygate/text';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { fileError } from './data-relation.ts';
import { KindCounts } from './kind-counts.ts';
import { type KeySpellings, keyTwice, withFirstSpellings } from './key-spellings.ts';
import { addLongIntegers } from './long-integers.ts';
import { copyCsv, readHeader } from '../read/csv-copy.ts';
import { parseExactNumbers, withoutBareNumbers } from '../read/exact-numbers.ts';
import { openPlainLines } from '../read/plain-lines.ts';
import { lineTooLong, maxLineBytes, splitLines } from '../read/read-text.ts';
import { readJsonSql } from '../read/source-relation.ts';
import { describeReason } from '../read/describe-problem.ts';
import { kindOf } from '../scan/data-files.ts';
import { otherKindAdvice } from '../scan/other-kind.ts';

/** The rows of files of JSON in copies that DuckDB reads, and what was left out. */
export interface SampledRows {
  readonly files: readonly string[];
  readonly notes: readonly string[];
  /** The most digits of an integer, by the paths of fields that have one of twenty digits or more: DuckDB reads a DOUBLE. */
  readonly longIntegers?: ReadonlyMap<string, number>;
}

/**
 * Copies the first rows of files of JSON as lines, without a byte order mark and without the lines that the import leaves out
 * too: one of them would end DuckDB's reading.
 *
 * @param scratch the folder of the copies
 * @throws Error if a file cannot be read
 */
export async function sampleRows(
  connection: DuckDBConnection,
  files: readonly string[],
  scratch: string,
  maxRows: number,
): Promise<SampledRows> {
  const notes: string[] = [];
  const copies: string[] = [];
  const spellings = new Map<string, KeySpellings>();
  const others = new Map<string, string>();
  const longIntegers = new Map<string, number>();
  const oneSpelling = (row: object, line: string): string => {
    const fold = (value: unknown) =>
      withFirstSpellings(value, spellings, (key, first) => others.set(key, first));
    return fold(row) === row ? line : JSON.stringify(fold(parseExactNumbers(withoutBareNumbers(line))));
  };
  for (const [at, file] of files.entries()) {
    const [all, copy] = [join(scratch, `${at}-all`), join(scratch, `${at}.ndjson`)];
    const left: LeftOut = { count: 0, lines: 0, first: undefined };
    const odd: LeftOut = { count: 0, lines: 0, first: undefined };
    const kinds = new KindCounts();
    const numbers: number[] = [];
    const readable = keepLines(await readLines(file), left, maxRows, (bytes, number) => {
      const line = bytes.length > maxLineBytes ? undefined : lineText(bytes);
      if (line === '') return undefined;
      const row = line === undefined ? lineTooLong : parseRow(line);
      if (typeof row === 'string' || line === undefined)
        return { number, reason: typeof row === 'string' ? row : lineTooLong, bytes };
      kinds.add(row);
      numbers.push(number);
      const text = oneSpelling(row, line);
      addLongIntegers(text, longIntegers);
      return { text };
    });
    await pipeline(readable, createWriteStream(all));
    const usual = keepLines(splitLines(readBytes(all)), odd, maxRows, (bytes, at) => {
      const text = bytes.toString();
      const row = parseRow(text);
      const field = typeof row === 'object' ? kinds.oddField(row) : row;
      return field === undefined ? { text } : { number: numbers[at - 1] ?? at, reason: field };
    });
    await pipeline(usual, createWriteStream(copy));
    copies.push(copy);
    const first = left.first && (await describeLine(connection, file, left.first, scratch));
    if (first !== undefined && left.count === left.lines) throw fileError(file, `cannot be read: ${first}`);
    if (first !== undefined) notes.push(leftOut(`${left.count} of ${left.lines} lines`, file, first));
    if (odd.count > 0)
      notes.push(
        `The types are those of the other rows where ${odd.count} of ${odd.lines} have a value of another kind; the first is line ${odd.first?.number}: ${odd.first?.reason}`,
      );
  }
  for (const [key, first] of others)
    notes.push(
      key === ''
        ? 'Without the values of a key "": a column needs a name, so rename it in the rows'
        : `${key} is read as ${first}: column names are not case-sensitive`,
    );
  return { files: copies, notes, longIntegers };
}

/**
 * Copies files of CSV without the rows that the import leaves out too.
 *
 * @throws Error if a file cannot be read
 */
export async function validCsvRows(
  connection: DuckDBConnection,
  files: readonly string[],
  scratch: string,
): Promise<SampledRows> {
  const notes: string[] = [];
  const copies: string[] = [];
  for (const [at, file] of files.entries()) {
    const path = (end: string) => join(scratch, `${at}.${end}`);
    const [plain, lines, copy] = [path('plain'), path('lines'), path('csv')];
    const bytes = decompress({ path: file, compression: kindOf(file)?.compression });
    await pipeline(bytes, createWriteStream(plain));
    const names = await readHeader(plain);
    const fields = names.map((name): Field => ({ name, type: 'STRING', mode: 'NULLABLE' }));
    const rejects = await copyCsv(connection, fields, plain, lines);
    const rows = readJsonSql({ name: '', fields }, [lines]);
    const { rowsChanged } = await connection.run(
      `COPY (SELECT * FROM ${rows}) TO ${quoteText(copy)} (FORMAT csv, HEADER true)`,
    );
    copies.push(copy);
    const [first] = rejects;
    if (first === undefined) continue;
    const reason = describeReason(new Error(first.reason), { name: file, path: plain });
    if (rowsChanged === 0)
      throw fileError(file, `cannot be read: ${wrongShape}; line ${first.line}: ${reason}`);
    const counted = rejects.length === 1 ? 'a row' : `${rejects.length} rows`;
    notes.push(leftOut(counted, file, `line ${first.line}: ${reason}`));
  }
  return { files: copies, notes };
}

/** The shape that CSV must have. */
export const wrongShape =
  'must be UTF-8, with as many values in each line as in the header, separated by commas, and " around texts with commas';

const leftOut = (what: string, file: string, first: string) =>
  `Without ${what} of ${file}, which the import leaves out too; the first is ${first}`;

/** A line that is left out. */
interface LeftLine {
  readonly number: number;
  readonly reason: string;
  readonly bytes?: Buffer;
}

/** The first of the lines that are left out, in the words of the import: its own reader finds the fault. */
async function describeLine(
  connection: DuckDBConnection,
  file: string,
  { bytes = Buffer.alloc(0), number, reason }: LeftLine,
  scratch: string,
): Promise<string> {
  const path = join(scratch, 'line.ndjson');
  await writeFile(path, bytes.subarray(0, maxLineBytes));
  const rows = readJsonSql({ name: '', fields: [{ name: 'a', type: 'STRING', mode: 'NULLABLE' }] }, [path]);
  const found =
    reason === lineTooLong || reason.endsWith('twice')
      ? undefined
      : await connection.run(`SELECT count(hash(a)) FROM ${rows}`).then(
          () => undefined,
          (error: unknown) => describeReason(error, { name: file, path }),
        );
  const kind = kindOf(file);
  const advice =
    kind &&
    (await otherKindAdvice({ ...kind, name: file, path: file }, { line: number, reason: found ?? reason }));
  return advice ?? `line ${number}: ${found ?? reason}`;
}

interface LeftOut {
  count: number;
  lines: number;
  first: LeftLine | undefined;
}

/** @param read the text of a line, from 1, or why it is left out; undefined for a blank one */
async function* keepLines(
  lines: AsyncIterable<Buffer>,
  left: LeftOut,
  maxRows: number,
  read: (line: Buffer, number: number) => { readonly text: string } | LeftLine | undefined,
): AsyncGenerator<string> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const found = read(line, number);
    if (found === undefined) continue;
    left.lines += 1;
    if ('text' in found) yield `${found.text}\n`;
    else left.count += 1;
    if ('reason' in found) left.first ??= found;
    if (left.lines - left.count === maxRows) return;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Without a byte order mark. Bytes that are not UTF-8 are not JSON. */
function lineText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes).trim();
  } catch {
    return 'not UTF-8';
  }
}

/** @returns why a line is not a row */
function parseRow(line: string): object | string {
  let row: unknown;
  try {
    row = parseJson(withoutBareNumbers(line));
  } catch {
    return 'it is not JSON';
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'it is not an object';
  const twice = keyTwice(line);
  return twice === undefined ? row : `the key ${JSON.stringify(twice)} occurs twice`;
}

async function readLines(path: string): Promise<AsyncIterable<Buffer>> {
  const kind = kindOf(path);
  if (kind === undefined) throw new Error(`${path} is no data file`);
  const { size } = await stat(path);
  const { bytes } = await openPlainLines({ path, size, ...kind }, 0, {
    connect: () => Promise.reject(new Error('CSV is not read as lines')),
    fields: [],
    scratch: '',
  });
  return splitLines(bytes);
}
