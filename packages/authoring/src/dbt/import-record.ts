import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProblemError } from '@querygate/bigquery-sql/problem';
import { z } from 'zod';

/** The files that imports have written, by their paths in the queries folder: the others are those of authors. */
export type ImportRecord = Map<string, RecordedFile>;

/** A file as an import has written it. */
export interface RecordedFile {
  readonly node: string;
  readonly sha256: string;
  /** That of the file before, while an import writes. */
  readonly former?: string | undefined;
}

const recordFile = 'dbt-import.json';

const recordSchema = z.record(
  z.string(),
  z.object({ node: z.string(), sha256: z.string(), former: z.string().optional() }),
);

/** Reads the record in a queries folder. @throws ProblemError */
export function readRecord(folder: string): ImportRecord {
  const file = join(folder, recordFile);
  if (!existsSync(file)) return new Map();
  try {
    return new Map(Object.entries(recordSchema.parse(JSON.parse(readFileSync(file, 'utf8')))));
  } catch {
    const message = 'is not as an import has written it; restore it, or remove it and import with --force';
    throw new ProblemError('The last import is not known', [{ file, message }]);
  }
}

/** Replaces the record in a queries folder, at once. */
export function writeRecord(folder: string, record: ImportRecord): void {
  const sorted = Object.fromEntries([...record].sort(([a], [b]) => (a < b ? -1 : 1)));
  const file = join(folder, recordFile);
  writeFileSync(`${file}.new`, `${JSON.stringify(sorted, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** The record of a text; line breaks are as git has them. */
export const recordOf = (node: string, text: string): RecordedFile => ({
  node,
  sha256: createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex'),
});
