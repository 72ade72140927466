import { relative, resolve, sep } from 'node:path';
import type { Problem } from '../errors.ts';

/** A problem as GitHub shows it beside the line: a workflow command, whose files are relative to the repository. */
export function githubAnnotation(
  { file, line, column, message }: Problem,
  { title = 'querygate check', command = 'error' }: { title?: string; command?: 'error' | 'warning' } = {},
): string {
  const properties = [
    ['file', file && pathInRepository(file)],
    ['line', line],
    ['col', column],
    ['title', title],
  ] as const;
  const texts = properties.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
  );
  return `::${command} ${texts.join(',')}::${escapeData(message)}\n`;
}

/** The runner says where it has checked out the repository; commands may run in a folder of it. */
function pathInRepository(file: string): string {
  const { GITHUB_WORKSPACE: repository } = process.env;
  if (repository === undefined) return file;
  const path = relative(repository, resolve(file)).split(sep).join('/');
  return path.startsWith('../') ? file : path;
}

const escapeData = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
