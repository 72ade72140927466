import { writeFile } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { globText, separatorOf, textStart } from '@querygate/bigquery-sql/command';
import { reservedName } from '@querygate/bigquery-sql/duckdb';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { quoteText } from '@querygate/bigquery-sql/tree';
import { quote } from '@querygate/bigquery-sql/types';
import type { Reject } from '../store/manifest.ts';
import { zipStart } from '../scan/other-kind.ts';
import { readRows } from '../store/statements.ts';
import { bytesWithoutRows, findLongRows } from './long-csv-rows.ts';
import { lineTooLong, maxLineBytes, readLines, withEncodingAdvice } from './read-text.ts';

/**
 * Writes the rows of a CSV file as JSON lines, which are then read by the same rules as those of other formats. Records
 * are JSON text in CSV.
 *
 * @returns the rows that are too long or not valid CSV; the copy does not have them
 * @throws Error if no column is one of the table's, or DuckDB fails and names no row as the cause
 */
export async function copyCsv(
  connection: DuckDBConnection,
  fields: readonly Field[],
  path: string,
  copy: string,
): Promise<readonly Reject[]> {
  const header = await readHeader(path);
  const declared = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  const matched = header.flatMap((column) => {
    const field = declared.get(column.toLowerCase());
    return field === undefined ? [] : [{ column, field }];
  });
  const twice = matched.find(({ field }, at) => matched.findIndex((one) => one.field === field) < at);
  if (twice !== undefined) throw new Error(`its header names the column ${twice.field.name} twice`);
  // A quote that another one ends, rows later, makes those in between a name.
  const isRow = (line: string) => header.length > 1 && line.split(/,(?! )/).length === header.length;
  if (header.some((name) => name.split('\n').slice(1).filter(isRow).length > 1)) throw new Error(openHeader);
  const isOdd = header.some(
    (name, at) => /^"|\r(?!\n)|\uFFFD/.test(name) || (at === 0 && /^sep=/i.test(name)),
  );
  if (header.length > 0 && (matched.length === 0 || isOdd)) {
    const problem = await headerProblem(path);
    if (problem !== undefined || matched.length === 0)
      throw new Error(problem ?? 'its header names no column of the table');
  }

  // DuckDB's own detection of the header loses rows when a line is malformed, so every option is given.
  const names = new Set(matched.map(({ column }) => column));
  // Columns that no field names may have equal names, which DuckDB refuses.
  const columns = header
    .map((column, at) => `${quoteText(names.has(column) ? column : reservedName(`column ${at}`))}: 'VARCHAR'`)
    .join(', ');
  const rows = (moreOptions: string) =>
    header.length === 0
      ? `SELECT '' WHERE false`
      : `SELECT ${rowAsJson(matched)} FROM read_csv(${globText(path)}, auto_detect = false, header = true,
          columns = {${columns}}, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false,
          hive_partitioning = false, max_line_size = ${maxLineBytes}, buffer_size = ${bufferBytes}${moreOptions})`;
  const write = (moreOptions: string) =>
    connection.run(
      `COPY (${rows(moreOptions)}) TO ${quoteText(copy)} (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x1f')`,
    );

  try {
    await write('');
    return [];
  } catch (error) {
    const longRows = await findLongRows(path);
    if (longRows.length > 0) {
      // DuckDB rejects each line of such a row, with memory for all of them, or loses the row.
      const shortRows = `${copy}-short-rows`;
      await writeFile(shortRows, bytesWithoutRows(path, longRows));
      const rejects = await copyCsv(connection, fields, shortRows, copy);
      return [...longRows.map(({ line }) => ({ line, reason: lineTooLong })), ...rejects];
    }
    await connection.run('DROP TABLE IF EXISTS csv_rejects; DROP TABLE IF EXISTS csv_scans');
    await write(
      `, store_rejects = true, rejects_limit = 0, rejects_table = 'csv_rejects', rejects_scan = 'csv_scans'`,
    );
    const errors = await readRows(
      connection,
      'SELECT line, min_by(error_message, coalesce(column_idx, 0)) FROM csv_rejects GROUP BY line ORDER BY line',
    );
    if (errors.length === 0) throw error;
    return errors.map(([line, reason]) => ({
      line: Number(line),
      reason: withEncodingAdvice(String(reason)),
    }));
  }
}

/** DuckDB's default is sixteen of the longest lines. */
const bufferBytes = 2 * maxLineBytes;

/** A CSV column and the field whose values it has. */
interface MatchedColumn {
  readonly column: string;
  readonly field: Field;
}

/**
 * If a cell must be JSON and is not, the row becomes a line that is not JSON, and is rejected like other such lines.
 */
function rowAsJson(matched: readonly MatchedColumn[]): string {
  const isJson = ({ fields, mode, type }: Field) =>
    fields !== undefined || mode === 'REPEATED' || type === 'JSON';
  const members = matched.map(({ column, field }) => {
    const value = isJson(field) ? `CAST(${quote(column)} AS JSON)` : quote(column);
    return `${quote(field.name)} := ${value}`;
  });
  const isInvalid = matched
    .filter(({ field }) => isJson(field))
    .map(({ column }) => `NOT coalesce(json_valid(${quote(column)}), true)`);
  const row = `CAST(to_json(struct_pack(${members.join(', ')})) AS VARCHAR)`;
  return isInvalid.length === 0
    ? row
    : `CASE WHEN ${isInvalid.join(' OR ')} THEN 'a cell is not JSON' ELSE ${row} END`;
}

/**
 * The names of the columns of a CSV file; none of one that has only blank lines. A column without a name, as that of an index, has the name that
 * DuckDB gives it: `column0`.
 *
 * @throws Error if the first line is blank, and others are not
 */
export async function readHeader(path: string): Promise<readonly string[]> {
  const header = await headerText(path);
  if (header === '') return [];
  // A comma before the first name, too: it may be empty. Spaces around names are not part of them.
  const cells = `,${header}`.matchAll(/, *(?:"((?:[^"]|"")*)" *(?=,|$)|([^,]*))/g);
  return [...cells].map(
    ([, quoted, bare], at) => (quoted?.replaceAll('""', '"') ?? bare?.trim() ?? '') || `column${at}`,
  );
}

/**
 * The text that names the columns: the first line, and those after it that a name in quotes has. '' of a file that has only blank lines.
 *
 * @throws Error if the first line is blank, and others are not
 */
async function headerText(path: string): Promise<string> {
  let [isBlank, isOpen, first, record] = [false, false, '', ''];
  for await (const line of readLines(path)) {
    if (record === '') {
      first = line.replace(/^\uFEFF/, '').trimEnd();
      if (first !== '' && isBlank) throw new Error(blankHeader);
      isBlank = first === '';
      if (isBlank) continue;
      record = line.replace(/^\uFEFF/, '');
    } else record += `\n${line}`;
    isOpen = !wholeCells.test(isOpen ? `,"…${line}` : `,${record}`);
    if (!isOpen) return record.trimEnd();
    if (record.length > maxHeaderLength) break;
  }
  return first;
}

/** Cells, each behind a comma, of which none ends in a later line. */
const wholeCells = /^(?:, *"(?:[^"]|"")*"(?!")[^,]*|,(?! *")[^,]*)*$/;
/** Those whose quotes end with their names: DuckDB loses the rows after others. */
const namedCells = /^(?:, *"(?:[^"]|"")*" *(?=,|$)|,(?! *")[^,]*)*$/;
const maxHeaderLength = 100_000;

const blankHeader = 'must name its columns in the first line, which is blank';

/** Why the header of a CSV file does not name the columns of its rows; undefined if it may. */
export async function headerProblem(path: string): Promise<string | undefined> {
  const { header: line, problem, wrongLine } = await textStart(path);
  const foreign = foreignStarts.find(({ begin }) => begin.test(line));
  if (foreign !== undefined) return foreign.problem;
  // Of other lines, the import leaves out those that are not UTF-8.
  if (problem !== undefined && wrongLine === 1) return problem;
  const header = await headerText(path).catch(() => line);
  if (/\r(?!\n)/.test(header))
    return "must have lines that end in LF or CRLF; they end in CR: tr '\\r' '\\n'";
  if (header.trim() === '' && (await hasText(path))) return blankHeader;
  if (header.startsWith('#') && (await isComment(path, header))) return commentHeader;
  const separator = separatorOf(header) ?? ',';
  if (separator === ',') return namedCells.test(`,${header}`) ? undefined : openHeader;
  return `must have values separated by commas, found ${separator === '\t' ? 'tabs' : separator}; save it with commas`;
}

const openHeader = 'its header has a quote that does not end its name';

const commentHeader = 'must name its columns in the first line, which is a comment: leave it out';

/** First lines of files that are not CSV, or name their columns below. */
const foreignStarts: readonly { readonly begin: RegExp; readonly problem: string }[] = [
  {
    begin: /^"?sep=.{0,2}"?\s*$/i,
    problem: 'must name its columns in the first line, which is a separator for Excel (sep=): leave it out',
  },
  {
    begin: new RegExp(`^${zipStart}`),
    problem: 'is not CSV, but a zip archive or a workbook: unpack it, or save it as CSV',
  },
  { begin: /^PAR1/, problem: 'is not CSV, but Parquet: its name must end in .parquet' },
  {
    begin: /^(?:\p{Cc}\ufffd|[(]\ufffd\/\ufffd)/u,
    problem: 'is not CSV, but compressed: its name must end in .gz or .zst',
  },
  {
    begin: /^\s*(?:\{\s*(?:"|$)|\[\s*(?:[{[]|$))/,
    problem: 'is not CSV, but JSON: its name must end in .ndjson or .json',
  },
];

/** True for a first line with `#` that has not as many values as the line after it, or is one text of several words. */
async function isComment(path: string, header: string): Promise<boolean> {
  const count = (line: string) => line.replace(/"(?:[^"]|"")*"/g, '').split(',').length;
  let isFirst = true;
  for await (const line of readLines(path)) {
    if (!isFirst && line.trim() !== '')
      return count(line) !== count(header) || (count(header) === 1 && /^#+\s/.test(header));
    isFirst = false;
  }
  return false;
}

/** True if a line is not blank. */
async function hasText(path: string): Promise<boolean> {
  for await (const line of readLines(path)) if (line.replace(/^\uFEFF/, '').trim() !== '') return true;
  return false;
}
