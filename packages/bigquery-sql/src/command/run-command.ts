import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { DuckDBConnection } from '@duckdb/node-api';
import { storedTables } from '../duckdb/open-session.ts';
import { describeDataRow } from '../files/data-row.ts';
import {
  compile,
  type Failure,
  type Outcome,
  openSession,
  type RunOptions,
  type StoredTable,
} from '../index.ts';
import { describeProblem, ProblemError } from '../problem.ts';
import { quoteText } from '../tree/quote-text.ts';
import { quote } from '../types.ts';
import { checkNotFile, type DataFile, openDataFiles, parseDataFile } from './file-tables.ts';
import { outcomeCsv, outcomeJson, outcomeText } from './output.ts';
import { applyParameters, commandError, parseParameters, stringParameters } from './parameter-option.ts';
import { readStatements } from './read-statements.ts';

const usage = `Usage: bigquery-sql [options] [sql…] [data…]

Runs BigQuery's SQL on DuckDB: statements that are given, of files, or of standard input.

  bigquery-sql 'SELECT status, COUNT(*) AS n FROM events GROUP BY status' events.csv

A data file is a table of its name: .csv, .tsv, .ndjson, .jsonl (each may be followed by .gz or .zst) and .parquet. With
name=file the table has another name, and the file may be a pattern: events='logs/*.parquet'.

  -f, --file <file>             SQL of a file, or a JSON array of statements; may be repeated
  -p, --parameter <name=value>  a value of @name, a STRING; name:TYPE=value for another type, repeated for an ARRAY
  -d, --database <file>         a DuckDB file with the tables, opened read-only; none by default
  -c, --compile                 print the SQL for DuckDB, without running it
      --explain                 print it with and without passes, and what each pass does
      --csv                     print rows as CSV, with a line of names before them
      --json                    print a line of JSON for each statement
      --timeout <seconds>       what one statement may take; no limit by default
      --max-rows <rows>         rows beyond these are not read
  -h, --help

Exits with 0, with 1 if a statement failed, with 2 if the command line is wrong.
`;

const options = {
  file: { type: 'string', short: 'f', multiple: true, default: [] as string[] },
  parameter: { type: 'string', short: 'p', multiple: true, default: [] as string[] },
  database: { type: 'string', short: 'd' },
  compile: { type: 'boolean', short: 'c', default: false },
  explain: { type: 'boolean', default: false },
  csv: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  timeout: { type: 'string' },
  'max-rows': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** A statement that was compiled, not run. */
interface Compiled {
  readonly sql: string;
}

/** Runs the command of this process, and sets its exit code. */
export async function runProgram(): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    const isUsage = error instanceof ProblemError || isParseError(error);
    const problems = error instanceof ProblemError ? error.problems.map(describeProblem) : [messageOf(error)];
    const hint = isParseError(error) ? ' (--help lists the options)' : '';
    process.stderr.write(`${problems.join('\n')}${hint}\n`);
    process.exitCode = isUsage ? 2 : 1;
  }
}

function isParseError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const parameters = parseParameters(values.parameter);
  const parsed = positionals.map((text) => parseDataFile(text) ?? text);
  const data = parsed.filter((one) => typeof one !== 'string');
  const given = parsed.filter((one) => typeof one === 'string');
  for (const text of given) checkNotFile(text);
  const texts = await readStatements(values.file, given);
  const limits = {
    parameters: stringParameters(parameters),
    ...(values.timeout && { timeoutMs: 1000 * positiveNumber('--timeout', values.timeout) }),
    ...(values['max-rows'] && { maxRows: positiveNumber('--max-rows', values['max-rows']) }),
  };
  const hasNoTables = values.database === undefined && data.length === 0;
  // DuckDB is loaded only if it is needed: SQL without tables is compiled without it.
  const connection = values.compile && hasNoTables ? undefined : await connect(values.database, data);
  const answer = await openAnswer(connection, values, limits);
  let exitCode = 0;
  for (const [at, text] of texts.entries()) {
    const { sql, originalColumn } = applyParameters(text, parameters);
    const startedAt = performance.now();
    const answered = await answer(sql);
    const failed = 'error' in answered ? await withDataLine(withColumns(answered, originalColumn)) : answered;
    const outcome = hasNoTables && 'error' in failed ? withHint(failed) : failed;
    if ('error' in outcome) exitCode = 1;
    if (values.csv && 'rows' in outcome) process.stdout.write(outcomeCsv(outcome));
    else if (values.json) process.stdout.write(outcomeJson(at + 1, outcome));
    else if ('sql' in outcome) process.stdout.write(`${outcome.sql};\n`);
    else if ('error' in outcome) process.stderr.write(outcomeText(outcome, 0));
    else process.stdout.write(outcomeText(outcome, performance.now() - startedAt));
  }
  connection?.closeSync();
  return exitCode;
}

/** Opens the function that answers statements: with rows, an explanation, or their SQL for DuckDB. */
async function openAnswer(
  connection: DuckDBConnection | undefined,
  { compile, explain }: { readonly compile: boolean; readonly explain: boolean },
  limits: RunOptions,
): Promise<(sql: string) => Promise<Outcome | Compiled>> {
  if (connection === undefined) return async (sql) => compiled(sql, []);
  if (compile) {
    const tables = await storedTables(connection);
    return async (sql) => compiled(sql, tables);
  }
  const session = await openSession(connection);
  return (sql) => (explain ? session.explain(sql, limits) : session.run(sql, limits));
}

function compiled(sql: string, tables: readonly StoredTable[]): Compiled | Failure {
  try {
    return { sql: compile(sql, { tables }).sql };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const [first = { line: 1, column: 1, message: error.message }, ...more] = error.problems.map(
      ({ line = 1, column = 1, message }) => ({ line, column, message }),
    );
    return { error: { stage: 'refused', ...first, more } };
  }
}

/** Of people who have not seen how rows are given. */
function withHint({ error }: Failure): Failure {
  const [, table] = /^no table is named ([a-z_]\w*)$/i.exec(error.message) ?? [];
  return table === undefined
    ? { error }
    : { error: { ...error, message: `${error.message}: give the file of its rows, as in ${table}.csv` } };
}

async function withDataLine(failure: Failure): Promise<Failure> {
  const { dataRow, ...error } = failure.error;
  return dataRow === undefined ? failure : { error: { ...error, message: await describeDataRow(dataRow) } };
}

/** Values of parameters are in the SQL as literals: a problem has the place in the text that was given. */
function withColumns(
  { error: { more = [], ...first } }: Failure,
  originalColumn: (line: number, column: number) => number,
): Failure {
  const placed = <T extends { readonly line: number; readonly column: number }>(problem: T): T => ({
    ...problem,
    column: originalColumn(problem.line, problem.column),
  });
  return { error: { ...placed(first), ...(more.length > 0 && { more: more.map(placed) }) } };
}

/** A connection to a database in memory, with a view of each table of the database file, and of each data file. */
async function connect(file: string | undefined, data: readonly DataFile[]): Promise<DuckDBConnection> {
  const { DuckDBInstance } = await import('@duckdb/node-api').catch((error: unknown) => {
    throw new Error('@duckdb/node-api is not installed: npm install @duckdb/node-api', { cause: error });
  });
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  if (file !== undefined) await openDatabaseFile(connection, file);
  await openDataFiles(connection, data);
  return connection;
}

async function openDatabaseFile(connection: DuckDBConnection, file: string): Promise<void> {
  if (!existsSync(file)) throw commandError(`--database: ${file} does not exist`);
  try {
    await connection.run(`ATTACH ${quoteText(file)} AS data (READ_ONLY)`);
    // Macros are defined in the current database, so that it stays the one in memory.
    const tables = await connection.runAndReadAll(
      "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'data' AND table_schema = 'main'",
    );
    for (const [name] of tables.getRows())
      await connection.run(`CREATE VIEW ${quote(String(name))} AS FROM data.${quote(String(name))}`);
  } catch (error) {
    throw commandError(`--database: ${file} cannot be opened: ${messageOf(error)}`);
  }
}

function positiveNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw commandError(`${option}: got ${JSON.stringify(text)}; must be a whole number from 1 to 999999`);
}
