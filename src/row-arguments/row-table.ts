import { splitObject, splitObjects } from '@querygate/text';
import type { Column } from '../catalog/model/saved-query.ts';
import { rowTexts } from '../engine-contract/rows-document.ts';
import { ColumnRanker, type RankedColumn } from './ranked-column.ts';

/** Bytes of rows that are read at once: about a millisecond of work. */
const partBytes = 64 * 1024;

/** In front of the rows of a document. */
const firstRow = '{"result":['.length;

/** The rows of a document, of which columns are read when they are first needed. */
export class RowTable {
  readonly #columns = new Map<string, RankedColumn>();
  /** Where each row begins in the document, and where one more would. */
  #starts: Uint32Array | undefined;

  get rowCount(): number {
    return Math.max(0, this.#known.length - 1);
  }

  /** Its size in memory; only grows. */
  get bytes(): number {
    const { byteLength = 0 } = this.#starts ?? {};
    return [...this.#columns.values()].reduce((sum, { bytes }) => sum + bytes, byteLength);
  }

  readonly column = (name: string): RankedColumn => {
    const column = this.#columns.get(name);
    if (column === undefined) throw new Error(`column ${name} was not read`);
    return column;
  };

  /** True if every column is in memory already. */
  has(names: Iterable<string>): boolean {
    return this.#starts !== undefined && [...names].every((name) => this.#columns.has(name));
  }

  /**
   * Reads the columns that are missing, in steps of about a millisecond.
   *
   * @param identity the document without a coding
   */
  *read(identity: Buffer, columns: readonly Pick<Column, 'name' | 'type'>[]): Generator<void> {
    const missing = columns.filter(({ name }) => !this.#columns.has(name));
    if (missing.length === 0 && this.#starts !== undefined) return;
    const rankers = missing.map((column) => new ColumnRanker(column));
    const places = new Map(missing.map(({ name }, at) => [name, at]));
    const starts = [firstRow];
    let start = firstRow;
    for (const text of rowTexts(identity, partBytes)) {
      for (const row of splitObjects(text)) {
        start += Buffer.byteLength(row) + 1;
        starts.push(start);
        if (rankers.length === 0) continue;
        const cells = splitObject(row, places, rankers.length);
        for (let at = 0; at < rankers.length; at += 1) rankers[at]?.add(cells[at]);
      }
      yield;
    }
    this.#starts ??= Uint32Array.from(starts);
    for (const [at, { name }] of missing.entries()) {
      const ranker = rankers[at];
      if (ranker !== undefined) this.#columns.set(name, ranker.build());
      yield;
    }
  }

  /** Where rows are in the document: two numbers each, of its first byte and of the one after its last. */
  spansOf(rows: Uint32Array): Uint32Array<ArrayBuffer> {
    const spans = new Uint32Array(2 * rows.length);
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] as number;
      spans[2 * at] = this.#known[row] as number;
      // Between two rows is a comma.
      spans[2 * at + 1] = (this.#known[row + 1] as number) - 1;
    }
    return spans;
  }

  get #known(): Uint32Array {
    if (this.#starts === undefined) throw new Error('a table that was not read');
    return this.#starts;
  }
}
