import { parseDecimal, parseJson, type Revive, shorten } from '@querygate/text';
import type { RecordField, SavedQuery } from '../catalog/model/saved-query.ts';
import { GatewayError } from '../errors.ts';
import { parseDate, parseDatetime, parseTimestamp } from '../files/timestamps.ts';
import type { Rows } from './engine.ts';
import { missingRequiredColumn, unsafeInteger } from './engine-errors.ts';

/**
 * The result of a query from values of JavaScript, each in the JSON form of its column's type. null and undefined are NULL.
 * At most one row more than max rows is read.
 *
 * - string: a text, number, bigint or boolean, or a Date
 * - integer, float, numeric: a number, a bigint or a text of one; a float that is infinite or NaN is NULL
 * - boolean: a boolean, 0 or 1, as a text too
 * - timestamp: a Date, a number or bigint of microseconds since the epoch, or a text like `2026-03-10T12:34:56.789012Z`,
 *   with T or a space, and with Z, an offset like `+01:00`, or nothing, which is UTC
 * - datetime, date, time: a text like `2026-03-10 12:34:56.5`, or the part of it, or a Date, which is read in UTC
 * - bytes: a Uint8Array, such as a Buffer, or base64
 * - record, json, list: an object, a value of JSON, an array; or JSON text
 *
 * @see docs/engines.md
 * @throws GatewayError ENGINE_FAILED if a value does not fit the type of its column
 */
export function rowsOf(
  { columns, maxRows }: Pick<SavedQuery, 'columns' | 'maxRows'>,
  values: Iterable<Readonly<Record<string, unknown>>>,
): Rows {
  const rows: string[] = [];
  for (const value of values) {
    if (rows.length === maxRows) return { rows, truncated: true };
    const cells = columns.map((column) => {
      const cell = cellOf(column, value[column.name]);
      if (cell === null && column.required) throw missingRequiredColumn(column.name);
      return [column.name, cell ?? undefined];
    });
    rows.push(rowText(Object.fromEntries(cells)));
  }
  return { rows, truncated: false };
}

/** JSON values may have BigInts, which are numbers of JSON. */
function rowText(row: object): string {
  try {
    return JSON.stringify(row);
  } catch {
    return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? numberOf(value) : value));
  }
}

/** @returns null for NULL */
function cellOf(field: RecordField, value: unknown): unknown {
  if (field.repeated) {
    const list = value ?? [];
    const items: unknown = typeof list === 'string' ? jsonOf(field, list) : list;
    if (!Array.isArray(items)) fail(field, value);
    return items.map((item) => scalarOf(field, item));
  }
  return scalarOf(field, value);
}

function scalarOf(field: RecordField, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  switch (field.type) {
    case 'string':
      // A half of a surrogate pair has no form in UTF-8.
      return value instanceof Date ? isoText(field, value) : textOf(field, value).toWellFormed();
    case 'integer':
      return integerOf(field, value);
    case 'float':
      return floatOf(field, value);
    case 'numeric':
      return parseDecimal(textOf(field, value), anyDigits) ?? fail(field, value);
    case 'boolean':
      return booleans.get(textOf(field, value)) ?? fail(field, value);
    case 'timestamp':
      return microsecondsOf(field, value);
    case 'datetime':
      return localText(field, value, datetimePart, parseDatetime).replace(' ', 'T');
    case 'date':
      return localText(field, value, datePart, parseDate);
    case 'time':
      return localText(field, value, timePart, (time) => parseDatetime(`1970-01-01T${time}`));
    case 'bytes':
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : base64Of(field, value);
    case 'json':
      return typeof value === 'string' ? jsonOf(field, value, exactInteger) : value;
    case 'record':
      return recordOf(field, typeof value === 'string' ? jsonOf(field, value) : value);
  }
}

const textOf = (field: RecordField, value: unknown): string =>
  typeof value === 'object' ? fail(field, value) : String(value);

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1'].map((text) => [text, true] as const),
  ...['false', '0'].map((text) => [text, false] as const),
]);

/** More digits than any decimal type has. */
const anyDigits = { whole: 1000, fraction: 1000 };

/** JSON has neither infinities nor NaN: they are NULL. */
function floatOf(field: RecordField, value: unknown): number | null {
  const text = textOf(field, value).trim();
  if (Number.isFinite(Number(text)) && text !== '') return Number(text);
  return /^(?:[+-]?inf(?:inity)?|nan)$/i.test(text) ? null : fail(field, value);
}

function integerOf(field: RecordField, value: unknown): number {
  const text = textOf(field, value).trim();
  const number = Number(text);
  if (!Number.isInteger(number) || text === '') return fail(field, value);
  if (Number.isSafeInteger(number)) return number;
  throw new GatewayError('ENGINE_FAILED', `The query failed: ${field.name}: ${unsafeInteger}`);
}

/** Before the year 1684 and after 2255, microseconds are beyond 2^53. */
function microsecondsOf(field: RecordField, value: unknown): unknown {
  if (typeof value === 'bigint')
    return value >= earliestMicros && value <= latestMicros ? numberOf(value) : fail(field, value);
  if (!(value instanceof Date) && typeof value !== 'string') return integerOf(field, value);
  const text = value instanceof Date ? isoText(field, value) : value;
  const parsed = /[T ]\d\d:\d\d:\d\d/i.test(text) ? parseTimestamp(text) : undefined;
  return parsed === undefined ? fail(field, value) : numberOf(microsOf(parsed));
}

/** @param timestamp as `parseTimestamp` writes it */
const microsOf = (timestamp: string): bigint =>
  BigInt(Date.parse(`${timestamp.slice(0, 19)}Z`)) * 1000n + BigInt(timestamp.slice(20, 26));

const earliestMicros = microsOf('0001-01-01T00:00:00.000000Z');
const latestMicros = microsOf('9999-12-31T23:59:59.999999Z');

/** A number of JSON, with all digits. */
const numberOf = (value: bigint): unknown =>
  Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(String(value));

function base64Of(field: RecordField, value: unknown): string {
  const isBase64 = typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value;
  return isBase64 ? value : fail(field, value);
}

const datetimePart = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?$/;
// Of the other part only the shape counts: `24:00:00`, or an instant beyond the year 9999 in UTC, has a date all the same.
const datePart =
  /^\d{4}-\d\d-\d\d(?=(?:[T ](?:[01]\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)? ?(?:Z|UTC|[+-]\d\d(?::?\d\d(?::\d\d)?)?)?)?$)/i;
const timePart = /(?<=^(?:\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[T ])?)\d\d:\d\d:\d\d(?:\.\d+)?$/;

/** The part of a date or time, without a zone and without zeros at the end of a fraction. */
function localText(
  field: RecordField,
  value: unknown,
  part: RegExp,
  parse: (text: string) => string | undefined,
): string {
  const text = value instanceof Date ? isoText(field, value).slice(0, -1) : textOf(field, value);
  const [found = fail(field, value)] = part.exec(text) ?? [];
  if (parse(found) === undefined) fail(field, value);
  return found.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

const isoText = (field: RecordField, date: Date): string =>
  Number.isNaN(date.getTime()) ? fail(field, date) : date.toISOString();

function recordOf(field: RecordField, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) fail(field, value);
  if (field.fields === undefined) return value;
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(field.fields.map((inner) => [inner.name, cellOf(inner, members[inner.name])]));
}

function jsonOf(field: RecordField, text: string, revive?: Revive): unknown {
  try {
    return parseJson(text, revive);
  } catch {
    return fail(field, text);
  }
}

/** JSON may have integers that a number of JavaScript cannot hold. */
const exactInteger: Revive = (value, source) =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && source ? JSON.rawJSON(source) : value;

function fail({ name, type, repeated }: RecordField, value: unknown): never {
  const kind = repeated ? `a list of ${type}` : type;
  const text =
    typeof value === 'object'
      ? 'an object'
      : typeof value === 'string'
        ? JSON.stringify(value)
        : String(value);
  throw new GatewayError('ENGINE_FAILED', `The query failed: ${name} is not ${kind}: ${shorten(text)}`);
}
