import { type Column, valueIn } from '../../endpoint.ts';
import type { JsonObject } from '../../json.ts';
import type { ChartChoice } from '../../view.ts';
import { isAdditive, isUndrawable, keyOf, nameOf, numberOf } from './columns.ts';
import { countText, keepLargest, type Left, leftText, rounded } from './left.ts';
import { sumOf } from './sum.ts';

export interface Bar {
  readonly name: string;
  /** For each column: its value, and all digits of it; undefined for NULL. */
  readonly values: readonly (BarValue | undefined)[];
}

interface BarValue {
  readonly value: number;
  readonly text: string;
}

/** Rows without a time: a bar for each row, or for each name. */
export interface BarData {
  readonly columns: readonly Column[];
  /** The columns that name the bars, as in `kind · region`. */
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly summed: readonly Column[];
  readonly left: readonly Left[];
  readonly notes: readonly string[];
}

/** More bars are a table. */
const maxBars = 30;

export function barData(
  rows: readonly JsonObject[],
  columns: readonly Column[],
  { values, split }: ChartChoice,
): BarData {
  const names = columns.filter(({ name }) => split.includes(name));
  const shown = columns.filter(({ name }) => values.includes(name));
  const groups = [...Map.groupBy(rows, (row) => keyOf(row, names)).values()];
  const isSummed = groups.length < rows.length && shown.every(isAdditive);
  const drawn = isSummed ? groups : rows.map((row) => [row]);
  const all = drawn.map(
    (group): Bar => ({
      name: names.length === 0 ? '' : nameOf(group[0] ?? {}, names),
      values: shown.map((column) => combined(group, column)),
    }),
  );
  const bars = keepLargest(all, maxBars, ({ values: [first] }) => Math.abs(first?.value ?? 0));
  const others = all.filter((bar) => !bars.includes(bar));
  const left = shown.map((column, at) => ({
    column,
    values: drawn.flatMap((group, place) => {
      const isDrawn = all[place]?.values[at] !== undefined;
      return group.filter((row) => {
        const value = valueIn(row, column);
        return isDrawn ? isUndrawable(value) : value !== undefined;
      });
    }).length,
    sum: rounded(others.reduce((sum, bar) => sum + (bar.values[at]?.value ?? 0), 0)),
  }));
  return {
    columns: shown,
    title: names.map(({ name }) => name).join(' · '),
    bars,
    summed: isSummed ? shown : [],
    left,
    notes: [
      isSummed ? 'Rows with the same name are drawn as their sum.' : '',
      !isSummed && groups.length < rows.length ? 'Several rows have the same name: each bar is one row.' : '',
      others.length > 0
        ? `The ${bars.length} largest of ${all.length.toLocaleString('en')} bars are drawn; ${countText(others.length, 'bar')} only in the table.`
        : '',
      ...leftText(left),
    ].filter((note) => note !== ''),
  };
}

function combined(group: readonly JsonObject[], column: Column): BarValue | undefined {
  const found = group.flatMap((row) => {
    const raw = valueIn(row, column);
    const value = numberOf(raw);
    return value === undefined ? [] : [{ value, text: String(raw) }];
  });
  if (found.length <= 1) return found[0];
  return sumOf(found);
}
