import { type Column, valueIn } from '../../endpoint.ts';
import type { JsonObject } from '../../json.ts';
import type { ChartChoice } from '../../view.ts';
import { isAdditive, numberColumnsOf, numberOf } from './columns.ts';
import { readableNumber } from './number-text.ts';

/** The values of a column that a chart does not show. */
export interface Left {
  readonly column: Column;
  /** How many of its values cannot be drawn: NaN, infinite, beyond what a screen can show. */
  readonly values: number;
  /** The sum of those that could be. */
  readonly sum: number;
}

/** The largest, at most so many, in their own order: the others are only in the table. */
export function keepLargest<T>(all: readonly T[], most: number, sizeOf: (one: T) => number): readonly T[] {
  if (all.length <= most) return all;
  const sizes = new Map(all.map((one) => [one, sizeOf(one)]));
  const largest = new Set(all.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0)).slice(0, most));
  return all.filter((one) => largest.has(one));
}

/** Sentences on what is not shown. */
export const leftText = (left: readonly Left[]): readonly string[] =>
  left.flatMap(({ column, values, sum }) => [
    ...(values === 0
      ? []
      : [
          values === 1
            ? `1 value of ${column.name} is not finite or too large, and only in the table.`
            : `${values.toLocaleString('en')} values of ${column.name} are not finite or too large, and only in the table.`,
        ]),
    ...(sum === 0 || !isAdditive(column)
      ? []
      : [`Not drawn of ${column.name}: ${withUnit(sum, column)} in sum.`]),
  ]);

/** A sentence on the columns of numbers that are not drawn, with their sums; '' if all are. */
export function omittedText(
  rows: readonly JsonObject[],
  columns: readonly Column[],
  { values, split }: ChartChoice,
): string {
  const omitted = numberColumnsOf(columns).filter(
    ({ name }) => !values.includes(name) && !split.includes(name),
  );
  if (omitted.length === 0) return '';
  const texts = omitted.map((column) => {
    if (!isAdditive(column)) return column.name;
    const sum = rounded(rows.reduce((total, row) => total + (numberOf(valueIn(row, column)) ?? 0), 0));
    return `${column.name} (${withUnit(sum, column)} in sum)`;
  });
  return `Not drawn, choose below: ${texts.join(', ')}.`;
}

const withUnit = (value: number, { unit }: Column): string =>
  `${readableNumber(value)}${unit === undefined ? '' : ` ${unit}`}`;

/** `1 row is`, `2 rows are`. */
export const countText = (count: number, noun: string): string =>
  count === 1 ? `1 ${noun} is` : `${count.toLocaleString('en')} ${noun}s are`;

/** Without the digits that additions of fractions leave. */
export const rounded = (value: number): number => Number(value.toPrecision(15));
