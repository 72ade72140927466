import { decompress } from '@querygate/bigquery-sql/command';
import type { DataFile } from './data-files.ts';
import type { Reject } from '../store/manifest.ts';

/**
 * How a file is read that is named as one of JSON lines and is of another kind, as many tools write it.
 *
 * @param first the first of its rows that cannot be read
 * @returns undefined for a file of lines
 */
export async function otherKindAdvice(
  { compression, format, name, path }: Pick<DataFile, 'compression' | 'format' | 'name' | 'path'>,
  { line, reason }: Pick<Reject, 'line' | 'reason'>,
): Promise<string | undefined> {
  if (format !== 'ndjson' || line > maxLine || !/^not JSON|but got ARRAY/.test(reason)) return undefined;
  const bytes = await firstChunk({ path, compression }).catch(() => Buffer.alloc(0));
  const start = bytes.toString();
  const own = name.replace(/^.*[\\/]/s, '');
  const other = compression === undefined && otherKinds.find(({ begin }) => start.startsWith(begin));
  if (other) return `it is ${other.kind}: name it ${own.replace(ending, other.ending)}`;
  if (start.startsWith(zipStart)) return 'it is a zip archive: unpack it';
  const encoding = utf16Of(bytes);
  if (encoding !== undefined) return `it is UTF-16: iconv -f ${encoding} -t utf-8`;
  if (/^\s*\{[^\n]*\}\r(?!\n)\s*\{/.test(start))
    return "its lines end in CR, and must end in LF or CRLF: tr '\\r' '\\n'";
  const kind = kindOfText(start);
  if (kind === undefined) return undefined;
  return `it is ${kind}: name it ${own.replace(ending, '.json')}, or write one object a line`;
}

const ending = /\.(?:ndjson|jsonl)(?=\.|$)/i;

/** Files by their first bytes, of which those beyond ASCII are not text. */
const otherKinds = [
  { begin: '\u001f\ufffd', kind: 'compressed', ending: '$&.gz' },
  { begin: '(\ufffd/\ufffd', kind: 'compressed', ending: '$&.zst' },
  { begin: 'PAR1', kind: 'Parquet', ending: '.parquet' },
] as const;

/** How an archive begins, and with it a workbook of Excel. */
export const zipStart = 'PK\u0003\u0004';

/** The encoding of a text of JSON, by its name for iconv: without a mark, every other byte of its first characters is 0. */
function utf16Of([first, second]: Buffer): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'utf-16';
  if (first === 0 && second !== 0) return 'utf-16be';
  return second === 0 && first !== 0 ? 'utf-16le' : undefined;
}

/** Blank lines may be before it. */
const maxLine = 10;

function kindOfText(start: string): string | undefined {
  const text = start.replace(/^\uFEFF/, '').trimStart();
  if (text.startsWith('[')) return 'a JSON array';
  // A line of an object that is cut ends within a value, and its next line begins with a brace.
  return /^\{[^\n]*[{[,\r]?\n\s*["}]/.test(text) ? 'JSON with objects of several lines' : undefined;
}

async function firstChunk(file: Pick<DataFile, 'path' | 'compression'>): Promise<Buffer> {
  for await (const chunk of decompress(file)) return Buffer.from(chunk);
  return Buffer.alloc(0);
}
