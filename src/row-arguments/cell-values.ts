import { decimalUnits, parseDecimal, textOf } from '@querygate/text';
import { checkPlain } from '../catalog/binding/check-value.ts';
import type { Column } from '../catalog/model/saved-query.ts';

/**
 * A value that is not NULL as it is compared: integers that are not safe are bigints, decimals units of 10⁻³⁸, points in time
 * microseconds since the epoch, booleans 0 and 1, bytes a text with a character for each.
 */
export type CellValue = number | bigint | string;

/** How values of a type are read and written. NaN and infinities are NULL, as in the rows that callers get. */
interface ValueKind {
  /** @param json the text of a cell that is not NULL */
  readonly ofCell: (json: string) => CellValue;
  /** @returns undefined if the caller's text is not a value of the type */
  readonly ofText: (text: string) => CellValue | undefined;
  /** A right value in words, for messages. */
  readonly right: string;
  /** The type that has all values, and how those are written that it may not have. */
  readonly beyond?: { readonly type: string; readonly numerals: RegExp };
  /** As rows have it. */
  readonly json: (value: CellValue) => string;
}

const plain =
  (
    type: 'integer' | 'float' | 'boolean' | 'timestamp' | 'datetime' | 'date',
    of: (text: string) => CellValue,
  ) =>
  (text: string): CellValue | undefined => {
    const checked = checkPlain({ type }, text);
    return 'value' in checked ? of(checked.value) : undefined;
  };

/** BIGNUMERIC has so many digits after the point. */
const decimalScale = 38;

const ofDecimal = (text: string) => decimalUnits(text, decimalScale);

function decimalText(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(decimalScale + 1, '0');
  const fraction = digits.slice(-decimalScale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -decimalScale)}${fraction === '' ? '' : `.${fraction}`}`;
}

const exactInteger = (text: string): CellValue => {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
};

/** `12:00:00.500000` and `12:00:00.5` are one time. */
const withoutLastZeros = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

const microsOf = (timestamp: string): CellValue =>
  exactInteger(
    String(BigInt(Date.parse(`${timestamp.slice(0, 19)}Z`)) * 1000n + BigInt(timestamp.slice(20, 26))),
  );

const inQuotes = (value: CellValue) => JSON.stringify(value);

const kinds: Partial<Record<Column['type'], ValueKind>> = {
  string: { ofCell: textOf, ofText: (text) => text, right: 'a text', json: inQuotes },
  integer: {
    ofCell: exactInteger,
    ofText: plain('integer', exactInteger),
    right: 'an integer, as in 42',
    beyond: { type: 'INT64', numerals: /^[+-]?\d+$/ },
    json: String,
  },
  float: { ofCell: Number, ofText: plain('float', Number), right: 'a number, as in 0.5', json: String },
  numeric: {
    ofCell: (json) => ofDecimal(textOf(json)),
    ofText(text) {
      const decimal = parseDecimal(text, { whole: decimalScale + 1, fraction: decimalScale });
      const units = decimal === undefined ? undefined : ofDecimal(decimal);
      return units === undefined || BigInt.asIntN(256, units) === units ? units : undefined;
    },
    right: 'a decimal number, as in 0.5',
    beyond: { type: 'BIGNUMERIC', numerals: /^[+-]?\d+(?:\.\d+)?$/ },
    json: (value) => `"${decimalText(BigInt(value))}"`,
  },
  boolean: {
    ofCell: (json) => (json === 'true' ? 1 : 0),
    ofText: plain('boolean', (text) => (text === 'true' ? 1 : 0)),
    right: 'true or false',
    json: (value) => String(value === 1),
  },
  timestamp: {
    ofCell: exactInteger,
    ofText: plain('timestamp', microsOf),
    right: 'an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z',
    json: String,
  },
  datetime: {
    ofCell: (json) => withoutLastZeros(textOf(json)),
    ofText: plain('datetime', withoutLastZeros),
    right: 'a date and time without a time zone, as in 2026-01-31T12:00:00',
    json: inQuotes,
  },
  date: { ofCell: textOf, ofText: plain('date', String), right: 'a date, as in 2026-01-31', json: inQuotes },
  time: {
    ofCell: (json) => withoutLastZeros(textOf(json)),
    ofText: (text) =>
      /^(?:[01]\d|2[0-3])(?::[0-5]\d){1,2}(?:\.\d{1,6})?$/.test(text) && !/^.{5}\./.test(text)
        ? withoutLastZeros(text.length === 5 ? `${text}:00` : text)
        : undefined,
    right: 'a time of day, as in 12:00:00',
    json: inQuotes,
  },
  bytes: {
    ofCell: (json) => atob(textOf(json)),
    ofText: (text) =>
      /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text) ? atob(text) : undefined,
    right: 'bytes in Base64',
    json: (value) => `"${btoa(String(value))}"`,
  },
};

/** @throws TypeError for a type whose values are not compared */
export function valueKind(type: Column['type']): ValueKind {
  const kind = kinds[type];
  if (kind === undefined) throw new TypeError(`values of type ${type} are not compared`);
  return kind;
}

/**
 * Compares values of one type: texts by code points, as BigQuery and DuckDB do, where JavaScript compares UTF-16.
 */
export function compareValues(a: CellValue, b: CellValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return codePointOrder(one) - codePointOrder(other);
  }
  return a.length - b.length;
}

/** Units of surrogate pairs are those of the greatest code points. */
const codePointOrder = (unit: number): number =>
  unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
