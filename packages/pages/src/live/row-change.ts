import type { Json, JsonObject } from '../json.ts';

/** The rows of a result, and what has changed in them. Rows that are as before are the same objects. */
export interface RowChange {
  readonly rows: readonly JsonObject[];
  /** The former version of each row that has changed. */
  readonly before: ReadonlyMap<JsonObject, JsonObject>;
}

/** The data of an event `patch`: indices of the old result in `removed`, of the new one in `added` and `changed`. */
export interface RowPatch {
  readonly from: string;
  readonly removed: readonly number[];
  readonly added: readonly (readonly [index: number, row: JsonObject])[];
  readonly changed: readonly (readonly [index: number, row: JsonObject])[];
}

/** In time proportional to the rows, however many of them are others. */
export function applyPatch(
  old: readonly JsonObject[],
  { removed, added, changed }: Omit<RowPatch, 'from'>,
): RowChange {
  const gone = new Set(removed);
  const kept = old.filter((_, index) => !gone.has(index));
  const rows: JsonObject[] = [];
  let taken = 0;
  for (const [index, row] of added) {
    while (rows.length < index && taken < kept.length) rows.push(kept[taken++] as JsonObject);
    rows.push(row);
  }
  while (taken < kept.length) rows.push(kept[taken++] as JsonObject);
  const before = new Map<JsonObject, JsonObject>();
  for (const [index, row] of changed) {
    const was = rows[index];
    if (was !== undefined) before.set(row, was);
    rows[index] = row;
  }
  return { rows, before };
}

/**
 * The change from one whole result to another.
 *
 * @param key columns whose values distinguish rows; without them, or if two rows have the same, their places do
 */
export function compareRows(
  old: readonly JsonObject[],
  rows: readonly JsonObject[],
  key: readonly string[],
): RowChange {
  const keyOf = (row: JsonObject) => JSON.stringify(key.map((name) => String(row[name])));
  const byKey = new Map(key.length === 0 ? [] : old.map((row) => [keyOf(row), row]));
  const isKeyed = byKey.size === old.length && new Set(rows.map(keyOf)).size === rows.length;
  const before = new Map<JsonObject, JsonObject>();
  const next = rows.map((row, index) => {
    const was = isKeyed ? byKey.get(keyOf(row)) : old[index];
    if (was === undefined) return row;
    if (isEqual(was, row)) return was;
    before.set(row, was);
    return row;
  });
  return { rows: next, before };
}

/** True for equal values of JSON; undefined is a column that is left out. */
export function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const names = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual((a as JsonObject)[name], (b as JsonObject)[name]))
  );
}
