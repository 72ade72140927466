import type {
  BytesLiteral,
  FloatLiteral,
  IntegerLiteral,
  IntervalLiteral,
  LiteralType,
  RangeLiteral,
  StringLiteral,
  TypedLiteral,
} from '../nodes.ts';
import type { Parser } from '../parser.ts';

/** The magnitude of the smallest INT64; the sign before it is not part of the literal. */
const largestInteger = 2n ** 63n;
const longestInteger = 400;

export function parseInteger(p: Parser): IntegerLiteral {
  const token = p.token;
  if (token.kind !== 'integer') return p.fail('an integer');
  p.next();
  const { start, end, text } = token;
  const value = text.length > longestInteger ? undefined : BigInt(text);
  if (value === undefined || value > largestInteger) {
    return p.problem(start, `expected an integer of 64 bits, found one of ${text.length} digits`);
  }
  return { kind: 'IntegerLiteral', start, end, value, text };
}

export function parseFloat64(p: Parser): FloatLiteral {
  const token = p.token;
  if (token.kind !== 'float') return p.fail('a number');
  p.next();
  return { kind: 'FloatLiteral', start: token.start, end: token.end, text: token.text };
}

/** A string, or several with blanks between them, which are one. */
export function parseString(p: Parser, expected = 'a string'): StringLiteral {
  const token = p.token;
  if (token.kind !== 'string') return p.fail(expected);
  p.next();
  let { value, end } = token;
  for (let next = p.token; next.kind === 'string'; next = p.token) {
    requireBlank(p, next.start, end);
    p.next();
    value += next.value;
    end = next.end;
  }
  return { kind: 'StringLiteral', start: token.start, end, value };
}

/** Bytes, or several with blanks between them, which are one. */
export function parseBytes(p: Parser): BytesLiteral {
  const token = p.token;
  if (token.kind !== 'bytes') return p.fail('bytes');
  p.next();
  const values = [token.value];
  let { end } = token;
  for (let next = p.token; next.kind === 'bytes'; next = p.token) {
    requireBlank(p, next.start, end);
    p.next();
    values.push(next.value);
    end = next.end;
  }
  return { kind: 'BytesLiteral', start: token.start, end, value: Buffer.concat(values) };
}

function requireBlank(p: Parser, start: number, end: number): void {
  if (start === end)
    p.problem(start, "expected a blank between two strings; a quote within a string is written \\'");
}

const literalTypes: ReadonlyMap<string, LiteralType> = new Map<string, LiteralType>([
  ['DATE', 'DATE'],
  ['TIME', 'TIME'],
  ['DATETIME', 'DATETIME'],
  ['TIMESTAMP', 'TIMESTAMP'],
  ['NUMERIC', 'NUMERIC'],
  ['DECIMAL', 'NUMERIC'],
  ['BIGNUMERIC', 'BIGNUMERIC'],
  ['BIGDECIMAL', 'BIGNUMERIC'],
  ['JSON', 'JSON'],
]);

/** `DATE '2024-01-31'`; undefined if the word is not a type that has literals. */
export function parseTypedLiteral(p: Parser, word: string): TypedLiteral | undefined {
  const type = literalTypes.get(word);
  if (type === undefined) return undefined;
  const { start } = p.next();
  const value = parseString(p);
  return { kind: 'TypedLiteral', start, end: p.end, type, value };
}

export function parseRangeLiteral(p: Parser): RangeLiteral {
  const { start } = p;
  const type = p.type();
  if (type.kind !== 'RangeType') return p.problem(start, 'expected a RANGE type, found another type');
  const value = parseString(p, 'the string of a RANGE literal');
  return { kind: 'RangeLiteral', start, end: p.end, type, value };
}

export function parseInterval(p: Parser): IntervalLiteral {
  const { start } = p;
  p.expect('INTERVAL');
  const value = p.expression();
  if (value.kind === 'StringLiteral' && !p.atName()) failQuotedPart(p, value);
  const from = p.name('a part of an interval such as DAY');
  const to = p.accept('TO') ? p.name('a part of an interval such as SECOND') : undefined;
  return { kind: 'IntervalLiteral', start, end: p.end, value, from, to };
}

/** `INTERVAL '1 day'` of other dialects. */
function failQuotedPart(p: Parser, { start, value }: StringLiteral): void {
  const [, count, part] = /^\s*([+-]?\d+)\s*([a-z]+?)s?\s*$/i.exec(value) ?? [];
  if (count === undefined || part === undefined) return;
  p.problem(
    start,
    `expected a number and a part outside of quotes, found a string: write INTERVAL ${count} ${part.toUpperCase()}`,
  );
}
