import type { DataFile } from '../scan/data-files.ts';
import type { Reject } from '../scan/manifest.ts';

/**
 * What is wrong with a data file, for the log: its name below the data folder, and what is said of it. Never a path of
 * this machine, and of a row a short value at most.
 */
export function describeFileProblem(file: DataFile, error: unknown): string {
  return `${file.name}: ${reasonOf(error, file)}`;
}

/** Why a row cannot be read, in words that name no path. */
export function reasonOf(error: unknown, file: Pick<DataFile, 'name' | 'path'>): string {
  const message = error instanceof Error ? error.message : String(error);
  // A path is taken out first: what is cut must not leave half of it.
  return shorten(detailOf(message).replaceAll(file.path, '\0')).replaceAll('\0', file.name);
}

/** A row that cannot be read, and why. */
export const describeReject = ({ name }: Pick<DataFile, 'name'>, { isRow, line, reason }: Reject): string =>
  isRow ? `${name}: row ${line}: ${reason}` : `${name}:${line}: ${reason}`;

/** DuckDB's numbers of rows and lines in JSON are left out: they are right only sometimes. */
function detailOf(message: string): string {
  const text = message.replace(/^(?:[A-Z][\w-]* )+Error: /, '');
  const malformed = /^Malformed JSON in file ".*", at byte \d+ in (?:line|record\/value) \d+: (.*)/.exec(
    text,
  );
  if (malformed) return `not JSON: ${malformed[1]?.trim()}`;
  const transform = /^JSON transform error in file ".*", in (?:line|record\/value) \d+: (.*)/.exec(text);
  return transform?.[1] ?? text.split('\n', 1)[0] ?? '';
}

function shorten(detail: string): string {
  return detail
    .replace(/\{(?:.*\}|.*)|\[(?=["{[\d])(?:.*\]|.*)/s, ([bracket]) => (bracket === '{' ? '{…}' : '[…]'))
    .replace(/"([^"]{40})[^"]*("|$)/g, '"$1…"')
    .replace(/'([^']{40})[^']*'/g, "'$1…'")
    .slice(0, 240);
}
