import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { decompress, readBytes } from '@querygate/bigquery-sql/command';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { hasEqualNames, parseJson } from '@querygate/text';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { fileError } from './data-relation.ts';
import { KindCounts } from './kind-counts.ts';
import { type KeySpellings, withFirstSpellings } from './key-spellings.ts';
import { copyCsv, readHeader } from '../read/csv-copy.ts';
import { parseExactNumbers } from '../read/normalize-keys.ts';
import { openPlainLines } from '../read/plain-lines.ts';
import { lineTooLong, maxLineBytes, splitLines } from '../read/read-text.ts';
import { readJsonSql } from '../read/source-relation.ts';
import { describeReason } from '../read/describe-problem.ts';
import { kindOf } from '../scan/data-files.ts';

/** The rows of files of JSON in copies that DuckDB reads, and what was left out. */
export interface SampledRows {
  readonly files: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Copies the first rows of files of JSON as lines, without a byte order mark and without the lines that the import leaves out
 * too: one of them would end DuckDB's reading.
 *
 * @param scratch the folder of the copies
 * @throws Error if a file cannot be read
 */
export async function sampleRows(
  files: readonly string[],
  scratch: string,
  maxRows: number,
): Promise<SampledRows> {
  const notes: string[] = [];
  const copies: string[] = [];
  const spellings = new Map<string, KeySpellings>();
  const others = new Map<string, string>();
  const oneSpelling = (row: object, line: string): string => {
    const fold = (value: unknown) =>
      withFirstSpellings(value, spellings, (key, first) => others.set(key, first));
    return fold(row) === row
      ? line
      : JSON.stringify(fold(parseExactNumbers(line.replace(bareNumbers, 'null'))));
  };
  for (const [at, file] of files.entries()) {
    const [all, copy] = [join(scratch, `${at}-all`), join(scratch, `${at}.ndjson`)];
    const left: LeftOut = { count: 0, lines: 0, first: '' };
    const odd: LeftOut = { count: 0, lines: 0, first: '' };
    const kinds = new KindCounts();
    const numbers: number[] = [];
    const readable = keepLines(await readLines(file), left, maxRows, (bytes, number) => {
      const line = bytes.length > maxLineBytes ? undefined : lineText(bytes);
      if (line === '') return undefined;
      const row = line === undefined ? lineTooLong : parseRow(line);
      if (typeof row === 'string' || line === undefined) return { reason: `${number}: ${row}` };
      kinds.add(row);
      numbers.push(number);
      return { text: oneSpelling(row, line) };
    });
    await pipeline(readable, createWriteStream(all));
    const usual = keepLines(splitLines(readBytes(all)), odd, maxRows, (bytes, at) => {
      const text = bytes.toString();
      const row = parseRow(text);
      const field = typeof row === 'object' ? kinds.oddField(row) : row;
      return field === undefined ? { text } : { reason: `${numbers[at - 1]}: ${field}` };
    });
    await pipeline(usual, createWriteStream(copy));
    copies.push(copy);
    if (left.count > 0 && left.count === left.lines)
      throw fileError(file, `cannot be read: line ${left.first}`);
    if (left.count > 0) notes.push(leftOut(`${left.count} of ${left.lines} lines`, file, left.first));
    if (odd.count > 0)
      notes.push(
        `The types are those of the other rows where ${odd.count} of ${odd.lines} have a value of another kind; the first is line ${odd.first}`,
      );
  }
  for (const [key, first] of others)
    notes.push(`${key} is read as ${first}: column names are not case-sensitive`);
  return { files: copies, notes };
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
    if (first !== undefined && rowsChanged === 0) throw new Error('no row can be read');
    if (first === undefined) continue;
    const reason = describeReason(new Error(first.reason), { name: file, path: plain });
    const counted = rejects.length === 1 ? 'a row' : `${rejects.length} rows`;
    notes.push(leftOut(counted, file, `${first.line}: ${reason}`));
  }
  return { files: copies, notes };
}

const leftOut = (what: string, file: string, first: string) =>
  `Without ${what} of ${file}, which the import leaves out too; the first is line ${first}`;

interface LeftOut {
  count: number;
  lines: number;
  first: string;
}

/** @param read the text of a line, from 1, or why it is left out; undefined for a blank one */
async function* keepLines(
  lines: AsyncIterable<Buffer>,
  left: LeftOut,
  maxRows: number,
  read: (line: Buffer, number: number) => { readonly text: string } | { readonly reason: string } | undefined,
): AsyncGenerator<string> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const found = read(line, number);
    if (found === undefined) continue;
    left.lines += 1;
    if ('text' in found) yield `${found.text}\n`;
    else left.count += 1;
    if ('reason' in found) left.first ||= found.reason;
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

/** NaN and Infinity, which DuckDB reads, although JSON does not have them. */
export const bareNumbers = /(?<=[:,[]\s*)-?(?:NaN|Infinity)(?=\s*[,}\]])/g;

/** @returns why a line is not a row */
function parseRow(line: string): object | string {
  let row: unknown;
  try {
    row = parseJson(line.replace(bareNumbers, 'null'));
  } catch {
    return 'it is not JSON';
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return 'it is not an object';
  return hasEqualNames(line, row) ? 'a key occurs twice' : row;
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
