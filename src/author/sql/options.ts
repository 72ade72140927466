import { existsSync, readFileSync } from 'node:fs';
import { parseJson } from '@querygate/bigquery-sql/text';
import { commandError, parseCount } from '../arguments.ts';
import { applyParameters, type Parameter, parseParameters } from '@querygate/bigquery-sql/command';
import { splitStatements } from '@querygate/bigquery-sql/command';

/** A statement to run, with what restores positions in the text that the user gave. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The column of the original text, for a column of `sql` in a line. */
  originalColumn(line: number, column: number): number;
}

interface SqlOptions {
  readonly statements: readonly SqlStatement[];
  readonly json: boolean;
  readonly explain: boolean;
  readonly timeoutMs: number;
  readonly maxRows: number;
}

const defaultTableRows = 100;

/** The options of `querygate sql`, as given. */
export interface SqlFlags {
  readonly file?: string[];
  readonly parameter?: string[];
  readonly json?: boolean;
  readonly explain?: boolean;
  readonly timeout: string;
  readonly maxRows?: string;
}

/**
 * @param given statements and files
 * @throws StartError
 */
export async function readSqlOptions(
  given: readonly string[],
  values: SqlFlags,
  input: NodeJS.ReadStream,
): Promise<SqlOptions> {
  const json = values.json ?? false;
  const parameters = parseParameters(values.parameter ?? []);
  const sources = [...(values.file ?? []).map(readStatements), ...given.map(readArgument)];
  const texts = sources.length > 0 ? sources.flat() : splitStatements(await readInput(input));
  return {
    statements: texts.map((sql) => toStatement(sql, parameters)),
    json,
    explain: values.explain ?? false,
    timeoutMs: parseTimeout(values.timeout),
    maxRows: parseCount('--max-rows', values.maxRows) ?? (json ? Number.MAX_SAFE_INTEGER : defaultTableRows),
  };
}

function parseTimeout(text: string): number {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,6})(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(amount) * (unitMs[unit] ?? 0);
  if (ms > 0) return ms;
  throw commandError(`--timeout: got ${JSON.stringify(text)}; must be a duration, as in 500ms, 10s or 2m`);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

const readArgument = (text: string): readonly string[] =>
  /\.(sql|json)$/i.test(text) && existsSync(text) ? readStatements(text) : splitStatements(text);

function readStatements(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw commandError(`--file: ${file} cannot be read`);
  }
  return /\.json$/i.test(file) ? parseTexts(file, text) : splitStatements(text);
}

/** The texts of a JSON array; each is one statement. */
function parseTexts(file: string, json: string): readonly string[] {
  const invalid = commandError(
    `--file: ${file} must be a JSON array of texts, or of objects with a text sql`,
  );
  let content: unknown;
  try {
    content = parseJson(json);
  } catch {
    throw invalid;
  }
  if (!Array.isArray(content)) throw invalid;
  return content.map((item: unknown) => {
    const text = typeof item === 'object' && item !== null && 'sql' in item ? item.sql : item;
    if (typeof text !== 'string') throw invalid;
    return text;
  });
}

async function readInput(input: NodeJS.ReadStream): Promise<string> {
  if (input.isTTY) throw commandError('expected a statement, a file, or SQL on standard input');
  const chunks = await Array.fromAsync(input as AsyncIterable<Buffer>);
  return Buffer.concat(chunks).toString('utf8');
}

function toStatement(text: string, parameters: readonly Parameter[]): SqlStatement {
  const { sql, originalColumn } = applyParameters(text, parameters);
  const strings = parameters.flatMap(({ name, literal, value }) =>
    literal === undefined ? [[name, value] as const] : [],
  );
  return { sql, parameters: Object.fromEntries(strings), originalColumn };
}
