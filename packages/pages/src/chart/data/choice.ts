import type { Column } from '../../endpoint.ts';
import type { JsonObject } from '../../json.ts';
import type { ChartChoice } from '../../view.ts';
import { isAdditive, keyOf, nameColumnsOf, numberColumnsOf, timeColumnOf } from './columns.ts';

/** More lines cannot be distinguished. */
export const maxLines = 12;

/** A name of more parts is hard to read. */
const maxSplit = 4;

/**
 * The choice that fits the rows: the numbers, and the columns that distinguish the rows. Lines that are split are of one
 * number, and bars of those with the unit of the first one, which would take too much room otherwise. If there are more
 * lines than can be drawn, counts and amounts get fewer columns, and their sums are drawn.
 */
export function defaultChoice(rows: readonly JsonObject[], columns: readonly Column[]): ChartChoice {
  const split = splitOf(rows, columns);
  const numbers = numberColumnsOf(columns).filter(({ name }) => !split.includes(name));
  const hasTime = timeColumnOf(columns) !== undefined;
  const values = hasTime ? numbers : numbers.filter(({ unit }) => unit === numbers[0]?.unit);
  return {
    values: values.slice(0, hasTime && split.length > 0 ? 1 : maxLines).map(({ name }) => name),
    split,
  };
}

function splitOf(rows: readonly JsonObject[], columns: readonly Column[]): readonly string[] {
  const time = timeColumnOf(columns);
  const names = nameColumnsOf(columns);
  const numbers = numberColumnsOf(columns);
  const areDistinct = distinguish(rows);
  const isDistinct = (some: readonly Column[]) => areDistinct(time === undefined ? some : [time, ...some]);
  // A number that is drawn cannot name its line too.
  const isPossible = (some: readonly Column[]) => numbers.some((number) => !some.includes(number));
  // Without a time each bar needs a name.
  const texts = names.filter(({ type }) => type !== 'integer');
  // Integers name something only if texts do not.
  const all = [...subsetsOf(texts), ...subsetsOf(names)].filter(
    (some) => isPossible(some) && (time !== undefined || some.length > 0),
  );
  const found = all.find(isDistinct);
  const [value] = numbers.filter((number) => !found?.includes(number));
  const isSummed = value !== undefined && isAdditive(value) && time !== undefined;
  const hasFewLines = (some: readonly Column[]) => countKeys(rows, some, maxLines + 1) <= maxLines;
  if (found !== undefined && (!isSummed || hasFewLines(found))) return found.map(({ name }) => name);
  const few = isSummed ? texts.find((column) => hasFewLines([column])) : undefined;
  return (few === undefined ? (found ?? texts.slice(0, 1)) : [few]).map(({ name }) => name);
}

/** @returns whether all rows are different by some columns */
function distinguish(rows: readonly JsonObject[]): (columns: readonly Column[]) => boolean {
  // Two rows that some columns do not distinguish are equal by most others too: there are more than a hundred sets of
  // columns, and each one would take a pass over all rows.
  const twins: (readonly [JsonObject, JsonObject])[] = [];
  return (columns) => {
    if (twins.some(([one, other]) => keyOf(one, columns) === keyOf(other, columns))) return false;
    const seen = new Map<string, JsonObject>();
    for (const row of rows) {
      const key = keyOf(row, columns);
      const twin = seen.get(key);
      if (twin !== undefined) {
        twins.push([twin, row]);
        return false;
      }
      seen.set(key, row);
    }
    return true;
  };
}

/** How many different rows there are by some columns, counted up to `most`. */
function countKeys(rows: readonly JsonObject[], columns: readonly Column[], most: number): number {
  const keys = new Set<string>();
  for (const row of rows) {
    keys.add(keyOf(row, columns));
    if (keys.size >= most) break;
  }
  return keys.size;
}

/** Of the first columns, those of fewer columns first. */
function subsetsOf(columns: readonly Column[]): readonly (readonly Column[])[] {
  let subsets: readonly (readonly Column[])[] = [[]];
  for (const column of columns.slice(0, 2 * maxSplit))
    subsets = [...subsets, ...subsets.map((some) => [...some, column])];
  return subsets.filter(({ length }) => length <= maxSplit).sort((a, b) => a.length - b.length);
}

/** The columns of an older address may be gone. @returns undefined if there is nothing left to show */
export function knownChoice(
  choice: ChartChoice | undefined,
  columns: readonly Column[],
): ChartChoice | undefined {
  const known = (names: readonly string[], among: readonly Column[]) =>
    names.filter((name) => among.some((column) => column.name === name));
  const values = known(choice?.values ?? [], numberColumnsOf(columns));
  const split = known(choice?.split ?? [], nameColumnsOf(columns));
  const isGone = values.length === 0 && choice?.values.length !== 0;
  return isGone ? undefined : { values, split };
}
