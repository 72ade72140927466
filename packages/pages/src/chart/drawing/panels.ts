import type { Column } from '../../endpoint.ts';
import { linearScale, logarithmicScale, differTooMuch, type Scale } from './scale.ts';
import type { Line, TimeData } from '../data/time-data.ts';

/** Lines with one axis. */
export interface Panel {
  /** The quantity that the axis shows, with its unit. */
  readonly title: string;
  /** With their places among all lines, which give them their colors. */
  readonly lines: readonly { readonly line: Line; readonly place: number }[];
  readonly scale: Scale;
}

/**
 * Lines that can be compared share an axis: those with one unit and of similar sizes.
 * Lines of one column differ by name only, and share a logarithmic axis.
 *
 * @param ticks of an axis, about
 */
export function panelsOf({ lines, summed }: TimeData, ticks: (panels: number) => number): readonly Panel[] {
  const columns = [...new Set(lines.map(({ column }) => column))];
  const groups = groupColumns(columns, lines);
  return groups.map((group) => {
    const own = lines.flatMap((line, place) => (group.includes(line.column) ? [{ line, place }] : []));
    const isLogarithmic = differTooMuch(own.map(({ line }) => sizeOf([line])));
    const values = own.flatMap(({ line }) => line.points.flat().map(({ value }) => value));
    const scale = (isLogarithmic ? logarithmicScale : linearScale)(values, ticks(groups.length));
    return { title: axisTitle(group, summed, isLogarithmic), lines: own, scale };
  });
}

const sizeOf = (lines: readonly Line[]) => {
  let size = 0;
  for (const { points } of lines)
    for (const some of points) for (const { value } of some) size = Math.max(size, Math.abs(value));
  return size;
};

/** Of a value that is in the middle of a column: the largest one of a panel may be as many times as large. */
const maxTypicalRatio = 50;

/** Columns with one unit, whose usual values are visibly larger than zero beside the largest value of the panel. */
function groupColumns(columns: readonly Column[], lines: readonly Line[]): readonly (readonly Column[])[] {
  const measured = columns.map((column) => {
    const own = lines.filter((line) => line.column === column);
    return { column, largest: sizeOf(own), typical: typicalSize(own) };
  });
  const groups: { readonly top: number; readonly unit: string; readonly members: Column[] }[] = [];
  for (const { column, largest, typical } of measured.toSorted((a, b) => b.largest - a.largest)) {
    const { unit = '' } = column;
    const group = groups.find(
      (one) =>
        one.unit === unit && (typical === 0 || one.top / typical <= maxTypicalRatio || one.top <= largest),
    );
    if (group === undefined) groups.push({ top: largest, unit, members: [column] });
    else group.members.push(column);
  }
  const placeOf = ([column]: readonly Column[]) => (column === undefined ? 0 : columns.indexOf(column));
  return groups
    .map(({ members }) => columns.filter((column) => members.includes(column)))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

/** The median without zeros. */
function typicalSize(lines: readonly Line[]): number {
  const sizes = lines
    .flatMap(({ points }) => points.flat().map(({ value }) => Math.abs(value)))
    .filter((size) => size > 0)
    .sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] ?? 0;
}

/** `sum of cost (USD)`. */
export function axisTitle(
  columns: readonly Column[],
  summed: readonly Column[],
  isLogarithmic: boolean,
): string {
  const [first] = columns;
  // `requests (requests)` would say it twice.
  const unit = first?.unit === first?.name ? undefined : first?.unit;
  const names = columns.map((column) => `${summed.includes(column) ? 'sum of ' : ''}${column.name}`);
  const title = names.join(', ');
  const facts = [...(unit === undefined ? [] : [unit]), ...(isLogarithmic ? ['logarithmic axis'] : [])];
  return facts.length === 0 ? title : `${title} (${facts.join(', ')})`;
}
