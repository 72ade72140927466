import { readFileSync } from 'node:fs';
import { describeProblem, type Problem, type StartError } from '../../errors.ts';

interface PrintOptions {
  /** The text of a file; undefined if there is no such file. By default it is read. */
  readonly textOf?: (file: string) => string | undefined;
}

/** Longer lines are cut around the place of the problem. */
const maxWidth = 120;

/**
 * All problems of a start or a command for people: each with its place, and with the line of the file below it.
 *
 *     queries/logs.sql:14:6 no table is named edge_log: did you mean edge_logs?
 *       14 | from edge_log as t
 *          |      ^
 */
export function problemsText({ message, problems }: StartError, options: PrintOptions = {}): string {
  const [summary = ''] = message.split(':\n');
  return `${summary}:\n${problems.map((problem) => problemText(problem, options)).join('')}`;
}

/** One problem, as `problemsText` has it. */
export function problemText(problem: Problem, { textOf = readText }: PrintOptions = {}): string {
  const head = `  ${describeProblem(problem)}\n`;
  const { file, line, column } = problem;
  const source =
    file === undefined || line === undefined ? undefined : textOf(file)?.split(/\r?\n/)[line - 1];
  if (source === undefined || source.trim() === '') return head;
  const start = column === undefined ? source.search(/\S/) : column - 1;
  const cutBefore = Math.max(0, start - maxWidth / 2);
  const shown = source.slice(cutBefore, cutBefore + maxWidth);
  const gutter = `    ${line} | `;
  // A tab before the caret keeps it below its character.
  const indent = shown.slice(0, Math.max(0, start - cutBefore)).replace(/[^\t]/g, ' ');
  const caret = `    ${' '.repeat(String(line).length)} | ${indent}${'^'.repeat(wordLength(source, start))}`;
  return `${head}${gutter}${shown}\n${caret}\n`;
}

/** The length of the word at a place, which the carets underline. */
function wordLength(line: string, start: number): number {
  const [word = ''] = /^(?:[\w@]+|`[^`]*`)/.exec(line.slice(start)) ?? [];
  return Math.max(1, Math.min(word.length, maxWidth / 2));
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
