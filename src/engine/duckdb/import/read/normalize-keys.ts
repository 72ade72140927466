import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Field } from '../../../../catalog/tables/table-schema.ts';
import { linesOf } from './lines.ts';

declare global {
  /** JSON's access to the source text, which Node has and TypeScript's library does not know yet. */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source: string }) => unknown,
    ): unknown;
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/** A key with its quotes. Inside a string a quote has a backslash before it, so nothing there looks like this. */
const jsonKey = /"([^"\\]+)"(?=\s*:)/g;

/**
 * Sees to it that every declared field is spelt as it is declared in a file of lines of JSON: DuckDB knows keys by exact
 * spelling only.
 *
 * @param sample the file's beginning: by it the whole is judged
 */
export async function normalizeKeys(path: string, sample: Buffer, fields: readonly Field[]): Promise<void> {
  if (!needsNormalizing(sample.toString('utf8'), fields)) return;
  const copy = `${path}-respelt`;
  await pipeline(normalizeLines(path, fields), createWriteStream(copy));
  await rename(copy, path);
}

function needsNormalizing(head: string, fields: readonly Field[]): boolean {
  const declared = new Set(namesOf(fields));
  const folded = new Set([...declared].map((name) => name.toLowerCase()));
  const keys = new Set(Array.from(head.matchAll(jsonKey), ([, key = '']) => key));
  return keys.values().some((key) => !declared.has(key) && folded.has(key.toLowerCase()));
}

/** Lines that are no JSON stay as they are, so that DuckDB tells what is wrong with them, and where. */
async function* normalizeLines(path: string, fields: readonly Field[]): AsyncGenerator<string> {
  for await (const line of linesOf(path)) {
    const row = parseJson(line);
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

/** Numbers keep the digits they are written with: JavaScript's would lose those beyond 2^53. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_, value, { source }) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}

const namesOf = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ name, fields: inner = [] }) => [name, ...namesOf(inner)]);
