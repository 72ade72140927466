import { readFileSync } from 'node:fs';
import { describeProblem, type Problem, type StartError } from '../errors.ts';
import { atHeaderLines } from './header-lines.ts';

interface PrintOptions {
  /** Texts in place of those of files; a file is read if it has none. */
  readonly textOf?: (file: string) => string | undefined;
}

/** Longer lines are cut around the place of the problem. */
const maxWidth = 120;

/**
 * All problems of a start or a command for people: each with its place, and with the line of the file below it.
 *
 *     queries/logs.sql:14:6 no table is named edge_log: did you mean edge_logs?
 *     14 | from edge_log as t
 *        |      ^^^^^^^^
 */
export function problemsText(
  { message, problems }: Pick<StartError, 'message' | 'problems'>,
  options: PrintOptions = {},
): string {
  const [summary = ''] = message.split(':\n');
  return `${summary}:\n${withSources(problems, options).replace(/^(?=.)/gm, '  ')}${missingTableHint(problems)}`;
}

/** How the tables and functions are declared that SQL names and no file does, and that are not misspelt. */
export function missingTableHint(problems: readonly Problem[]): string {
  const names = problems.flatMap(({ message }) => {
    const [, name] = /^no table is named (.+?)(?=; did you mean |$)/s.exec(message) ?? [];
    return name === undefined || message.includes('; did you mean ') ? [] : [name];
  });
  const ofFunctions = problems.some(({ message }) =>
    /^the function \S+ is not available locally/.test(message),
  )
    ? 'A function of a data set is a file of the folder functions: its CREATE FUNCTION.\n'
    : '';
  if (names.length === 0) return ofFunctions;
  const commands = [...new Set(names)].map((name) => `  ${howDeclared(name)}\n`);
  return `Tables are declared in the folder tables:\n${commands.join('')}A view is a file of the folder views: CREATE VIEW name AS its SELECT.\nquerygate tables import dbt target/manifest.json writes those of a dbt project.\n${ofFunctions}`;
}

function howDeclared(name: string): string {
  const [, ofFile] =
    /^(?:.*[/\\])?([^/\\.]+)\.(?:ndjson|jsonl|json|csv|parquet)(?:\.(?:gz|zst))?$/i.exec(name) ?? [];
  const table = ofFile ?? name.split('.').at(-1) ?? '';
  if (/^[\w-]*\*$/.test(table))
    return `querygate tables add '${table}' <data files that are named after their tables>`;
  if (!/^[\w-]+$/.test(table))
    return `${JSON.stringify(table)} cannot be the name of a table, which has letters, digits, _ and -: querygate tables add ${table.replace(/^\W+|\W+$/g, '').replace(/[^\w-]+/g, '_') || '<name>'} <data file, or output of bq show>`;
  const command = `querygate tables add ${table} <data file, or output of bq show>`;
  return ofFile === undefined ? command : `${command}, and SQL reads it FROM ${table}`;
}

/** Problems with the lines of their files, and carets below the places. */
export function withSources(problems: readonly Problem[], options: PrintOptions = {}): string {
  const textOf = (file: string) => options.textOf?.(file) ?? readText(file);
  return atHeaderLines(problems, textOf)
    .map((problem) => `${printable(describeProblem(problem))}\n${excerpt(problem, textOf)}`)
    .join('');
}

function excerpt(problem: Problem, textOf: (file: string) => string | undefined): string {
  const { file, line } = problem;
  const source =
    file === undefined || line === undefined ? undefined : textOf(file)?.split(/\r?\n/)[line - 1];
  if (source === undefined || source.trim() === '') return '';
  const place = placeOfProblem(source, problem);
  const from = Math.max(0, (place?.start ?? 0) - maxWidth / 2);
  const shown = printable(source.slice(from, from + maxWidth));
  if (place === undefined) return `${line} | ${shown}\n`;
  const margin = ' '.repeat(String(line).length);
  // A tab before the caret keeps it below its character.
  const indent = shown.slice(0, place.start - from).replace(/[^\t]/g, ' ');
  return `${line} | ${shown}\n${margin} | ${indent}${'^'.repeat(place.length)}\n`;
}

/** Where a problem is in its line, from 0, and how long what is wrong; undefined if the whole line is. */
export function placeOfProblem(
  source: string,
  { column, message }: Pick<Problem, 'column' | 'message'>,
): { readonly start: number; readonly length: number } | undefined {
  const start = column === undefined ? placeIn(source, message) : column - 1;
  return start === undefined ? undefined : { start, length: wordLength(source, start) };
}

/** Where a line has the key or the name with which a message begins: `columns.a.type: …`, `unknown: cachng`, `@name …`. */
function placeIn(source: string, message: string): number | undefined {
  const [, unknown] = /^unknown: ([\w-]+)/.exec(message) ?? [];
  const [path = ''] = /^@?[\w.-]+(?=[: ])/.exec(message) ?? [];
  const names = unknown === undefined ? path.split('.').toReversed() : [unknown];
  const places = names.map((name) =>
    name === '' ? -1 : source.search(new RegExp(`(?<![\\w@])${name}(?!\\w)`)),
  );
  return places.find((place) => place >= 0);
}

/** Without characters that control the terminal; of the same length. */
export const printable = (text: string) => text.replace(/[^\P{Cc}\t\n]/gu, ' ');

/** The length of the word at a place, which the carets underline. */
function wordLength(line: string, start: number): number {
  const [word = ''] = /^(?:[\w@]+|`[^`]*`)/.exec(line.slice(start)) ?? [];
  return Math.max(1, Math.min(word.length, maxWidth / 2));
}

/** Saved queries, tables, tests and prompts. Files of settings and keys have secrets, data files have rows. */
const shownFile =
  /\.sql$|[/\\]tables[/\\][^/\\]+\.json$|[/\\]tests[/\\][^/\\]+\.ya?ml$|[/\\]prompts[/\\][^/\\]+\.md$/i;

export function readText(file: string): string | undefined {
  if (!shownFile.test(file)) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
