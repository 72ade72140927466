import type { Column } from '../../endpoint.ts';
import { linearScale, logarithmicScale, maxRatio, differTooMuch, type Scale } from './scale.ts';
import type { Line, TimeData } from '../data/time-data.ts';

/** Lines with one axis. */
export interface Panel {
  /** What the axis shows, with its unit. */
  readonly title: string;
  /** With their places among all lines, which give them their colors. */
  readonly lines: readonly { readonly line: Line; readonly place: number }[];
  readonly scale: Scale;
}

/**
 * Lines that can be compared share an axis: those with one unit whose largest values differ by less than a factor of a hundred.
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

function groupColumns(columns: readonly Column[], lines: readonly Line[]): readonly (readonly Column[])[] {
  const sizes = new Map(
    columns.map((column) => [column, sizeOf(lines.filter((line) => line.column === column))]),
  );
  const groups: { readonly top: number; readonly unit: string; readonly members: Column[] }[] = [];
  const descending = columns.toSorted((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0));
  for (const column of descending) {
    const { unit = '' } = column;
    const size = sizes.get(column) ?? 0;
    const group = groups.find(
      (one) => one.unit === unit && (size === 0 || one.top === 0 || one.top / size <= maxRatio),
    );
    if (group === undefined) groups.push({ top: size, unit, members: [column] });
    else group.members.push(column);
  }
  const placeOf = ([column]: readonly Column[]) => (column === undefined ? 0 : columns.indexOf(column));
  return groups
    .map(({ members }) => columns.filter((column) => members.includes(column)))
    .sort((a, b) => placeOf(a) - placeOf(b));
}

/** `sum of cost, USD`. */
export function axisTitle(
  columns: readonly Column[],
  summed: readonly Column[],
  isLogarithmic: boolean,
): string {
  const [first] = columns;
  const unit = first?.unit ?? '';
  const names = columns.map((column) => `${summed.includes(column) ? 'sum of ' : ''}${column.name}`);
  const title = names.length <= 3 ? names.join(', ') : unit === '' ? `${names.length} columns` : '';
  return `${[title, unit].filter((part) => part !== '').join(', ')}${isLogarithmic ? ' (logarithmic axis)' : ''}`;
}
