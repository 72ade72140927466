import { visibleLine } from '@querygate/text';

const levels: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/**
 * A line of the log for people: `12:34:56.789 WARN message path=/graphql status=503`, with the stack of an error below. Callers
 * choose some of it: what is not printable is shown by its code, and a text in which fields could be read is in quotes.
 */
export function formatLogLine(line: string): string {
  const { level, time, pid: _, hostname: __, msg = '', err, ...fields } = JSON.parse(line);
  const clock = new Date(time).toISOString().slice(11, 23);
  const pairs = Object.entries(fields).map(
    ([name, value]) => ` ${name}=${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`,
  );
  const shown = visibleLine(`${levels[level] ?? level} ${msg}${pairs.join('')}`);
  const error =
    err === undefined
      ? ''
      : textOfError(err)
          .split('\n')
          .map((one) => `\n    ${visibleLine(one)}`)
          .join('');
  return `${clock} ${shown}${error}\n`;
}

const quoted = (text: string): string =>
  /[\s="]/.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : text;

/** As pino writes an error: an object with its stack and causes, or any other value that was thrown. */
function textOfError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  return 'stack' in error ? String(error.stack) : JSON.stringify(error);
}
