import type { ResultDocument } from '../results/result-document.ts';
import { rowTexts } from '../engine/rows-document.ts';
import { splitObject, splitObjects } from './cell-texts.ts';

/** How the rows of one result become those of another one; each row is JSON text. */
interface RowPatch {
  /** Indices in the old result, from the last to the first. */
  readonly removed: readonly number[];
  /** Rows that are inserted, with their indices in the new result, from the first to the last. */
  readonly added: readonly (readonly [index: number, row: string])[];
  /** Rows that take the place of others, with their indices in the new result. */
  readonly changed: readonly (readonly [index: number, row: string])[];
}

/** Finds what has changed between results of one query. */
export class RowPatches {
  readonly #places: ReadonlyMap<string, number> | undefined;

  /** @param rowKey columns whose values distinguish the rows; undefined: their order does */
  constructor(rowKey: readonly string[] | undefined) {
    this.#places = rowKey && new Map(rowKey.map((name, at) => [name, at]));
  }

  /**
   * The patch as JSON, in steps.
   *
   * @param from the ETag of the old result, which the patch names
   * @param largestBytes of a patch
   * @returns undefined if it would be larger
   */
  *between(
    before: ResultDocument,
    after: ResultDocument,
    from: string,
    largestBytes: number,
  ): Generator<void, string | undefined> {
    const old = yield* rowsOf(before);
    const rows = yield* rowsOf(after);
    const patch = this.#byKey(old, rows) ?? byIndex(old, rows);
    yield;
    const text = patchText(from, patch);
    return Buffer.byteLength(text) <= largestBytes ? text : undefined;
  }

  /** undefined if the rows have no key, or two rows have the same. */
  #byKey(old: readonly string[], rows: readonly string[]): RowPatch | undefined {
    const oldPlaces = this.#placesByKey(old);
    const newPlaces = this.#placesByKey(rows);
    if (oldPlaces === undefined || newPlaces === undefined) return undefined;
    const added: [number, string][] = [];
    const changed: [number, string][] = [];
    const kept = new Set<number>();
    let last = -1;
    for (const [key, index] of newPlaces) {
      const row = rows[index] ?? '';
      const before = oldPlaces.get(key);
      // A row that has moved to the front of another one is removed, and inserted there.
      if (before === undefined || before < last) added.push([index, row]);
      else {
        last = before;
        kept.add(before);
        if (old[before] !== row) changed.push([index, row]);
      }
    }
    const removed = old.flatMap((_, index) => (kept.has(index) ? [] : [index])).reverse();
    return { removed, added, changed };
  }

  #placesByKey(rows: readonly string[]): ReadonlyMap<string, number> | undefined {
    const places = this.#places;
    if (places === undefined) return undefined;
    const found = new Map(
      rows.map((row, index) => [JSON.stringify(splitObject(row, places, places.size)), index] as const),
    );
    return found.size === rows.length ? found : undefined;
  }
}

function byIndex(old: readonly string[], rows: readonly string[]): RowPatch {
  const indexed = rows.map((row, index) => [index, row] as const);
  return {
    removed: old.flatMap((_, index) => (index < rows.length ? [] : [index])).reverse(),
    added: indexed.slice(old.length),
    changed: indexed.slice(0, old.length).filter(([index, row]) => old[index] !== row),
  };
}

function patchText(from: string, { removed, added, changed }: RowPatch): string {
  const list = (rows: RowPatch['added']) => `[${rows.map(([index, row]) => `[${index},${row}]`).join()}]`;
  return `{"from":${JSON.stringify(from)},"removed":[${removed.join()}],"added":${list(added)},"changed":${list(changed)}}`;
}

function* rowsOf({ encodings }: ResultDocument): Generator<void, readonly string[]> {
  const rows: string[] = [];
  for (const part of rowTexts(encodings.identity)) {
    for (const row of splitObjects(part)) rows.push(row);
    yield;
  }
  return rows;
}
