import { decompress } from '@querygate/bigquery-sql/command';
import type { DataFile } from './data-files.ts';
import type { Reject } from '../store/manifest.ts';

/**
 * How a file of JSON lines is read that is one JSON text over its lines, as many tools write it.
 *
 * @param first the first of its rows that cannot be read
 * @returns undefined for a file of lines
 */
export async function jsonTextAdvice(
  { compression, format, name, path }: DataFile,
  { line, reason }: Reject,
): Promise<string | undefined> {
  if (format !== 'ndjson' || line > maxLine || !/^not JSON|but got ARRAY/.test(reason)) return undefined;
  const start = await firstText({ path, compression }).catch(() => '');
  const kind = kindOfText(start);
  if (kind === undefined) return undefined;
  const renamed = name.replace(/\.(?:ndjson|jsonl)(?=\.|$)/i, '.json').replace(/^.*[\\/]/s, '');
  return `it is ${kind}: name it ${renamed}, or write one object a line`;
}

/** Blank lines may be before it. */
const maxLine = 10;

function kindOfText(start: string): string | undefined {
  const text = start.replace(/^\uFEFF/, '').trimStart();
  if (text.startsWith('[')) return 'a JSON array';
  // A line of an object that is cut ends within a value, and its next line begins with a brace.
  return /^\{[^\n]*[{[,\r]?\n\s*["}]/.test(text) ? 'JSON with objects of several lines' : undefined;
}

async function firstText(file: Pick<DataFile, 'path' | 'compression'>): Promise<string> {
  for await (const chunk of decompress(file)) return chunk.toString();
  return '';
}
