import type { Column } from '../catalog/model/saved-query.ts';
import { type CellValue, compareValues, valueKind } from './cell-values.ts';

/**
 * The cells of a column as places among its distinct values: a value is compared once, however many rows have it, and rows are compared and ordered by numbers.
 */
export interface RankedColumn {
  /** The distinct values in ascending order. */
  readonly values: readonly CellValue[];
  /** For each row, the place of its value from 1; 0 for NULL. */
  readonly ranks: Uint32Array;
  /** About what it takes in memory. */
  readonly bytes: number;
}

/** Collects the cells of one column, in the order of the rows. */
export class ColumnRanker {
  readonly #kind: ReturnType<typeof valueKind>;
  /** Equal texts are read once. */
  readonly #idsOfTexts = new Map<string, number>();
  readonly #idsOfValues = new Map<CellValue, number>();
  readonly #values: CellValue[] = [];
  readonly #ids: number[] = [];

  constructor({ type }: Pick<Column, 'type'>) {
    this.#kind = valueKind(type);
  }

  /** @param cell its JSON text; undefined for NULL */
  add(cell: string | undefined): void {
    this.#ids.push(cell === undefined || cell === 'null' ? -1 : this.#idOf(cell));
  }

  build(): RankedColumn {
    const values = this.#values;
    const compare = comparisonOf(values);
    const sorted = Uint32Array.from(values.keys()).sort((a, b) =>
      compare(values[a] as CellValue, values[b] as CellValue),
    );
    const rankOf = new Uint32Array(values.length);
    for (let at = 0; at < sorted.length; at += 1) rankOf[sorted[at] as number] = at + 1;
    const ranks = new Uint32Array(this.#ids.length);
    for (let row = 0; row < ranks.length; row += 1) {
      const id = this.#ids[row] as number;
      ranks[row] = id < 0 ? 0 : (rankOf[id] as number);
    }
    const inOrder = Array.from(sorted, (id) => values[id] as CellValue);
    return { values: inOrder, ranks, bytes: ranks.byteLength + bytesOf(inOrder) };
  }

  #idOf(cell: string): number {
    const known = this.#idsOfTexts.get(cell);
    if (known !== undefined) return known;
    const value = this.#valueOf(cell);
    const id = this.#idsOfValues.get(value) ?? this.#values.length;
    if (id === this.#values.length) {
      this.#values.push(value);
      this.#idsOfValues.set(value, id);
    }
    this.#idsOfTexts.set(cell, id);
    return id;
  }

  /** @throws TypeError for a cell that an engine never gives; a foreign cache entry may */
  #valueOf(cell: string): CellValue {
    try {
      const value = this.#kind.ofCell(cell);
      if (typeof value !== 'number' || !Number.isNaN(value)) return value;
    } catch (cause) {
      throw new TypeError('a cell does not fit its declared type', { cause });
    }
    throw new TypeError('a cell does not fit its declared type');
  }
}

/** Texts without the units in which the order of UTF-16 differs are compared several times as fast. */
function comparisonOf(values: readonly CellValue[]): (a: CellValue, b: CellValue) => number {
  const differs = values.some((value) => typeof value === 'string' && /[\ud800-\uffff]/.test(value));
  return differs ? compareValues : (a, b) => (a < b ? -1 : a > b ? 1 : 0);
}

/** Measured: what a number in a list takes, and what a text takes beside its characters. */
const bytesOf = (values: readonly CellValue[]): number =>
  values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? 32 + 2 * value.length : 16), 0);
