import { splitObject, splitObjects } from '@querygate/text';
import type { ResultDocument } from '../../../results/result-document.ts';
import { rowTexts } from '../../../engine-contract/rows-document.ts';

/** The rows of a result, each as JSON text. */
interface SplitRows {
  readonly document: ResultDocument;
  readonly rows: readonly string[];
  /** The place of the row of each key; undefined if the rows have no key, or two rows have the same. */
  readonly places: ReadonlyMap<string, number> | undefined;
}

/** Bytes of a result that are split in one step: about a millisecond of work. */
const partBytes = 32 * 1024;

/** Rows that are compared in one step. */
const rowsPerStep = 512;

/** About the bytes that a row takes in memory besides its text, with its key. */
const rowOverheadBytes = 150;

/** Finds what has changed from each result of one query to the next; of the newest one it keeps the rows. */
export class RowPatches {
  readonly #keyPlaces: ReadonlyMap<string, number> | undefined;
  #newest: SplitRows | undefined;

  /** @param rowKey columns whose values distinguish the rows; undefined: their order does */
  constructor(rowKey: readonly string[] | undefined) {
    this.#keyPlaces = rowKey && new Map(rowKey.map((name, at) => [name, at]));
  }

  /** Bytes that it takes in memory between two patches. */
  get keptBytes(): number {
    if (this.#newest === undefined) return 0;
    const { document, rows } = this.#newest;
    return document.encodings.identity.byteLength + rows.length * rowOverheadBytes;
  }

  /**
   * The patch as JSON in UTF-8, in parts and in steps.
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
  ): Generator<void, readonly (string | Uint8Array)[] | undefined> {
    const old = this.#newest?.document === before ? this.#newest : yield* this.#split(before);
    this.#newest = undefined;
    const rows = yield* this.#split(after);
    this.#newest = rows;
    const isByKey = old.places !== undefined && rows.places !== undefined;
    const patch = new PatchWriter(largestBytes);
    const isComplete = yield* isByKey ? byKey(old, rows, patch) : byIndex(old, rows, patch);
    return isComplete ? patch.parts(from) : undefined;
  }

  *#split(document: ResultDocument): Generator<void, SplitRows> {
    const keyPlaces = this.#keyPlaces;
    const rows: string[] = [];
    const places = new Map<string, number>();
    for (const part of rowTexts(document.encodings.identity, partBytes)) {
      for (const row of splitObjects(part)) {
        if (keyPlaces !== undefined && places.size === rows.length)
          places.set(JSON.stringify(splitObject(row, keyPlaces, keyPlaces.size)), rows.length);
        rows.push(row);
      }
      yield;
    }
    const isKey = keyPlaces !== undefined && places.size === rows.length;
    return { document, rows, places: isKey ? places : undefined };
  }
}

/** @returns true if the patch is small enough */
function* byKey(
  old: SplitRows,
  { rows, places = new Map() }: SplitRows,
  patch: PatchWriter,
): Generator<void, boolean> {
  const kept = new Uint8Array(old.rows.length);
  let last = -1;
  for (const [key, index] of places) {
    const row = rows[index] ?? '';
    const before = old.places?.get(key);
    // A row that has moved to the front of another one is removed, and inserted there.
    if (before === undefined || before < last) patch.add(index, row);
    else {
      last = before;
      kept[before] = 1;
      if (old.rows[before] !== row) patch.change(index, row);
    }
    if (index % rowsPerStep === 0) {
      if (patch.isTooLarge) return false;
      yield;
    }
  }
  for (let index = kept.length - 1; index >= 0; index -= 1) {
    if (kept[index] === 0) patch.remove(index);
    if (index % rowsPerStep === 0) yield;
  }
  return !patch.isTooLarge;
}

/** The same for rows without a key. */
function* byIndex(old: SplitRows, { rows }: SplitRows, patch: PatchWriter): Generator<void, boolean> {
  for (const [index, row] of rows.entries()) {
    if (index >= old.rows.length) patch.add(index, row);
    else if (old.rows[index] !== row) patch.change(index, row);
    if (index % rowsPerStep === 0) {
      if (patch.isTooLarge) return false;
      yield;
    }
  }
  for (let index = old.rows.length - 1; index >= rows.length; index -= 1) {
    patch.remove(index);
    if (index % rowsPerStep === 0) yield;
  }
  return !patch.isTooLarge;
}

/** How the rows of one result become those of another one. */
class PatchWriter {
  /** Indices in the old result, from the last to the first. */
  readonly #removed = new ListWriter();
  /** Rows that are inserted, with their indices in the new result, from the first to the last. */
  readonly #added = new ListWriter();
  /** Rows that take the place of others, with their indices in the new result. */
  readonly #changed = new ListWriter();
  readonly #largestBytes: number;

  constructor(largestBytes: number) {
    this.#largestBytes = largestBytes;
  }

  get isTooLarge(): boolean {
    const lists = [this.#removed, this.#added, this.#changed];
    return lists.reduce((sum, { byteLength }) => sum + byteLength, 0) > this.#largestBytes;
  }

  remove(index: number): void {
    this.#removed.add(String(index));
  }

  add(index: number, row: string): void {
    this.#added.add(`[${index},${row}]`);
  }

  change(index: number, row: string): void {
    this.#changed.add(`[${index},${row}]`);
  }

  parts(from: string): readonly (string | Uint8Array)[] {
    return [
      `{"from":${JSON.stringify(from)},"removed":[`,
      ...this.#removed.parts(),
      '],"added":[',
      ...this.#added.parts(),
      '],"changed":[',
      ...this.#changed.parts(),
      ']}',
    ];
  }
}

/** Characters that become bytes at once: for a text of megabytes, that takes long. */
const textLength = 64 * 1024;

/** Elements with commas between them. */
class ListWriter {
  readonly #parts: Buffer[] = [];
  #text = '';
  byteLength = 0;

  add(element: string): void {
    const text = this.byteLength === 0 ? element : `,${element}`;
    this.byteLength += Buffer.byteLength(text);
    this.#text += text;
    if (this.#text.length >= textLength) this.#flush();
  }

  parts(): readonly Buffer[] {
    if (this.#text !== '') this.#flush();
    return this.#parts;
  }

  #flush(): void {
    this.#parts.push(Buffer.from(this.#text));
    this.#text = '';
  }
}
