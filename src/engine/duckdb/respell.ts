import { closeSync, createWriteStream, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Field } from '../../catalog/table-schema.ts';
import type { DataFile } from './data-files.ts';
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

const headBytes = 1 << 20;
/** A key with its quotes. Inside a string a quote has a backslash before it, so nothing there looks like this. */
const jsonKey = /"([^"\\]+)"(?=\s*:)/g;

/**
 * Whether DuckDB would misread a JSON file: it knows keys by exact spelling only, and refuses a byte order mark. Our
 * choice: a file is judged by its first megabyte.
 */
export function isMisspelt(path: string, fields: readonly Field[]): boolean {
  const head = readHead(path);
  const declared = new Set(namesOf(fields));
  const folded = new Set([...declared].map((name) => name.toLowerCase()));
  const keys = new Set(Array.from(head.matchAll(jsonKey), ([, key = '']) => key));
  return (
    head.startsWith('\uFEFF') ||
    keys.values().some((key) => !declared.has(key) && folded.has(key.toLowerCase()))
  );
}

/** A copy of a JSON file, one row a line, in which every declared field is spelt as it is declared. */
export async function respell(file: DataFile, fields: readonly Field[], path: string): Promise<DataFile> {
  const array = file.format === 'json' ? parseJson(await readFile(file.path, 'utf8')) : undefined;
  const rows = Array.isArray(array)
    ? array.map((row) => respelt(row, fields))
    : respeltLines(file.path, fields);
  await pipeline(async function* () {
    for await (const row of rows) yield `${typeof row === 'string' ? row : JSON.stringify(row)}\n`;
  }, createWriteStream(path));
  return { ...file, path, format: Array.isArray(array) ? 'ndjson' : file.format };
}

/** Lines that are no JSON stay as they are, so that DuckDB tells what is wrong with them, and where. */
async function* respeltLines(path: string, fields: readonly Field[]): AsyncGenerator<unknown> {
  for await (const line of linesOf(path)) {
    const row = parseJson(line);
    yield row === undefined ? line.replace(/^\uFEFF/, '') : respelt(row, fields);
  }
}

function respelt(value: unknown, fields: readonly Field[]): unknown {
  if (Array.isArray(value)) return value.map((element) => respelt(element, fields));
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const field = fields.find(({ name }) => name.toLowerCase() === key.toLowerCase());
      return field?.fields ? [field.name, respelt(inner, field.fields)] : [field?.name ?? key, inner];
    }),
  );
}

/** Numbers keep the digits they are written with: JavaScript's would lose those beyond 2^53. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''), (_, value, { source }) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value,
    );
  } catch {
    return undefined;
  }
}

const namesOf = (fields: readonly Field[]): string[] =>
  fields.flatMap(({ name, fields: inner = [] }) => [name, ...namesOf(inner)]);

function readHead(path: string): string {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(headBytes);
    return head.toString('utf8', 0, readSync(file, head, {}));
  } finally {
    closeSync(file);
  }
}
