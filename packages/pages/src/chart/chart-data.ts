import { type Column, valueIn } from '../endpoint.ts';
import type { Json, JsonObject } from '../json.ts';
import { timestampText } from '../timestamp.ts';
import type { ChartChoice } from '../view.ts';

interface Series {
  readonly name: string;
  /** The name of the column that its values are from. */
  readonly column: string;
  readonly unit: string;
  /** One for each time; null where there is no row, or the value is NULL. */
  readonly points: readonly (number | null)[];
}

export interface ChartData {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Buckets between the first and the last one that have no row: the middle of each, and how wide they are. */
  readonly empty: readonly { readonly time: number; readonly width: number }[];
  readonly buckets: number;
  /** What the chart does not show. */
  readonly notes: readonly string[];
}

/** More lines cannot be distinguished. */
export const maxSeries = 12;

/** Characters of a line's name that are shown. */
const maxNameLength = 80;

const timeTypes = new Set(['timestamp', 'datetime', 'date']);
const numberTypes = new Set(['integer', 'float', 'numeric']);
const splitTypes = new Set(['string', 'boolean', 'integer']);

export const timeColumnOf = (columns: readonly Column[]): Column | undefined =>
  columns.find(({ type, repeated }) => !repeated && timeTypes.has(type));

export const numberColumnsOf = (columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ type, repeated }) => !repeated && numberTypes.has(type));

export const splitColumnsOf = (columns: readonly Column[]): readonly Column[] =>
  columns.filter(({ type, repeated }) => !repeated && splitTypes.has(type));

/** The numbers with the unit of the first one; split by a text if several rows have the same time. */
export function defaultChoice(rows: readonly JsonObject[], columns: readonly Column[]): ChartChoice {
  const [first, ...others] = numberColumnsOf(columns);
  const values = first === undefined ? [] : [first, ...others.filter(({ unit }) => unit === first.unit)];
  const time = timeColumnOf(columns);
  const texts = splitColumnsOf(columns).filter(({ type }) => type !== 'integer');
  const isAmbiguous = time !== undefined && !areUnique(rows, [time]);
  const split = isAmbiguous
    ? (texts.find((column) => areUnique(rows, [time, column])) ?? texts[0])
    : undefined;
  return {
    values: (split === undefined ? values : values.slice(0, 1)).slice(0, maxSeries).map(({ name }) => name),
    split: split?.name,
  };
}

/** The columns of an older address may be gone. @returns undefined if there is nothing left to show */
export function knownChoice(
  choice: ChartChoice | undefined,
  columns: readonly Column[],
): ChartChoice | undefined {
  const names = (known: readonly Column[]) => new Set(known.map(({ name }) => name));
  const numbers = names(numberColumnsOf(columns));
  const values = choice?.values.filter((value) => numbers.has(value)) ?? [];
  const split = choice?.split;
  if (values.length === 0) return undefined;
  return {
    values,
    split: split !== undefined && names(splitColumnsOf(columns)).has(split) ? split : undefined,
  };
}

function areUnique(rows: readonly JsonObject[], columns: readonly Column[]): boolean {
  const keys = new Set(rows.map((row) => columns.map((column) => String(valueIn(row, column))).join('\n')));
  return keys.size === rows.length;
}

export function chartData(
  rows: readonly JsonObject[],
  columns: readonly Column[],
  { values, split }: ChartChoice,
): ChartData {
  const time = timeColumnOf(columns);
  const splitColumn = columns.find(({ name }) => name === split);
  const shown = numberColumnsOf(columns).filter(({ name }) => values.includes(name));
  const lines = new Map<string, { readonly column: Column; readonly byTime: Map<number, number | null> }>();
  const seen = new Set<number>();
  let repeated = 0;
  let timeless = 0;
  for (const row of time === undefined ? [] : rows) {
    const at = secondsOf(valueIn(row, time as Column));
    if (at === undefined) {
      timeless += 1;
      continue;
    }
    seen.add(at);
    const part = splitColumn === undefined ? undefined : splitText(valueIn(row, splitColumn));
    for (const column of shown) {
      const name = part === undefined ? column.name : shown.length === 1 ? part : `${part}: ${column.name}`;
      const line = lines.get(name) ?? { column, byTime: new Map() };
      lines.set(name, line);
      if (line.byTime.has(at)) repeated += 1;
      line.byTime.set(at, numberOf(valueIn(row, column)));
    }
  }
  const { times, empty, buckets } = fillBuckets([...seen].sort((a, b) => a - b));
  const kept = [...lines].sort(([, a], [, b]) => sumOf(b.byTime) - sumOf(a.byTime)).slice(0, maxSeries);
  const series = (lines.size > maxSeries ? kept : [...lines]).map(([name, { column, byTime }]) => ({
    name: name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name,
    column: column.name,
    unit: column.unit ?? '',
    points: times.map((at) => byTime.get(at) ?? null),
  }));
  const notes = [
    lines.size > maxSeries ? `Only the ${maxSeries} largest of ${lines.size} lines are shown.` : '',
    repeated > 0
      ? `${repeated} values share their time and line with another one, and only the last of them is shown: split by a column.`
      : '',
    timeless > 0 ? `${timeless} rows have no time, and are in the table only.` : '',
  ].filter((note) => note !== '');
  return { times, series, empty, buckets, notes };
}

const splitText = (value: Json | undefined) =>
  value === undefined ? 'NULL' : value === '' ? 'empty text' : String(value);

const sumOf = (byTime: ReadonlyMap<number, number | null>) =>
  [...byTime.values()].reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);

function numberOf(value: Json | undefined): number | null {
  const number = value === undefined ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Timestamps are microseconds; dates and datetimes are texts in UTC. */
function secondsOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) / 1e6;
  if (typeof value !== 'string') return undefined;
  const ms = Date.parse(value.includes('T') ? `${value}Z` : `${value}T00:00:00Z`);
  return Number.isNaN(ms) ? undefined : ms / 1000;
}

export const timeText = (seconds: number): string => timestampText(Math.round(seconds * 1e6));

interface Buckets {
  readonly times: readonly number[];
  readonly empty: readonly { readonly time: number; readonly width: number }[];
  readonly buckets: number;
}

/** With more empty buckets than this, and a smaller share with rows, times are single moments instead of buckets. */
const maxSparseBuckets = 2_000;
const leastShare = 0.02;
const maxBuckets = 20_000;

/**
 * Adds the buckets without rows, if the times are those of buckets: multiples of their least distance, in months if
 * they are first days of months.
 */
function fillBuckets(times: readonly number[]): Buckets {
  const none = { times, empty: [], buckets: times.length };
  const [start, end] = [times[0], times.at(-1)];
  if (start === undefined || end === undefined || times.length < 2) return none;
  const expected = times.every(isFirstOfMonth) ? months(times) : multiples(times, start, end);
  if (expected === undefined) return none;
  const present = new Set(times);
  const empty = expected.filter(({ time }) => !present.has(time));
  const all = [...times, ...empty.map(({ time }) => time)].sort((a, b) => a - b);
  return { times: all, empty, buckets: expected.length };
}

function multiples(times: readonly number[], start: number, end: number) {
  const step = leastDistance(times);
  const count = Math.round((end - start) / step) + 1;
  const isSparse = count > maxSparseBuckets && times.length / count < leastShare;
  if (!Number.isFinite(step) || count > maxBuckets || isSparse) return undefined;
  // The times themselves are taken where there are some: a multiple of a fraction is not exact.
  const places = new Map(times.map((time) => [Math.round((time - start) / step), time]));
  const isRegular = [...places].every(([place, time]) => Math.abs(start + place * step - time) < step / 1000);
  if (!isRegular || places.size < times.length) return undefined;
  return Array.from({ length: count }, (_, place) => ({
    time: places.get(place) ?? start + place * step,
    width: step,
  }));
}

const day = 86_400;

const isFirstOfMonth = (time: number) => time % day === 0 && new Date(time * 1000).getUTCDate() === 1;

/** Buckets of a month, a quarter, a year: of the least distance, in months, of which the others are multiples. */
function months(times: readonly number[]) {
  const places = times.map(monthOf);
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const step = leastDistance(places);
  const isRegular = places.every((place) => (place - first) % step === 0);
  if (!isRegular || (last - first) / step >= maxSparseBuckets) return undefined;
  return Array.from({ length: (last - first) / step + 1 }, (_, bucket) => {
    const place = first + bucket * step;
    return { time: startOfMonth(place), width: startOfMonth(place + step) - startOfMonth(place) };
  });
}

/** Months since the year 0. */
function monthOf(time: number): number {
  const date = new Date(time * 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

const startOfMonth = (place: number) => Date.UTC(Math.floor(place / 12), place % 12) / 1000;

function leastDistance(ascending: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < ascending.length; at += 1)
    least = Math.min(least, (ascending[at] ?? 0) - (ascending[at - 1] ?? 0));
  return least;
}
