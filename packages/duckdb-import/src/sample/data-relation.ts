import type { DuckDBConnection } from '@duckdb/node-api';
import { globText, isoDates } from '@querygate/bigquery-sql/command';
import { sampledRows } from '@querygate/bigquery-sql/duckdb';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { quote } from '@querygate/bigquery-sql/types';
import { listShort } from '@querygate/text';
import { type DataFile, kindOf } from '../scan/data-files.ts';
import { readRows } from '../store/statements.ts';
import { headerProblem } from '../read/csv-copy.ts';

const jsonOptions = `sample_size = ${sampledRows}, maximum_depth = -1, union_by_name = true, ${isoDates}, timestampformat = 'iso'`;

/** As the import reads CSV: DuckDB would detect other quotes and comments. */
const csvDialect = `skip = 0, delim = ',', quote = '"', escape = '"', comment = '', strict_mode = true`;

const readers: Readonly<Record<DataFile['format'], (paths: string) => string>> = {
  ndjson: (paths) => `read_json(${paths}, format = 'newline_delimited', ${jsonOptions})`,
  json: (paths) => `read_json(${paths}, ${jsonOptions})`,
  csv: (paths) =>
    `read_csv(${paths}, header = true, ${csvDialect}, sample_size = ${sampledRows}, union_by_name = true, ${isoDates})`,
  parquet: (paths) => `read_parquet(${paths}, hive_partitioning = false, union_by_name = true)`,
};

/**
 * The newest moment in the TIMESTAMP and DATETIME columns of a file, or noon of its newest DATE, in UTC. Without such columns,
 * the newest moment in integers and texts whose names are those of times. Undefined if the file has no moment.
 *
 * @param connection to an empty database in memory, whose time zone it sets
 * @throws ProblemError if the file has no known format
 */
export async function newestMoment(
  connection: DuckDBConnection,
  file: string,
  fields: readonly Field[],
): Promise<Date | undefined> {
  const columnsOf = (types: readonly string[], named = /(?:)/) =>
    fields
      .filter(({ name, type, mode }) => types.includes(type) && mode !== 'REPEATED' && named.test(name))
      .map(({ name }) => quote(name));
  const moments = [
    ...columnsOf(['TIMESTAMP']).map((name) => `max(try_cast(${name} AS TIMESTAMPTZ))`),
    ...columnsOf(['DATETIME']).map((name) => `max(try_cast(${name} AS TIMESTAMP))::TIMESTAMPTZ`),
  ];
  const days = columnsOf(['DATE']).map(
    (name) => `(max(try_cast(${name} AS DATE)) + INTERVAL 12 HOUR)::TIMESTAMPTZ`,
  );
  // CSV has no types: digits may be read as a number, and a number as a text.
  const dayTexts = columnsOf(['STRING'], /(?:^|_)(?:date|day)$/i).map(
    (name) =>
      `(max(coalesce(try_strptime(${name}::VARCHAR, '%Y%m%d'), try_cast(${name}::VARCHAR AS DATE))) + INTERVAL 12 HOUR)::TIMESTAMPTZ`,
  );
  const counts = columnsOf(['INTEGER', 'INT64'], /(?:^|_)(?:timestamp|time|ts|at|micros|millis)$/i).map(
    (name) => `max(${momentOfCount(`try_cast(${name} AS BIGINT)`)})::TIMESTAMPTZ`,
  );
  const used = [moments, days, [...dayTexts, ...counts]].find(({ length }) => length > 0) ?? [];
  if (used.length === 0) return undefined;
  const { relation } = relationOf([file]);
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const sql = `SELECT epoch_ms(greatest(${used.join(', ')})) FROM ${relation}`;
    const newest = (await readRows(connection, sql))[0]?.[0];
    return typeof newest === 'bigint' ? new Date(Number(newest)) : undefined;
  } catch {
    // The file lacks the column, or a value is not a moment: the author knows better.
    return undefined;
  }
}

/** The moment that a number means, which may count microseconds, milliseconds or seconds since 1970. */
const momentOfCount = (count: string): string =>
  `CASE WHEN ${count} > 1e14 THEN make_timestamp(${count}) WHEN ${count} > 1e11 THEN epoch_ms(${count}) WHEN ${count} > 1e8 THEN epoch_ms(${count} * 1000) END`;

/** The rows of data files of one format. */
export interface DataRelation {
  readonly file: string;
  /** In DuckDB's FROM. */
  readonly relation: string;
  /** True for formats without types. */
  readonly isText: boolean;
  /** The same rows with every value as text, if the format has nothing else: CSV. */
  readonly texts: string | undefined;
}

/** @throws ProblemError if the files have no known format, or several */
export function relationOf(files: readonly string[]): DataRelation {
  const [file = ''] = files;
  const format = formatOf(file);
  if (format === undefined) {
    throw fileError(
      file,
      'must end in .ndjson, .jsonl, .json, .csv (each may be followed by .gz or .zst) or .parquet',
    );
  }
  const other = files.find((one) => formatOf(one) !== format);
  if (other !== undefined) throw fileError(other, `must have the format of ${file}`);
  const relation = readers[format](`[${files.map(globText).join(', ')}]`);
  const texts = format === 'csv' ? relation.replace(/\)$/, ', all_varchar = true)') : undefined;
  return { file, relation, isText: format !== 'parquet', texts };
}

function formatOf(file: string): DataFile['format'] | undefined {
  const { compression, format } = kindOf(file) ?? {};
  return format === 'parquet' && compression !== undefined ? undefined : format;
}

export const fileError = (file: string, message: string) =>
  new ProblemError('The data file cannot be used', [{ file, message }]);

/**
 * Refuses files from whose rows no table can be read: those without rows, CSV with another separator, and CSV with two
 * columns of one name.
 *
 * @param given the files as the author named them, for messages
 * @returns whether there are rows, as CSV may have a header only, and notes on the names in it
 * @throws ProblemError
 */
export async function checkRows(
  connection: DuckDBConnection,
  files: readonly string[],
  { relation }: DataRelation,
  given: readonly string[],
): Promise<{ readonly hasRows: boolean; readonly headerNotes: readonly string[] }> {
  const headerNotes = new Set<string>();
  for (const [at, file] of files.entries()) {
    if (formatOf(file) !== 'csv') continue;
    const problem = await headerProblem(file);
    if (problem !== undefined) throw fileError(given[at] ?? file, problem);
    const names = await firstLine(connection, file);
    checkHeaderLine(
      given[at] ?? file,
      names.map((name, column) => name ?? nameOf(column)),
    );
    for (const note of notesOnHeader(names)) headerNotes.add(note);
  }
  const hasRows = (await readRows(connection, `SELECT 1 FROM ${relation} LIMIT 1`)).length > 0;
  // The header of CSV says what the columns are.
  if (!hasRows && formatOf(files[0] ?? '') !== 'csv')
    throw fileError(given.join(', '), 'has no rows, which would show the fields');
  return { hasRows, headerNotes: [...headerNotes] };
}

/** A column without a name has that of its place. */
const nameOf = (column: number) => `column${column}`;

function notesOnHeader(names: readonly (string | undefined)[]): readonly string[] {
  const unnamed = names.flatMap((name, at) => (name === undefined ? nameOf(at) : []));
  const values = names.filter((name = '') => /^[+-]?\d+(?:[.,:/-]\d+)*$/.test(name)).map(String);
  return [
    ...unnamed.map((name) => `${name} has no name in the header: it is numbered by its place`),
    ...(values.length === 0
      ? []
      : [
          `The first line names the columns: if ${listShort(values)} are values, write a line of names before it`,
        ]),
  ];
}

async function firstLine(
  connection: DuckDBConnection,
  file: string,
): Promise<readonly (string | undefined)[]> {
  const [first = []] = await readRows(
    connection,
    `SELECT * FROM read_csv(${globText(file)}, header = false, all_varchar = true, ${csvDialect}, sample_size = 1) LIMIT 1`,
  );
  return first.map((name) => (name === null ? undefined : String(name)));
}

function checkHeaderLine(file: string, names: readonly string[]): void {
  const [first] = names;
  if (first === undefined) throw fileError(file, 'has no header line, which would name the columns');
  const lower = names.map((name) => name.toLowerCase());
  const twin = names.find((_, at) => lower.indexOf(lower[at] ?? '') < at);
  if (twin !== undefined) throw fileError(file, `has two columns named ${twin}`);
}
