import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Field } from '@querygate/bigquery-sql/table-schema';
import { parseJson } from '@querygate/text';
import { readLines } from './read-text.ts';

/** A key with its quotes. Inside of a string a quote follows a backslash, so nothing there matches. */
const jsonKey = /"([^"\\]+)"(?=\s*:)/g;

/**
 * Rewrites a file of JSON lines so that the keys of declared fields have the declared letter case: DuckDB matches keys
 * exactly.
 *
 * @param sample the beginning of the file, which decides whether the file is rewritten
 */
export async function normalizeKeys(path: string, sample: Buffer, fields: readonly Field[]): Promise<void> {
  if (!needsNormalizing(sample.toString('utf8'), fields)) return;
  const copy = `${path}-normalized`;
  await pipeline(normalizeLines(path, fields), createWriteStream(copy));
  await rename(copy, path);
}

function needsNormalizing(sample: string, fields: readonly Field[]): boolean {
  const declared = new Set(namesOf(fields));
  const lowerCase = new Set([...declared].map((name) => name.toLowerCase()));
  const keys = new Set(Array.from(sample.matchAll(jsonKey), ([, key = '']) => key));
  return keys.values().some((key) => !declared.has(key) && lowerCase.has(key.toLowerCase()));
}

/** Lines that are not JSON are copied unchanged: DuckDB reports their errors later. */
async function* normalizeLines(path: string, fields: readonly Field[]): AsyncGenerator<string> {
  for await (const line of readLines(path)) {
    const row = parseExactNumbers(line);
    yield `${row === undefined ? line : JSON.stringify(normalizeValue(row, fields))}\n`;
  }
}

function normalizeValue(value: unknown, fields: readonly Field[]): unknown {
  if (Array.isArray(value)) return value.map((element) => normalizeValue(element, fields));
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const field = fields.find(({ name }) => name.toLowerCase() === key.toLowerCase());
      return field?.fields ? [field.name, normalizeValue(inner, field.fields)] : [field?.name ?? key, inner];
    }),
  );
}

/** Numbers keep the digits of the text: as JavaScript numbers they would lose those beyond 2^53. */
export function parseExactNumbers(text: string): unknown {
  try {
    return parseJson(text, (value, source) =>
      typeof value === 'number' && source !== undefined ? JSON.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}

const namesOf = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ name, fields: inner = [] }) => [name, ...namesOf(inner)]);
