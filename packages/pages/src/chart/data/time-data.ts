import { type Column, valueIn } from '../../endpoint.ts';
import type { JsonObject } from '../../json.ts';
import type { ChartChoice } from '../../view.ts';
import { type Buckets, fillBuckets } from './buckets.ts';
import { maxLines } from './choice.ts';
import { isAdditive, isUndrawable, keyOf, nameOf, numberOf, secondsOf } from './columns.ts';
import { countText, keepLargest, type Left, leftText } from './left.ts';
import { sumOf } from './sum.ts';

/** The value drawn at one place: that of a row, or the sum of several. */
export interface Point {
  readonly value: number;
  /** All digits of the value. */
  readonly text: string;
}

export interface Line {
  readonly name: string;
  readonly column: Column;
  /** For each time what is drawn there: nothing, one point, or several if their sum would mean nothing. */
  readonly points: readonly (readonly Point[])[];
}

/** Rows over time. */
export interface TimeData extends Buckets {
  readonly time: Column;
  readonly lines: readonly Line[];
  /** The columns of which sums are drawn. */
  readonly summed: readonly Column[];
  /** True if a line may have several points at a time: they are drawn apart, without lines between them. */
  readonly isScattered: boolean;
  /** The last bucket, if it was not over when the rows were computed. */
  readonly unfinished: { readonly time: number; readonly width: number } | undefined;
  /** True if nothing is drawn between the hours of a day. */
  readonly isByDay: boolean;
  /** The values that the chart does not show, for each drawn column. */
  readonly left: readonly Left[];
  /** The facts that people must know to read the chart. */
  readonly notes: readonly string[];
}

/** Characters of a line's name that are shown. */
const maxNameLength = 80;

/** A row with its time, in seconds since 1970. */
interface Dated {
  readonly at: number;
  readonly row: JsonObject;
}

interface Collected {
  readonly name: string;
  readonly column: Column;
  readonly byTime: Map<number, Point[]>;
}

/** @param computedAt when the rows were computed, in seconds since 1970; undefined if that is not known */
export function timeData(
  rows: readonly JsonObject[],
  columns: readonly Column[],
  time: Column,
  { values, split }: ChartChoice,
  computedAt: number | undefined,
): TimeData {
  const names = columns.filter(({ name }) => split.includes(name));
  // People ask how many before how long.
  const shown = columns
    .filter(({ name }) => values.includes(name))
    .toSorted((a, b) => Number(isAdditive(b)) - Number(isAdditive(a)));
  const dated: Dated[] = [];
  const timeless: JsonObject[] = [];
  for (const row of rows) {
    const at = secondsOf(valueIn(row, time));
    if (at === undefined) timeless.push(row);
    else dated.push({ at, row });
  }
  const all = collectLines(dated, shown, names);
  const { several, summed, tooLarge } = sumPoints(all, shown);
  const kept = keepLargest(all, maxLines, sizeOf);
  const others = all.filter((line) => !kept.includes(line));
  const seen = [...new Set(dated.map(({ at }) => at))];
  const buckets = fillBuckets(seen.sort((a, b) => a - b));
  const left = shown.map((column) => ({
    column,
    values:
      dated.filter(({ row }) => isUndrawable(valueIn(row, column))).length + (tooLarge.get(column) ?? 0),
    sum:
      totalOf(others.filter((line) => line.column === column)) +
      timeless.reduce((sum, row) => sum + (numberOf(valueIn(row, column)) ?? 0), 0),
  }));
  const isScattered = several.length > summed.length;
  return {
    ...buckets,
    time,
    summed,
    isScattered,
    unfinished: unfinishedOf(buckets, computedAt),
    isByDay: time.type === 'date' || seen.every((at) => at % 86_400 === 0),
    lines: kept.map(({ name, column, byTime }) => ({
      name: name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name,
      column,
      points: buckets.times.map((at) => byTime.get(at) ?? []),
    })),
    left,
    notes: [
      summed.length > 0
        ? `Rows with the same time${names.length === 0 ? '' : ' and name'} are drawn as their sum.`
        : '',
      isScattered ? 'Several rows have the same time and name: each dot is one row.' : '',
      others.length > 0
        ? `The ${kept.length} largest of ${all.length} lines are drawn; ${countText(others.length, 'line')} only in the table.`
        : '',
      timeless.length > 0
        ? `${countText(timeless.length, 'row')} without a time, and only in the table.`
        : '',
      ...leftText(left),
    ].filter((note) => note !== ''),
  };
}

/** A line for each drawn column and each name, in the order of the rows. */
function collectLines(
  dated: readonly Dated[],
  shown: readonly Column[],
  names: readonly Column[],
): readonly Collected[] {
  const lines = new Map<string, Collected>();
  for (const { at, row } of dated) {
    const key = names.length === 0 ? '' : keyOf(row, names);
    for (const [place, column] of shown.entries()) {
      const lineKey = `${place} ${key}`;
      const line = lines.get(lineKey) ?? {
        name: lineName(names.length === 0 ? undefined : nameOf(row, names), column, shown.length),
        column,
        byTime: new Map<number, Point[]>(),
      };
      lines.set(lineKey, line);
      const raw = valueIn(row, column);
      const value = numberOf(raw);
      if (value === undefined) continue;
      const point = { value, text: String(raw) };
      const points = line.byTime.get(at);
      if (points === undefined) line.byTime.set(at, [point]);
      else points.push(point);
    }
  }
  return [...lines.values()];
}

/**
 * Puts a sum in the place of several points at one time, where the column may be added.
 *
 * @returns the columns with several points at some time, those of them that are sums now, and how many of their points have a
 *   sum that cannot be drawn
 */
function sumPoints(lines: readonly Collected[], shown: readonly Column[]) {
  const hasSeveral = ({ byTime }: Collected) => [...byTime.values()].some(({ length }) => length > 1);
  const several = shown.filter((column) => lines.some((line) => line.column === column && hasSeveral(line)));
  const summed = several.filter(isAdditive);
  const tooLarge = new Map<Column, number>();
  for (const { byTime, column } of lines.filter((line) => summed.includes(line.column)))
    for (const [at, points] of byTime) {
      if (points.length <= 1) continue;
      const sum = sumOf(points);
      byTime.set(at, sum === undefined ? [] : [sum]);
      if (sum === undefined) tooLarge.set(column, (tooLarge.get(column) ?? 0) + points.length);
    }
  return { several, summed, tooLarge };
}

/** A last time in the future is not one of buckets until now. */
function unfinishedOf({ times, lastWidth }: Buckets, computedAt: number | undefined) {
  const time = times.at(-1);
  if (time === undefined || lastWidth === undefined || computedAt === undefined) return undefined;
  return time <= computedAt && computedAt < time + lastWidth ? { time, width: lastWidth } : undefined;
}

const lineName = (name: string | undefined, { name: column }: Column, count: number) =>
  name === undefined ? column : count === 1 ? name : `${name}: ${column}`;

const totalOf = (lines: readonly Collected[]) =>
  lines.reduce(
    (total, { byTime }) =>
      total +
      [...byTime.values()].reduce(
        (sum, points) => sum + points.reduce((part, { value }) => part + value, 0),
        0,
      ),
    0,
  );

const sizeOf = ({ byTime }: Collected) =>
  [...byTime.values()].reduce(
    (sum, points) => points.reduce((part, { value }) => part + Math.abs(value), sum),
    0,
  );
