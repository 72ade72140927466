import { type Column, valueIn } from '../../endpoint.ts';
import { plainText } from '../../hidden-characters.ts';
import type { Json, JsonObject } from '../../json.ts';

const timeTypes = new Set(['timestamp', 'datetime', 'date']);
const numberTypes = new Set(['integer', 'float', 'numeric']);
const nameTypes = new Set(['string', 'boolean', 'integer', 'date']);

export const timeColumnOf = (columns: readonly Column[]): Column | undefined =>
  columns.find(({ type, repeated }) => !repeated && timeTypes.has(type));

export const numberColumnsOf = (columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ type, repeated }) => !repeated && numberTypes.has(type));

/** Columns that name a line or a bar. Integers may be codes, as in `status`; they come last. */
export function nameColumnsOf(columns: readonly Column[]): readonly Column[] {
  const time = timeColumnOf(columns);
  const found = columns.filter((column) => !column.repeated && nameTypes.has(column.type) && column !== time);
  return [
    ...found.filter(({ type }) => type !== 'integer'),
    ...found.filter(({ type }) => type === 'integer'),
  ];
}

const notAdditive =
  /(?:^|[_.])(?:avg|average|mean|median|p\d+|percentile|min|max|least|greatest|rate|ratio|share|percent|pct|score|stddev|latest|first|last|year|month|day|hour|id)(?:$|[_.])/i;

/** Units of what is measured, not counted. */
const measuredUnits = new Set([
  'ms',
  's',
  'us',
  'µs',
  'ns',
  'sec',
  'seconds',
  'min',
  'h',
  '%',
  'percent',
  '°C',
]);

/** True if a sum of values means something: of counts and amounts, not of averages, shares and latencies. */
export const isAdditive = ({ name, unit = '' }: Column): boolean =>
  !notAdditive.test(name) && (!measuredUnits.has(unit) || /total|sum/i.test(name));

/** Larger numbers would make the distances between them infinite. */
const largest = 8e307;

/** A value as a number; undefined for what cannot be drawn: NULL, NaN, infinite. */
export function numberOf(value: Json | undefined): number | undefined {
  const number = value === undefined || value === '' ? Number.NaN : Number(value);
  return Math.abs(number) <= largest ? number : undefined;
}

/** True for a value, other than NULL, that cannot be drawn. */
export const isUndrawable = (value: Json | undefined): boolean =>
  value !== undefined && numberOf(value) === undefined;

/** Timestamps are microseconds; dates and datetimes are texts in UTC. @returns seconds since 1970 */
export function secondsOf(value: Json | undefined): number | undefined {
  // Beyond 2^53 the last microsecond of a year would be rounded to the next one.
  if (typeof value === 'bigint') return Number(value / 1000n) / 1000;
  if (typeof value === 'number') return value / 1e6;
  if (typeof value !== 'string') return undefined;
  const ms = Date.parse(value.includes('T') ? `${value}Z` : `${value}T00:00:00Z`);
  if (Number.isNaN(ms)) return undefined;
  const micros = ms * 1000 + Number(/\.\d{3}(\d{1,3})/.exec(value)?.[1]?.padEnd(3, '0') ?? 0);
  return Number.isSafeInteger(micros) ? micros / 1e6 : ms / 1000;
}

const textOf = (value: Json | undefined) =>
  value === undefined ? 'NULL' : value === '' ? 'empty text' : plainText(String(value));

/** The name of a row by some columns, as in `storage · production`. */
export const nameOf = (row: JsonObject, columns: readonly Column[]): string =>
  columns.map((column) => textOf(valueIn(row, column))).join(' · ');

/** Distinguishes rows by the values of some columns, also NULL from the text `NULL`. */
export const keyOf = (row: JsonObject, columns: readonly Column[]): string =>
  JSON.stringify(
    columns.map((column) => {
      const value = valueIn(row, column);
      return value === undefined ? null : String(value);
    }),
  );
