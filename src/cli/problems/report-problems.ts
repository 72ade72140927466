import type { Problem } from '../../errors.ts';

/** A problem as GitHub shows it beside the line: a workflow command. */
export function githubAnnotation(
  { file, line, column, message }: Problem,
  { title = 'querygate check', command = 'error' }: { title?: string; command?: 'error' | 'warning' } = {},
): string {
  const properties = [
    ['file', file],
    ['line', line],
    ['col', column],
    ['title', title],
  ] as const;
  const texts = properties.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
  );
  return `::${command} ${texts.join(',')}::${escapeData(message)}\n`;
}

const escapeData = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
