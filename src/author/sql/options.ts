import {
  applyParameters,
  parseParameters,
  readStatements,
  stringParameters,
} from '@querygate/bigquery-sql/command';
import { commandError, parseCount } from '../arguments.ts';

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
export async function readSqlOptions(given: readonly string[], values: SqlFlags): Promise<SqlOptions> {
  const json = values.json ?? false;
  const parameters = parseParameters(values.parameter ?? []);
  const texts = await readStatements(values.file ?? [], given);
  return {
    statements: texts.map((text) => ({
      ...applyParameters(text, parameters),
      parameters: stringParameters(parameters),
    })),
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
