import { shorten } from '@querygate/text';
import { SyntaxProblem } from '../syntax-problem.ts';
import { isReserved } from './keywords.ts';
import { foundCharacter, readLiteral, readQuotedName } from './quoted-text.ts';
import type { Token } from './tokens.ts';

/** The tokens of a text. The last one is its end, or the first place that is not a token. */
export function tokenize(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  try {
    for (let at = skipBlanks(sql, 0); at < sql.length; ) {
      const token = readToken(sql, at, tokens.at(-1));
      tokens.push(token);
      at = skipBlanks(sql, token.end);
    }
    tokens.push({ kind: 'end', start: sql.length, end: sql.length, key: '' });
  } catch (problem) {
    if (!(problem instanceof SyntaxProblem)) throw problem;
    tokens.push({ kind: 'invalid', start: problem.offset, end: sql.length, key: '', problem });
  }
  return tokens;
}

const blanks = /(?:^\ufeff)?[ \n\r\t\b\f\v\u00a0\u2000-\u200a\u202f\u205f\u3000]*/y;

function skipBlanks(sql: string, from: number): number {
  for (let at = from; ; ) {
    const next = skipComment(sql, matchEnd(blanks, sql, at));
    if (next === at) return at;
    at = next;
  }
}

function skipComment(sql: string, at: number): number {
  const character = sql.charAt(at);
  if (character === '#' || (character === '-' && sql.charAt(at + 1) === '-')) {
    return matchEnd(restOfLine, sql, at);
  }
  if (character !== '/' || sql.charAt(at + 1) !== '*') return at;
  const end = sql.indexOf('*/', at + 2);
  if (end < 0)
    throw new SyntaxProblem(at, 'expected */ at the end of the comment that starts here, found none');
  return end + 2;
}

const restOfLine = /[^\n\r]*/y;
const word = /[A-Za-z_]\w*/y;
const wordAfterDot = /\w+/y;
const number = /0[xX][\da-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const symbol = /\|\||\|>|<<|<=|<>|>=|!=|=>|@@|[-+*/~&^|<>=()[\].,;?@:{}!$%\\]/y;

function readToken(sql: string, start: number, previous: Token | undefined): Token {
  const character = sql.charAt(start);
  if (character === "'" || character === '"') return readLiteral(sql, start, start);
  if (character === '`') return readQuotedName(sql, start);

  // After a dot, a name may start with a digit: `dataset.2024_events`.
  const wordEnd = matchEnd(previous?.key === '.' ? wordAfterDot : word, sql, start);
  if (wordEnd > start) {
    const text = sql.slice(start, wordEnd);
    if (startsLiteral(sql, text, wordEnd)) return readLiteral(sql, start, wordEnd);
    return { kind: 'word', start, end: wordEnd, key: text.toUpperCase(), text };
  }

  const numberEnd = isDot(sql, start, previous) ? start : matchEnd(number, sql, start);
  if (numberEnd > start) return readNumber(sql, start, numberEnd);

  const symbolEnd = matchEnd(symbol, sql, start);
  if (symbolEnd > start) {
    return { kind: 'symbol', start, end: symbolEnd, key: sql.slice(start, symbolEnd) };
  }
  const found = String.fromCodePoint(sql.codePointAt(start) ?? 0);
  throw new SyntaxProblem(start, `expected a character of GoogleSQL, found ${foundCharacter(found)}`);
}

function readNumber(sql: string, start: number, end: number): Token {
  const text = sql.slice(start, end);
  // `1.x` is a number and a name, but `1x` is nothing.
  if (!text.endsWith('.') && matchEnd(word, sql, end) > end) {
    throw new SyntaxProblem(end, `expected a blank after the number ${shorten(text, 30)}, found a letter`);
  }
  return { kind: /^\d+$|^0x/i.test(text) ? 'integer' : 'float', start, end, key: '', text };
}

/** True if a dot comes after something that has fields; elsewhere, with a digit, it starts a number. */
function isDot(sql: string, at: number, previous: Token | undefined): boolean {
  if (sql.charAt(at) !== '.' || !previous) return false;
  if (previous.kind === 'word') return !isReserved(previous.key);
  return previous.kind === 'quoted name' || [')', ']', '?'].includes(previous.key);
}

const startsLiteral = (sql: string, prefix: string, at: number) =>
  prefix.length <= 2 && /^(?:r|b|rb|br)$/i.test(prefix) && /["']/.test(sql.charAt(at));

function matchEnd(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : at;
}
