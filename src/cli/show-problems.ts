import { readFileSync } from 'node:fs';
import { describeProblem, type Problem } from '../errors.ts';
import type { FilesReport } from '../reload/open-reload.ts';

/** Shows on the terminal which files are broken, each problem at its place in the source, and which are mended. */
export function showFiles({ broken, mended }: FilesReport): void {
  const texts = broken.map(
    ({ problems, isServed }) =>
      `${withSources(problems)}${isServed ? 'Its last good version is served.' : 'It is not served.'}\n\n`,
  );
  if (mended.length > 0) texts.push(`No longer broken: ${mended.join(', ')}\n`);
  process.stderr.write(`\n${texts.join('')}`);
}

/** Problems with the lines of the source, and a caret below the place of each. */
export function withSources(problems: readonly Problem[]): string {
  return problems.map((problem) => `${plain(describeProblem(problem))}\n${excerpt(problem)}`).join('');
}

/** Characters of a line that are shown before and after the place. */
const excerptLength = 100;

function excerpt({ file, line, column }: Problem): string {
  const text = file === undefined || line === undefined ? undefined : lineOf(file, line);
  if (text === undefined) return '';
  const at = (column ?? 1) - 1;
  const from = Math.max(0, at - excerptLength);
  const shown = text.slice(from, at + excerptLength);
  const margin = String(line);
  const caret = column === undefined ? '' : `${' '.repeat(margin.length)} | ${' '.repeat(at - from)}^\n`;
  return `${margin} | ${plain(shown)}\n${caret}`;
}

function lineOf(file: string, line: number): string | undefined {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/)[line - 1];
  } catch {
    return undefined;
  }
}

/** Without characters that control the terminal; of the same length. */
const plain = (text: string) => text.replace(/\p{Cc}/gu, ' ');
