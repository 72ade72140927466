import { SyntaxProblem } from '../syntax-problem.ts';
import { decodeBytes, decodeText } from './escapes.ts';
import type { BytesToken, QuotedName, StringToken } from './tokens.ts';

const [backslash, lineFeed, carriageReturn] = [0x5c, 0x0a, 0x0d];

/** A string or bytes literal. `start` is where its prefix starts, `at` where its quotes start. */
export function readLiteral(sql: string, start: number, at: number): StringToken | BytesToken {
  const prefix = sql.slice(start, at).toLowerCase();
  const quote = sql.startsWith(sql.charAt(at).repeat(3), at) ? sql.slice(at, at + 3) : sql.charAt(at);
  const bodyStart = at + quote.length;
  const bodyEnd = endOfBody(sql, start, bodyStart, quote, prefix === '' ? 'string' : 'literal');
  // Line breaks are the same in a triple-quoted literal, whatever system its file was written on.
  const written = sql.slice(bodyStart, bodyEnd);
  const body = written.includes('\r') ? written.replace(/\r\n?/g, '\n') : written;
  const place = { start, end: bodyEnd + quote.length, key: '' };
  const raw = prefix.includes('r');
  if (prefix.includes('b')) {
    const value = raw ? new Uint8Array(Buffer.from(body, 'utf8')) : decodeBytes(body, bodyStart);
    return { kind: 'bytes', ...place, value };
  }
  return { kind: 'string', ...place, value: raw ? body : decodeText(body, bodyStart, 'string') };
}

/** A name in backquotes. */
export function readQuotedName(sql: string, start: number): QuotedName {
  const bodyEnd = endOfBody(sql, start, start + 1, '`', 'name in backquotes');
  const body = sql.slice(start + 1, bodyEnd);
  if (body === '') throw new SyntaxProblem(start, 'expected a name between the backquotes, found nothing');
  const name = decodeText(body, start + 1, 'name');
  // A NUL ends the statement for DuckDB's parser.
  if (name.includes('\0')) throw new SyntaxProblem(start, 'a name has a NUL; remove it');
  return { kind: 'quoted name', start, end: bodyEnd + 1, key: '', name };
}

/** A backslash keeps the character after it from ending the literal, in raw literals too. */
function endOfBody(sql: string, start: number, bodyStart: number, quote: string, what: string): number {
  const first = quote.charCodeAt(0);
  for (let at = bodyStart; at < sql.length; at += 1) {
    const code = sql.charCodeAt(at);
    if (code === first && (quote.length === 1 || sql.startsWith(quote, at))) return at;
    if (code === backslash) at += 1;
    const last = code === backslash ? sql.charCodeAt(at) : code;
    if (quote.length === 1 && (last === lineFeed || last === carriageReturn)) break;
  }
  throw new SyntaxProblem(start, `expected ${quote} at the end of the ${what} that starts here, found none`);
}

/** Quotes of word processors, each with the one of SQL. */
const quotes: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '´': "'",
  '„': '"',
  '«': '"',
  '»': '"',
};

/** Letters of other alphabets that look like those of names. */
const lookAlikes = new Map(
  [...'АВЕКМНОРСТХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο'].map((one, at) => [
    one,
    'ABEKMHOPCTXaeopcyxijsABEZHIKMNOPTYXo'.charAt(at),
  ]),
);

/** A character that GoogleSQL does not have, and the one that it looks like. */
export function foundCharacter(character: string): string {
  const found = JSON.stringify(character);
  const code = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  if (/[\p{Cf}\p{Z}]/u.test(character)) return `the invisible ${code}: write a blank, or nothing`;
  const quote = quotes[character];
  if (quote !== undefined) return `${found}: write a straight quote, ${quote}`;
  const letter = lookAlikes.get(character);
  if (letter !== undefined) return `${found} (${code}), which looks like ${letter}: write ${letter}`;
  const plain = /\p{Dash}|\u2212/u.test(character) ? '-' : character.normalize('NFKC');
  return /^[!-~]$/.test(plain) && plain !== character ? `${found}: write ${plain}` : found;
}
