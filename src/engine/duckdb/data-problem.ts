import type { DataFile } from './data-files.ts';

/**
 * What is wrong with a data file, for the log: its name below the data folder, the line where it is known, and what
 * stands there. Never a path of this machine, and of a row a short value at most.
 *
 * @param read what was read in its place, if a copy
 * @param row the row at fault, where it was found; of NDJSON its line
 */
export function describeProblem(original: DataFile, read: DataFile, error: unknown, row?: number): string {
  const message = error instanceof Error ? error.message : String(error);
  const { line = original.format === 'ndjson' ? row : undefined, detail } = partsOf(message);
  // A path is taken out first: what is cut must not leave half of it.
  const nameless = [original.path, read.path].reduce((text, path) => text.replaceAll(path, '\0'), detail);
  const told = shortened(nameless).replaceAll('\0', original.name);
  if (line !== undefined) return `${original.name}:${line}: ${told}`;
  return row === undefined ? `${original.name}: ${told}` : `${original.name}: row ${row}: ${told}`;
}

interface Parts {
  readonly detail: string;
  /** Of the file, from 1. */
  readonly line?: number;
}

/** DuckDB's numbers of rows and lines in JSON are left out: they are right only sometimes. */
function partsOf(message: string): Parts {
  const text = message.replace(/^(?:[A-Z][\w-]* )+Error: /, '');
  const csv = /^CSV Error on Line: (\d+)\n(?:Original Line: .*\n)?\s*(.*)/.exec(text);
  if (csv) return { line: Number(csv[1]), detail: csv[2] ?? '' };
  const malformed = /^Malformed JSON in file ".*", at byte \d+ in (?:line|record\/value) \d+: (.*)/.exec(
    text,
  );
  if (malformed) return { detail: `not JSON: ${malformed[1]?.trim()}` };
  const transform = /^JSON transform error in file ".*", in (?:line|record\/value) \d+: (.*)/.exec(text);
  return { detail: transform?.[1] ?? text.split('\n', 1)[0] ?? '' };
}

function shortened(detail: string): string {
  return detail
    .replace(/\{(?:.*\}|.*)|\[(?=["{[\d])(?:.*\]|.*)/s, ([bracket]) => (bracket === '{' ? '{…}' : '[…]'))
    .replace(/"([^"]{40})[^"]*("|$)/g, '"$1…"')
    .replace(/'([^']{40})[^']*'/g, "'$1…'")
    .slice(0, 240);
}
