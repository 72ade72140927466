import { isUtf8 } from 'node:buffer';
import { dataRowOf, placeOf } from '../files/data-row.ts';
import { compressionOf, decompress } from '../files/file-bytes.ts';
import { quoteText } from '../tree/quote-text.ts';

/** The first lines of a text file, as far as they show how it is written. */
export interface TextStart {
  readonly header: string;
  /** Why DuckDB would read the file wrongly, or not at all. */
  readonly problem: string | undefined;
  /** The line that has the problem, from 1. */
  readonly wrongLine: number | undefined;
}

const shownBytes = 1 << 20;

/**
 * The beginning of a text file, which may be compressed.
 *
 * @param toEnd decompresses all of it, which shows whether it is truncated
 * @throws Error if it cannot be read or decompressed
 */
export async function textStart(path: string, toEnd = false): Promise<TextStart> {
  const bytes = await firstBytes(path, toEnd);
  const [first, second] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isMarked || first === 0 || second === 0) {
    const encoding = isMarked ? 'utf-16' : first === 0 ? 'utf-16be' : 'utf-16le';
    const problem = `must be UTF-8; it is UTF-16: iconv -f ${encoding} -t utf-8`;
    return { header: '', problem, wrongLine: 1 };
  }
  const lines = linesOf(bytes.toString('latin1'));
  const header = bytesOf(lines[0] ?? '').toString();
  const wrongLine = lines.findIndex((line) => !isUtf8(bytesOf(line))) + 1;
  if (wrongLine > 0)
    return {
      header,
      problem: `must be UTF-8; line ${wrongLine} is not: iconv -f latin1 -t utf-8`,
      wrongLine,
    };
  return { header: header.replace(/^\uFEFF/, ''), problem: undefined, wrongLine: undefined };
}

/**
 * Lines of CSV that end unlike the first line, as a problem; DuckDB reads no such file. Line ends within quotes do not count.
 *
 * @param isCompressed of a copy whose file is
 */
export async function lineEndProblem(
  path: string,
  isCompressed = compressionOf(path) !== undefined,
): Promise<string | undefined> {
  let first: { readonly line: number; readonly isCrlf: boolean } | undefined;
  let [line, isQuoted, last] = [0, false, 0];
  for await (const chunk of decompress({ path, compression: compressionOf(path) })) {
    for (const byte of chunk) {
      if (byte === quoteByte) isQuoted = !isQuoted;
      if (byte === newlineByte) {
        line += 1;
        const isCrlf = last === returnByte;
        if (!isQuoted) first ??= { line, isCrlf };
        if (!isQuoted && first !== undefined && isCrlf !== first.isCrlf) {
          const advice = isCompressed ? 'write LF into all' : "sed -i 's/\\r$//' makes all LF";
          return `must have one kind of line ends; line ${first.line} ends in ${shownEnd(first.isCrlf)}, line ${line} in ${shownEnd(isCrlf)}: ${advice}`;
        }
      }
      last = byte;
    }
  }
  return undefined;
}

const [newlineByte, returnByte, quoteByte] = [10, 13, 34];

const shownEnd = (isCrlf: boolean) => (isCrlf ? 'CRLF' : 'LF');

/** The character that separates most values in the header of CSV; undefined if it has only one value. */
export function separatorOf(header: string): string | undefined {
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const counts = [',', ';', '\t', '|'].map((one) => [one, bare.split(one).length] as const);
  const [separator, values] = counts.reduce((best, one) => (one[1] > best[1] ? one : best));
  return values > 1 ? separator : undefined;
}

/** A path as SQL text. DuckDB reads paths as glob patterns: their special characters are put in brackets. */
export const globText = (path: string): string => quoteText(path.replace(/[*?[]/g, '[$&]'));

/** DuckDB's option for dates in text files: no other spelling is one, as `01/02/2026` has two meanings. */
export const isoDates = "dateformat = '%Y-%m-%d'";

/**
 * SQL of an aggregate over texts: whether all are dates or moments of ISO 8601, and some have a time. DuckDB detects other
 * spellings too, and these only if all have the same parts.
 */
export const areMoments = (texts: string): string =>
  `coalesce(bool_and(regexp_full_match(${texts}, '\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d(:?\\d\\d)?| UTC)?)?')) AND bool_or(contains(${texts}, ':')), false)`;

/** SQL of an aggregate over texts: whether all are integers that NUMERIC or another type can have, and some are beyond INT64. */
export const areWideIntegers = (texts: string, digits = 29): string =>
  `coalesce(bool_and(regexp_full_match(${texts}, '[+-]?\\d{1,${digits}}')) AND bool_or(${texts} IS NOT NULL AND try_cast(${texts} AS BIGINT) IS NULL), false)`;

/** The cause in DuckDB's message about a file; undefined if it is only that DuckDB could not guess the format. */
export async function fileReason(message: string): Promise<string | undefined> {
  const row = dataRowOf(message);
  // JSON may be in a copy with other lines.
  if (row !== undefined) return row.isJson ? row.reason : `${await placeOf(row)}: ${row.reason}`;
  const text = message.replace(/^[\w ]+ Error: /, '');
  if (/^Invalid string encoding found in Parquet file/.test(text)) return textNotUtf8;
  const [reason = ''] = text.split('\n');
  return /^Error when sniffing file/.test(reason) ? undefined : reason;
}

/** Without the text, which DuckDB quotes. */
const textNotUtf8 = 'a text of a column is not UTF-8; write it as UTF-8, or as BYTES';

/** As Latin-1, so that a byte is a character. */
function linesOf(text: string): readonly string[] {
  // The last character may be cut.
  const whole = text.length < shownBytes ? text : text.replace(/[\xc2-\xf4][\x80-\xbf]{0,2}$/, '');
  return whole.split('\n').map((line) => line.replace(/\r$/, ''));
}

const bytesOf = (latin1: string) => Buffer.from(latin1, 'latin1');

async function firstBytes(path: string, toEnd = false): Promise<Buffer> {
  const compression = compressionOf(path);
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of decompress({ path, compression })) {
    // A chunk is valid until the next.
    if (length < shownBytes) parts.push(Buffer.from(chunk));
    length += chunk.length;
    if (length >= shownBytes && (compression === undefined || !toEnd)) break;
  }
  return Buffer.concat(parts).subarray(0, shownBytes);
}
