import { type Column, valueIn } from '../../endpoint.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { ChartChoice } from '../../view.ts';
import { type Buckets, fillBuckets } from './buckets.ts';
import { maxLines } from './choice.ts';
import { isAdditive, isUndrawable, keyOf, nameOf, numberOf, secondsOf } from './columns.ts';
import { countText, type Left, leftText, rounded } from './left.ts';

/** What is drawn at one place: the value of a row, or the sum of several. */
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
  /** Whether a line may have several points at a time: they are drawn apart, without lines between them. */
  readonly isScattered: boolean;
  /** The last bucket, if it was not over when the rows were computed. */
  readonly unfinished: { readonly time: number; readonly width: number } | undefined;
  /** Whether nothing is drawn between the hours of a day. */
  readonly isByDay: boolean;
  /** What the chart does not show, for each drawn column. */
  readonly left: readonly Left[];
  /** What people must know to read the chart. */
  readonly notes: readonly string[];
}

/** Characters of a line's name that are shown. */
const maxNameLength = 80;

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
  const shown = columns.filter(({ name }) => values.includes(name));
  const lines = new Map<string, Collected>();
  const seen = new Set<number>();
  const timeless: Json[][] = [];
  const undrawable = shown.map(() => 0);
  for (const row of rows) {
    const at = secondsOf(valueIn(row, time));
    const ofRow = shown.map((column) => valueIn(row, column));
    if (at === undefined) {
      timeless.push(ofRow.map((value) => value ?? null));
      continue;
    }
    seen.add(at);
    const key = names.length === 0 ? '' : keyOf(row, names);
    for (const [place, column] of shown.entries()) {
      const lineKey = `${place} ${key}`;
      const line = lines.get(lineKey) ?? {
        name: lineName(names.length === 0 ? undefined : nameOf(row, names), column, shown.length),
        column,
        byTime: new Map<number, Point[]>(),
      };
      lines.set(lineKey, line);
      const raw = ofRow[place];
      const value = numberOf(raw);
      if (isUndrawable(raw)) undrawable[place] = (undrawable[place] ?? 0) + 1;
      if (value === undefined) continue;
      const points = line.byTime.get(at);
      const point = { value, text: String(raw) };
      if (points === undefined) line.byTime.set(at, [point]);
      else points.push(point);
    }
  }
  const all = [...lines.values()];
  const hasSeveral = ({ byTime }: Collected) => [...byTime.values()].some(({ length }) => length > 1);
  const several = shown.filter((column) => all.some((line) => line.column === column && hasSeveral(line)));
  const summed = several.filter(isAdditive);
  for (const { byTime } of all.filter(({ column }) => summed.includes(column)))
    for (const [at, points] of byTime) if (points.length > 1) byTime.set(at, [sumOf(points)]);

  const kept = keepLargest(all);
  const others = all.filter((line) => !kept.includes(line));
  const buckets = fillBuckets([...seen].sort((a, b) => a - b));
  const left = shown.map((column, place) => ({
    column,
    values: undrawable[place] ?? 0,
    sum:
      totalOf(others.filter((line) => line.column === column)) +
      timeless.reduce((sum, row) => sum + (numberOf(row[place] ?? undefined) ?? 0), 0),
  }));
  const isScattered = several.length > summed.length;
  return {
    ...buckets,
    time,
    summed,
    isScattered,
    unfinished: unfinishedOf(buckets, computedAt),
    isByDay: time.type === 'date' || [...seen].every((at) => at % 86_400 === 0),
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

/** A last time in the future is not one of buckets until now. */
function unfinishedOf({ times, lastWidth }: Buckets, computedAt: number | undefined) {
  const time = times.at(-1);
  if (time === undefined || lastWidth === undefined || computedAt === undefined) return undefined;
  return time <= computedAt && computedAt < time + lastWidth ? { time, width: lastWidth } : undefined;
}

const lineName = (name: string | undefined, { name: column }: Column, count: number) =>
  name === undefined ? column : count === 1 ? name : `${name}: ${column}`;

const sumOf = (points: readonly Point[]): Point => {
  const value = rounded(points.reduce((sum, point) => sum + point.value, 0));
  return { value, text: String(value) };
};

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

/** In the order of the rows. */
function keepLargest(lines: readonly Collected[]): readonly Collected[] {
  if (lines.length <= maxLines) return lines;
  const sizes = new Map(
    lines.map((line) => [
      line,
      [...line.byTime.values()].reduce(
        (sum, points) => points.reduce((part, { value }) => part + Math.abs(value), sum),
        0,
      ),
    ]),
  );
  const largest = new Set(
    lines.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0)).slice(0, maxLines),
  );
  return lines.filter((line) => largest.has(line));
}
