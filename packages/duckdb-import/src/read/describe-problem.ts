import { type DataFile, forbiddenReason } from '../scan/data-files.ts';
import { withEncodingAdvice } from './read-text.ts';

/**
 * A message about a data file, for the log: its name below the data folder and the reason. It never has a path of this
 * machine, and at most a short value of a row.
 */
export function describeFileProblem(file: DataFile, error: unknown): string {
  return `${file.name}: ${describeReason(error, file)}`;
}

/** The problem of a table that lacks rows of a file until a sync has ended. */
export const notImportedYet = ({ name }: DataFile, reason = 'it has just been changed'): string =>
  `${name}: is not imported yet: ${reason}`;

/** Why a file or a row cannot be read, without paths of this machine. */
export function describeReason(error: unknown, file: Pick<DataFile, 'name' | 'path'>): string {
  const forbidden = forbiddenReason(error, file.path);
  if (forbidden !== undefined) return forbidden;
  const message = error instanceof Error ? error.message : String(error);
  // The path is replaced first: shortening could leave a part of it.
  return shorten(detailOf(message).replaceAll(file.path, '\0')).replaceAll('\0', file.name);
}

/** The reason of rejects beyond those that get one of their own. */
export const generalReason = 'does not match the declared fields';

/** DuckDB's row and line numbers are left out: they are only sometimes right for JSON. */
function detailOf(message: string): string {
  const text = message.replace(/^(?:[A-Z][\w-]* )+Error: /, '');
  const malformed = /^Malformed JSON in file ".*", at byte \d+ in (?:line|record\/value) \d+: (.*)/.exec(
    text,
  );
  if (malformed)
    return withEncodingAdvice(`not JSON: ${malformed[1]?.replace(/ Try auto-detecting.*/s, '').trim()}`);
  const ofColumn = /^Invalid JSON found in Parquet file: .*?(?:Input: (".*))?$/s.exec(text);
  if (ofColumn)
    return `a column of JSON has a text that is not JSON; write it as a column of text, of which only such rows are left out: ${ofColumn[1] ?? '""'}`;
  const transform = /^JSON transform error in file ".*", in (?:line|record\/value) \d+: (.*)/.exec(text);
  const detail = transform?.[1] ?? text.split('\n', 1)[0] ?? '';
  return detail.replace(/^Object .* has duplicate key (".*")$/, 'the key $1 occurs twice');
}

function shorten(detail: string): string {
  return detail
    .replace(/\{(?:.*\}|.*)|\[(?=["{[\d])(?:.*\]|.*)/s, ([bracket]) => (bracket === '{' ? '{…}' : '[…]'))
    .replace(/"([^"]{40})[^"]*("|$)/g, '"$1…"')
    .replace(/'([^']{40})[^']*'/g, "'$1…'")
    .slice(0, 240);
}
