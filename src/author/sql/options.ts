import {
  applyParameters,
  parseParameters,
  readStatements,
  stringParameters,
} from '@querygate/bigquery-sql/command';
import type { Failure } from '@querygate/bigquery-sql/duckdb';
import { bindTexts } from '../../catalog/binding/bind.ts';
import { parseSavedQuery } from '../../catalog/header/parse-saved-query.ts';
import type { Link } from '../../catalog/header/link.ts';
import { commandError, parseCount } from '../arguments.ts';
import { type LinkedStatement, linkStatement, partsLink } from './link-statement.ts';

/** A statement to run, with what restores places in the text that the user gave. */
export interface SqlStatement extends Pick<LinkedStatement, 'listedViews'> {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** A problem of `sql` as one of the original text, or of the file of a part that it reads. */
  readonly original: LinkedStatement['original'];
}

interface SqlOptions {
  /** Each, or why it is refused. */
  readonly statements: readonly (SqlStatement | Failure)[];
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
 * @param statements texts, and names of files
 * @throws StartError
 */
export async function readSqlOptions(
  statements: readonly string[],
  values: SqlFlags,
  queriesDir: string,
): Promise<SqlOptions> {
  const json = values.json ?? false;
  const given = values.parameter ?? [];
  const texts = await readStatements(values.file ?? [], statements);
  const link = partsLink(queriesDir);
  return {
    statements: texts.map((text) => {
      const all = [...defaultParameters(text, given, link), ...given];
      const parameters = parseParameters(all);
      const linked = linkStatement(text, all, link);
      if ('error' in linked) return linked;
      const { sql, originalColumn } = applyParameters(linked.text, parameters);
      return {
        sql,
        parameters: stringParameters(parameters),
        listedViews: linked.listedViews,
        original: ({ message, line, column }) =>
          linked.original({ message, line, column: originalColumn(line, column) }),
      };
    }),
    json,
    explain: values.explain ?? false,
    timeoutMs: parseTimeout(values.timeout),
    maxRows: parseCount('--max-rows', values.maxRows) ?? (json ? Number.MAX_SAFE_INTEGER : defaultTableRows),
  };
}

/**
 * The parameters of a saved query that are not given, as its header has them: its defaults, else '' or no elements, as the gateway
 * binds those that a caller leaves out; none of a text without a header, or with a wrong one.
 */
function defaultParameters(text: string, given: readonly string[], link: Link): readonly string[] {
  const { query } = parseSavedQuery('statement', 'statement', text, link);
  if (query === undefined) return [];
  const isGiven = (name: string) =>
    given.some(
      (one) => one.toLowerCase().startsWith(name.toLowerCase()) && /^[:=]/.test(one.slice(name.length)),
    );
  // Of a required one, only the author knows a value.
  const left = query.parameters.filter(({ name, required }) => !required && !isGiven(name));
  const { parameters } = bindTexts({ ...query, parameters: left }, () => undefined, Date.now());
  return left.flatMap(({ name, bind = 'STRING' }) => {
    const value = parameters[name] ?? '';
    if (typeof value !== 'string')
      return value.length === 0
        ? `${name}:ARRAY<${bind}>=`
        : value.map((one) => `${name}:ARRAY<${bind}>=${one}`);
    return value === '' && bind !== 'STRING' ? [] : `${name}:${bind}=${value}`;
  });
}

function parseTimeout(text: string): number {
  const [, amount = '', unit = ''] = /^([1-9]\d{0,6})(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(amount) * (unitMs[unit] ?? 0);
  if (ms > 0) return ms;
  throw commandError(`--timeout: got ${JSON.stringify(text)}; must be a duration, as in 500ms, 10s or 2m`);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
