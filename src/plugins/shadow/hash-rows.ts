import { parseJson, exactText, parseExact } from '@querygate/text';
import type { Column } from '../../catalog/model/saved-query.ts';

/** The columns that two versions have in common, as they are compared. */
export interface ComparedColumns {
  /** Columns that must be equal, by hash. */
  readonly exact: readonly string[];
  /** Columns of floating-point numbers, which may differ a little. */
  readonly floats: readonly string[];
}

/** The columns that both declare with the same type, and the names of the others. */
export function compareColumns(
  a: readonly Column[],
  b: readonly Column[],
): ComparedColumns & { readonly others: readonly string[] } {
  const same = a.filter(({ name, type, repeated }) =>
    b.some((column) => column.name === name && column.type === type && column.repeated === repeated),
  );
  const isFloat = ({ type, repeated }: Column) => type === 'float' && !repeated;
  const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name);
  const known = new Set(namesOf(same));
  return {
    exact: namesOf(same.filter((column) => !isFloat(column))),
    floats: namesOf(same.filter(isFloat)),
    others: [...new Set(namesOf([...a, ...b]))].filter((name) => !known.has(name)),
  };
}

/** The compared cells of some rows in numbers: 4 bytes for each, 12 for a floating-point number. */
export interface HashedRows {
  readonly columns: ComparedColumns;
  readonly count: number;
  /** True if max rows has cut them. */
  readonly truncated: boolean;
  /** A hash of each cell, row by row: the exact columns, then what kind of value the others are. */
  readonly hashes: Uint32Array;
  /** The floating-point numbers, row by row; NaN if the cell is not a finite number, whose kind is hashed. */
  readonly floats: Float64Array;
}

export const hashesPerRow = ({ exact, floats }: ComparedColumns): number => exact.length + floats.length;

/** Characters that are hashed in a turn of the event loop: about a millisecond of work. */
const stepLength = 50_000;

/**
 * @param texts rows as JSON texts
 * @param count how many there are
 */
export function* hashRows(
  texts: Iterable<string>,
  count: number,
  truncated: boolean,
  columns: ComparedColumns,
): Generator<void, HashedRows> {
  const { exact, floats } = columns;
  const width = hashesPerRow(columns);
  const hashes = new Uint32Array(count * width);
  const numbers = new Float64Array(count * floats.length).fill(Number.NaN);
  let at = 0;
  let length = 0;
  for (const text of texts) {
    const row = parseRow(text);
    for (const [place, name] of exact.entries()) hashes[at * width + place] = hashCell(row[name]);
    for (const [place, name] of floats.entries()) {
      const cell = row[name];
      const number = typeof cell === 'bigint' ? Number(cell) : cell;
      hashes[at * width + exact.length + place] = typeof number === 'number' ? 1 : hashCell(cell);
      if (typeof number === 'number') numbers[at * floats.length + place] = number;
    }
    at += 1;
    length += text.length;
    if (length < stepLength) continue;
    length = 0;
    yield;
  }
  return { columns, count, truncated, hashes, floats: numbers };
}

type ExactJson = ReturnType<typeof parseExact>;

type ParsedRow = Readonly<Record<string, ExactJson | undefined>>;

/** Only a row with a long number may have one that a JavaScript number cannot represent. */
const parseRow = (text: string): ParsedRow =>
  (/\d{16}/.test(text) ? parseExact(text) : parseJson(text)) as ParsedRow;

function hashCell(cell: ExactJson | undefined): number {
  if (cell === undefined || cell === null) return 0;
  if (typeof cell === 'string') return hashText(cell);
  return hashText(`:${typeof cell === 'object' ? exactText(sortMembers(cell)) : String(cell)}`);
}

/** Versions may build the same record with its fields in another order. */
function sortMembers(value: ExactJson): ExactJson {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortMembers);
  const members = Object.entries(value).map(([name, member]) => [name, sortMembers(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** FNV-1a with the final mix of MurmurHash3, so that sums of hashes differ too. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
