import { isDeepStrictEqual } from 'node:util';
import { type ExactJson, exactText, foldName, parseJson } from '@querygate/text';
import type { Column } from 'querygate';
import { parseTimestamp } from 'querygate/catalog';
import type { QueryTest } from './load-tests.ts';

/** A row as it is compared: one value for each column, in the form of REST; null for NULL. */
export type ComparedRow = Readonly<Record<string, unknown>>;

/** A column of the result. */
interface ComparedColumn extends Column {
  /** The paths of its arrays that are equal to those with the same elements in another order, as of `undefinedOrders`. */
  readonly unordered?: ReadonlySet<string> | undefined;
}

/** One difference between the expected rows and those of the query. */
export type RowDifference =
  | { readonly kind: 'missing'; readonly at: number; readonly row: ComparedRow }
  | { readonly kind: 'unexpected'; readonly at: number; readonly row: ComparedRow }
  | {
      readonly kind: 'changed';
      readonly at: number;
      readonly expected: ComparedRow;
      readonly actual: ComparedRow;
      readonly columns: readonly string[];
    };

export interface Comparison {
  readonly differences: readonly RowDifference[];
  /** True if the rows are the expected ones in another order. */
  readonly isOnlyOrder: boolean;
}

/** The rows that a test expects, and how they are compared. */
interface Expectation extends Pick<NonNullable<QueryTest['expect']>, 'match' | 'order'> {
  readonly rows?: readonly ComparedRow[] | undefined;
}

/** Compares the rows of a query with those that a test expects. */
export function compareRows(
  returned: readonly ComparedRow[],
  { rows = [], match = 'exact', order = 'exact' }: Expectation,
  columns: readonly ComparedColumn[],
): Comparison {
  const expected = rows.map((row) => comparableRow(row, columns, match === 'subset'));
  const actual = returned.map((row) => comparableRow(row, columns, false));
  const equal = (a: ComparedRow, b: ComparedRow) =>
    columns.every((column) => !(column.name in a) || isEqualValue(a[column.name], b[column.name], column));
  if (match === 'subset') {
    const inAnyOrder = unmatchedSubset(expected, actual, equal);
    const found = order === 'any' ? inAnyOrder : notInOrder(expected, actual, equal);
    const differences = found.map((row) => ({ kind: 'missing' as const, at: expected.indexOf(row), row }));
    return { differences, isOnlyOrder: differences.length > 0 && inAnyOrder.length === 0 };
  }
  if (order === 'any') return { differences: pairUp(expected, actual, equal, columns), isOnlyOrder: false };
  const differences = alignedDifferences(expected, actual, equal, columns);
  const isOnlyOrder =
    differences.length > 0 && expected.length === actual.length && expected.every(takeFrom(actual, equal));
  return { differences, isOnlyOrder };
}

/** A row in the form in which rows are compared. @param listedOnly leaves out the columns that the row does not list */
function comparableRow(
  row: ComparedRow,
  columns: readonly ComparedColumn[],
  listedOnly: boolean,
): ComparedRow {
  const listed = columns.filter(({ name }) => !listedOnly || name in row);
  return Object.fromEntries(
    listed.map((column) => {
      const value = comparable(row[column.name], column);
      return [column.name, column.unordered ? withSortedArrays(value, column.unordered) : value];
    }),
  );
}

function comparable(value: unknown, typed: Typed & { readonly repeated?: boolean }): unknown {
  if (value === undefined || value === null) return typed.repeated ? [] : null;
  if (!typed.repeated) return scalar(value, typed);
  return Array.isArray(value) ? value.map((item) => scalar(item, typed)) : value;
}

function scalar(value: unknown, typed: Typed): unknown {
  const { type, fields = [] } = typed;
  if (type === 'timestamp' && typeof value === 'string') return microsOf(value) ?? value;
  if (type === 'datetime' && typeof value === 'string') {
    return value
      .replace(' ', 'T')
      .replace(/\.(\d*?)0+$/, (_, digits: string) => (digits === '' ? '' : `.${digits}`));
  }
  if (type === 'numeric' && (isNumber(value) || typeof value === 'string')) return decimalText(String(value));
  if (type === 'json') return value;
  if (Array.isArray(value)) return value.map((item) => scalar(item, typed));
  return isRecord(value) ? withoutNulls(value, fields) : value;
}

/** A decimal without zeros that mean nothing: 1.10 is 1.1. */
function decimalText(text: string): string {
  const plain = withoutExponent(text);
  const [, sign = '', whole = '', fraction = ''] = /^([-+]?)0*(\d*)\.?(\d*?)0*$/.exec(plain) ?? [];
  if (whole === '' && fraction === '') return /^[-+]?[0.]+$/.test(plain) ? '0' : text;
  return `${sign === '-' ? '-' : ''}${whole || '0'}${fraction && `.${fraction}`}`;
}

/** A decimal with its point shifted: 1.5e-8 is 0.000000015. No decimal needs 100 digits. */
function withoutExponent(text: string): string {
  const [, sign, whole = '', fraction = '', exponent] = /^([-+]?)(\d*)\.?(\d*)e([-+]?\d+)$/i.exec(text) ?? [];
  const shift = Number(exponent);
  if (!(Math.abs(shift) < 100)) return text;
  const digits = `${'0'.repeat(Math.max(-shift, 0))}${whole}${fraction.padEnd(shift, '0')}`;
  const point = whole.length + Math.max(shift, 0);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Inside of records, a field that is null and one that is left out are equal. */
const withoutNulls = (record: ComparedRow, fields: NonNullable<Typed['fields']>): ComparedRow =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) =>
      value === null ? [] : [[name, comparable(value, fields.find((one) => one.name === name) ?? {})]],
    ),
  );

/** A number if it is one without loss. */
const exact = (digits: bigint): number | bigint =>
  Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;

function microsOf(text: string): number | bigint | undefined {
  const canonical = parseTimestamp(text);
  if (canonical === undefined) return undefined;
  const seconds = Date.parse(`${canonical.slice(0, 19)}Z`) / 1000;
  return exact(BigInt(seconds) * 1_000_000n + BigInt(canonical.slice(20, 26)));
}

/** The rows of a result, with null for the columns that are left out; integers beyond 2^53 are bigints. */
export const resultRow = (text: string, columns: readonly ComparedColumn[]): ComparedRow => {
  const row = parseJson(text, /\d{16}/.test(text) ? exactNumber : undefined) as ComparedRow;
  return Object.fromEntries(
    columns.map((column) => [column.name, row[column.name] ?? (column.repeated ? [] : null)]),
  );
};

const exactNumber = (value: unknown, source: string | undefined): unknown =>
  typeof value === 'number' && source !== undefined && /^-?\d+$/.test(source) ? exact(BigInt(source)) : value;

const differentColumns = (expected: ComparedRow, actual: ComparedRow, columns: readonly ComparedColumn[]) =>
  columns
    .filter(({ name }) => name in expected)
    .filter((column) => !isEqualValue(expected[column.name], actual[column.name], column))
    .map(({ name }) => name);

/** The type of a value, as far as it is known. */
type Typed = Partial<Pick<Column, 'type' | 'fields'>>;

function isEqualValue(a: unknown, b: unknown, typed: Typed): boolean {
  if (a === b) return true;
  if (isNumber(a) && isNumber(b)) return mayBeFloat(typed, a, b) && isNear(Number(a), Number(b));
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => isEqualValue(one, b[at], typed));
  if (!isRecord(a) || !isRecord(b)) return isDeepStrictEqual(a, b);
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const field = typed.fields?.find((one) => one.name === name);
      return Object.hasOwn(b, name) && isEqualValue(a[name], b[name], field ?? {});
    })
  );
}

const isNumber = (value: unknown): value is number | bigint => ['number', 'bigint'].includes(typeof value);

/** Inside of JSON, and of a record whose fields are not known, any number may be one, but for those written as integers. */
const mayBeFloat = ({ type = 'json' }: Typed, a: unknown, b: unknown): boolean =>
  type === 'float' ||
  (['json', 'record'].includes(type) && !(typeof a === 'bigint' && typeof b === 'bigint'));

/** The last digit of a float depends on the order of its additions; that of a count does not. */
const isNear = (a: number, b: number): boolean =>
  !(Number.isSafeInteger(a) && Number.isSafeInteger(b)) &&
  Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));

const isRecord = (value: unknown): value is ComparedRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param at the names of the fields that lead to the value */
function withSortedArrays(value: unknown, paths: ReadonlySet<string>, at: readonly string[] = []): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withSortedArrays(item, paths, at));
    const isAny = paths.has('*') || (at.length > 0 && paths.has('.*'));
    if (!isAny && !paths.has(foldName(at.join('.')))) return items;
    const keyed = items.map((item) => ({ item, key: exactText(item as ExactJson) }));
    return keyed.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ item }) => item);
  }
  if (!isRecord(value)) return value;
  const sorted = ([name, inner]: [string, unknown]) => [name, withSortedArrays(inner, paths, [...at, name])];
  return Object.fromEntries(Object.entries(value).map(sorted));
}

type Equal = (expected: ComparedRow, actual: ComparedRow) => boolean;

/** Takes a row of its own for each row that it is called with. @returns true if there is one */
function takeFrom(actual: readonly ComparedRow[], equal: Equal): (row: ComparedRow) => boolean {
  const left = [...actual];
  return (row) => {
    const at = left.findIndex((other) => equal(row, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
}

/** The expected rows for which there is no row of their own. */
function unmatched(
  expected: readonly ComparedRow[],
  actual: readonly ComparedRow[],
  equal: Equal,
): readonly ComparedRow[] {
  const take = takeFrom(actual, equal);
  return expected.filter((row) => !take(row));
}

/** The same of rows that list some columns: a row of the result goes to another that it fits, if its first one can do without. */
function unmatchedSubset(
  expected: readonly ComparedRow[],
  actual: readonly ComparedRow[],
  equal: Equal,
): readonly ComparedRow[] {
  const ownerOf = new Map<ComparedRow, ComparedRow>();
  const placeOf = new Map<ComparedRow, ComparedRow>();
  return expected.filter((start) => {
    const reachedFrom = new Map<ComparedRow, ComparedRow>();
    // The list grows while it is read.
    const searching = [start];
    for (const row of searching) {
      const fitting = actual.filter((other) => !reachedFrom.has(other) && equal(row, other));
      for (const other of fitting) reachedFrom.set(other, row);
      const free = fitting.find((other) => !ownerOf.has(other));
      for (let place = free; place !== undefined; ) {
        const owner = reachedFrom.get(place) ?? start;
        const left = placeOf.get(owner);
        ownerOf.set(place, owner);
        placeOf.set(owner, place);
        place = left;
      }
      if (free !== undefined) return false;
      for (const other of fitting) searching.push(ownerOf.get(other) ?? start);
    }
    return true;
  });
}

/** The expected rows that do not follow those before them. */
function notInOrder(
  expected: readonly ComparedRow[],
  actual: readonly ComparedRow[],
  equal: Equal,
): readonly ComparedRow[] {
  let from = 0;
  return expected.filter((row) => {
    const at = actual.findIndex((other, index) => index >= from && equal(row, other));
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}

function pairUp(
  expected: readonly ComparedRow[],
  actual: readonly ComparedRow[],
  equal: Equal,
  columns: readonly ComparedColumn[],
): readonly RowDifference[] {
  const missing = unmatched(expected, actual, equal);
  const unexpected = unmatched(actual, expected, (a, b) => equal(b, a));
  return pairedDifferences(
    missing.map((row) => ({ row, at: expected.indexOf(row) })),
    unexpected.map((row) => ({ row, at: actual.indexOf(row) })),
    columns,
  );
}

interface PlacedRow {
  readonly row: ComparedRow;
  readonly at: number;
}

/** Longer lists are compared as if they had no rows in common: each row of one is compared with each of the other. */
const maxCompared = 250_000;

/** Rows that have at least half of their columns in common are one row that has changed. */
function pairedDifferences(
  missing: readonly PlacedRow[],
  unexpected: readonly PlacedRow[],
  columns: readonly ComparedColumn[],
): readonly RowDifference[] {
  const left = [...unexpected];
  const isLong = missing.length * unexpected.length > maxCompared;
  const differences: RowDifference[] = missing.map(({ row, at }) => {
    const similar = isLong ? undefined : mostSimilar(row, left, columns);
    if (similar === undefined) return { kind: 'missing', at, row };
    left.splice(left.indexOf(similar.other), 1);
    return { kind: 'changed', at, expected: row, actual: similar.other.row, columns: similar.changed };
  });
  return [...differences, ...left.map(({ row, at }): RowDifference => ({ kind: 'unexpected', at, row }))];
}

function mostSimilar(row: ComparedRow, others: readonly PlacedRow[], columns: readonly ComparedColumn[]) {
  let best: { readonly other: PlacedRow; readonly changed: readonly string[] } | undefined;
  for (const other of others) {
    const changed = differentColumns(row, other.row, columns);
    if (changed.length * 2 <= columns.length && changed.length < (best?.changed.length ?? Infinity))
      best = { other, changed };
  }
  return best;
}

/** The differences between two lists in order: their longest common subsequence is left out. */
function alignedDifferences(
  expected: readonly ComparedRow[],
  actual: readonly ComparedRow[],
  equal: Equal,
  columns: readonly ComparedColumn[],
): readonly RowDifference[] {
  let start = 0;
  while (
    start < expected.length &&
    start < actual.length &&
    equal(expected[start] ?? {}, actual[start] ?? {})
  )
    start += 1;
  let [endExpected, endActual] = [expected.length, actual.length];
  while (
    endExpected > start &&
    endActual > start &&
    equal(expected[endExpected - 1] ?? {}, actual[endActual - 1] ?? {})
  ) {
    endExpected -= 1;
    endActual -= 1;
  }
  const middle = { expected: expected.slice(start, endExpected), actual: actual.slice(start, endActual) };
  const kept = commonSubsequence(middle.expected, middle.actual, equal);
  const differences: RowDifference[] = [];
  let [fromExpected, fromActual] = [0, 0];
  for (const [toExpected, toActual] of [...kept, [middle.expected.length, middle.actual.length] as const]) {
    const place = (rows: readonly ComparedRow[], from: number, to: number) =>
      rows.slice(from, to).map((row, index) => ({ row, at: start + from + index }));
    const paired = pairedDifferences(
      place(middle.expected, fromExpected, toExpected),
      place(middle.actual, fromActual, toActual),
      columns,
    );
    for (const difference of paired) differences.push(difference);
    [fromExpected, fromActual] = [toExpected + 1, toActual + 1];
  }
  return differences;
}

function commonSubsequence(
  a: readonly ComparedRow[],
  b: readonly ComparedRow[],
  equal: Equal,
): readonly (readonly [number, number])[] {
  if (a.length * b.length > maxCompared) return [];
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const line = lengths[i];
      if (line === undefined) continue;
      line[j] = equal(a[i] ?? {}, b[j] ?? {}) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    if (equal(a[i] ?? {}, b[j] ?? {})) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
