import type { DataFile } from './data-files.ts';
import { linesOf } from './lines.ts';

/** What is wrong with a data file, for people: its name, the line where it is known, and what stands there. */
export async function describeProblem(original: DataFile, read: DataFile, error: unknown): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  const { line, row, detail } = partsOf(message);
  const { name, format } = original;
  if (line !== undefined) return `${name}:${line}: ${detail}`;
  if (row === undefined) return `${name}: ${detail}`;
  if (format === 'ndjson') return `${name}:${(await lineOfRow(read.path, row)) ?? row}: ${detail}`;
  return `${name}: row ${row}: ${detail}`;
}

interface Parts {
  readonly detail: string;
  /** Of the file, from 1. */
  readonly line?: number;
  /** Lines without a row, blank ones and the header of CSV, do not count. */
  readonly row?: number;
}

function partsOf(message: string): Parts {
  const text = message.replace(/^(?:[A-Z][\w-]* )+Error: /, '');
  const csv = /^CSV Error on Line: (\d+)\n(?:Original Line: .*\n)?\s*(.*)/.exec(text);
  if (csv) return { line: Number(csv[1]), detail: csv[2] ?? '' };
  const malformed = /^Malformed JSON in file ".*", at byte \d+ in (?:line|record\/value) (\d+): (.*)/.exec(
    text,
  );
  // Here, and only here, DuckDB counts from 2.
  if (malformed) return { row: Number(malformed[1]) - 1, detail: `not JSON: ${malformed[2]?.trim()}` };
  const transform = /^JSON transform error in file ".*", in (?:line|record\/value) (\d+): (.*)/.exec(text);
  if (transform) return { row: Number(transform[1]), detail: transform[2] ?? '' };
  const ours = /^row (\d+): (.*)/.exec(text);
  if (ours) return { row: Number(ours[1]), detail: ours[2] ?? '' };
  return { detail: text.split('\n', 1)[0] ?? '' };
}

async function lineOfRow(path: string, row: number): Promise<number | undefined> {
  let line = 0;
  let rows = 0;
  for await (const text of linesOf(path)) {
    line++;
    if (text.trim() !== '') rows++;
    if (rows === row) return line;
  }
  return undefined;
}
