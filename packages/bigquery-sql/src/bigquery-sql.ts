#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { outcomeJson, outcomeText } from './command/output.ts';
import { applyParameters, commandError, parseParameters } from './command/parameter-option.ts';
import { splitStatements } from './command/split-statements.ts';
import { compile, openSession } from './index.ts';
import { describeProblem, ProblemError } from './problem.ts';
import { quoteText } from './tree/quote-text.ts';
import { quote } from './types.ts';

const usage = `Usage: bigquery-sql [options] [sql…]

Runs BigQuery's SQL on DuckDB: statements that are given, of files, or of standard input.

  -f, --file <file>             SQL of a file, or a JSON array of statements; may be repeated
  -p, --parameter <name=value>  a value of @name, a STRING; name:TYPE=value for another type, repeated for an ARRAY
  -d, --database <file>         a DuckDB file with the tables, opened read-only; none by default
  -c, --compile                 print the SQL for DuckDB, without running it
      --explain                 print it with and without passes, and what each pass does
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
  json: { type: 'boolean', default: false },
  timeout: { type: 'string' },
  'max-rows': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage =
    error instanceof ProblemError || /^ERR_PARSE_ARGS/.test(String((error as { code?: unknown }).code));
  const problems = error instanceof ProblemError ? error.problems.map(describeProblem) : [String(error)];
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exitCode = isUsage ? 2 : 1;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const parameters = parseParameters(values.parameter);
  const given = [...values.file.flatMap(readStatements), ...positionals.flatMap(splitStatements)];
  const texts = given.length > 0 ? given : splitStatements(await readInput());
  const strings = parameters.flatMap(({ name, literal, value }) =>
    literal === undefined ? [[name, value] as const] : [],
  );
  const statements = texts.map((text) => applyParameters(text, parameters));
  if (values.compile) return compileAll(statements.map(({ sql }) => sql));

  const limits = {
    parameters: Object.fromEntries(strings),
    ...(values.timeout && { timeoutMs: 1000 * positiveNumber('--timeout', values.timeout) }),
    ...(values['max-rows'] && { maxRows: positiveNumber('--max-rows', values['max-rows']) }),
  };
  const connection = await connect(values.database);
  const session = await openSession(connection);
  let exitCode = 0;
  for (const [at, { sql, originalColumn }] of statements.entries()) {
    const startedAt = performance.now();
    const outcome = values.explain ? await session.explain(sql, limits) : await session.run(sql, limits);
    const shown =
      'error' in outcome
        ? { error: { ...outcome.error, column: originalColumn(outcome.error.line, outcome.error.column) } }
        : outcome;
    if ('error' in outcome) exitCode = 1;
    if (values.json) process.stdout.write(outcomeJson(at + 1, shown));
    else if ('error' in outcome) process.stderr.write(outcomeText(shown, 0));
    else process.stdout.write(outcomeText(shown, performance.now() - startedAt));
  }
  connection.closeSync();
  return exitCode;
}

function compileAll(texts: readonly string[]): number {
  let exitCode = 0;
  for (const text of texts) {
    try {
      process.stdout.write(`${compile(text).sql};\n`);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      for (const { line, column, message } of error.problems)
        process.stderr.write(`${line}:${column} refused: ${message}\n`);
      exitCode = 1;
    }
  }
  return exitCode;
}

/** The library is loaded only here: SQL is compiled without it. */
async function connect(database: string | undefined) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  if (database === undefined) return connection;
  if (!existsSync(database)) throw commandError(`--database: ${database} does not exist`);
  await connection.run(`ATTACH ${quoteText(database)} AS data (READ_ONLY)`);
  // Macros are defined in the current database, so that it stays the one in memory.
  const tables = await connection.runAndReadAll(
    "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'data' AND table_schema = 'main'",
  );
  for (const [name] of tables.getRows())
    await connection.run(`CREATE VIEW ${quote(String(name))} AS FROM data.${quote(String(name))}`);
  return connection;
}

/** The statements of a file, each with its place. */
function readStatements(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw commandError(`--file: ${file} cannot be read`);
  }
  if (!/\.json$/i.test(file)) return splitStatements(text);
  const list: unknown = JSON.parse(text);
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw commandError(`--file: ${file} must be a JSON array of texts`);
}

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) throw commandError('expected a statement, a file, or SQL on standard input');
  const chunks = await Array.fromAsync(process.stdin as AsyncIterable<Buffer>);
  return Buffer.concat(chunks).toString('utf8');
}

function positiveNumber(option: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw commandError(`${option}: got ${JSON.stringify(text)}; must be a whole number from 1 to 999999`);
}
