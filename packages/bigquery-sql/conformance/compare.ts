import { parseType, type Type } from './cli-answer.ts';
import { type Answer, showValue, type Value } from './values.ts';

/** Floating-point functions may differ in the last digits: the engines use different libraries for them. */
const relativeTolerance = 1e-14;

/** Whether our answer equals the reference's. */
export function isSame(ours: Answer, reference: Answer, ordered: boolean): boolean {
  if ('error' in ours || 'error' in reference) return 'error' in ours && 'error' in reference;
  const sameRows = ordered || isSameOrder(ours.rows, reference.rows) ? isSameOrder : isSameSet;
  return sameList(ours.columns, reference.columns, sameName) && sameRows(ours.rows, reference.rows);
}

type Row = readonly Value[];

const isSameRow = (a: Row, b: Row) => sameList(a, b, isSameValue);

const isSameOrder = (ours: readonly Row[], reference: readonly Row[]) => sameList(ours, reference, isSameRow);

/** Whether each row has one of its own on the other side. Values that are only close have no common order. */
function isSameSet(ours: readonly Row[], reference: readonly Row[]): boolean {
  if (ours.length !== reference.length) return false;
  const remaining = arrange(reference);
  return arrange(ours).every((row) => {
    const at = remaining.findIndex((other) => isSameRow(row, other));
    if (at >= 0) remaining.splice(at, 1);
    return at >= 0;
  });
}

function sameList<T>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean): boolean {
  return a.length === b.length && a.every((item, at) => same(item, b[at] as T));
}

/** Each engine names columns without an alias in its own way. */
const sameName = (ours: string, reference: string) =>
  reference === '' || reference.startsWith('$') || ours === reference;

/** Sorted by their text, so that equal rows are found at once. */
function arrange(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => ({ row, key: row.map(showValue).join('|') }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ row }) => row);
}

function isSameValue(ours: Value, reference: Value): boolean {
  if (ours === null || reference === null) return ours === reference;
  if (ours.type === 'ARRAY') {
    return reference.type === 'ARRAY' && sameList(ours.items, reference.items, isSameValue);
  }
  if (ours.type === 'STRUCT') {
    return (
      reference.type === 'STRUCT' &&
      sameList(
        ours.fields,
        reference.fields,
        (a, b) => sameName(a.name, b.name) && isSameValue(a.value, b.value),
      )
    );
  }
  if (ours.type !== reference.type) return false;
  return (
    ours.text === reference.text ||
    (ours.type === 'FLOAT64' && isClose(Number(ours.text), Number(reference.text)))
  );
}

/** Whether two FLOAT64 count as equal. */
export function isClose(a: number, b: number): boolean {
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= relativeTolerance * Math.max(Math.abs(a), Math.abs(b));
}

/** Whether the columns have the same types. */
export const sameTypes = (ours: readonly string[], reference: readonly string[]) =>
  ours.length === reference.length &&
  ours.every((type, at) => sameType(parseType(type), parseType(reference[at] ?? '')));

/** Each engine names fields without a name in its own way, as it does columns. */
function sameType(ours: Type, reference: Type): boolean {
  const [mine, theirs] = [ours.fields ?? [], reference.fields ?? []];
  if (ours.name !== reference.name || mine.length !== theirs.length) return false;
  if (ours.element && reference.element) return sameType(ours.element, reference.element);
  return mine.every((field, at) => {
    const other = theirs[at];
    return (
      other !== undefined &&
      (other.name === '' || field.name === other.name) &&
      sameType(field.type, other.type)
    );
  });
}
