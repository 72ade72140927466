import { cellParts, type Rows } from '../../../formats/rows.ts';
import type { CellWriter } from './cells.ts';

/** What is said of a column over all rows of a result. */
export interface ColumnSummary {
  readonly name: string;
  readonly nulls: number;
  /** undefined without values, and for columns of lists, records and JSON. */
  readonly min: string | undefined;
  readonly max: string | undefined;
  /** All values, if they are few; undefined otherwise. */
  readonly distinct: readonly string[] | undefined;
}

const maxDistinct = 20;

/** Characters of a value. */
const maxShown = 60;

/** Summarizes the columns of a result in steps of some milliseconds. */
export function* summarizeColumns(
  rows: Rows,
  writers: readonly CellWriter[],
): Generator<undefined, readonly ColumnSummary[]> {
  const columns = writers.map((writer) => new ColumnValues(writer));
  for (const part of cellParts(rows)) {
    for (const cells of part) for (const [at, column] of columns.entries()) column.add(cells[at]);
    yield undefined;
  }
  return columns.map((column) => column.summary());
}

/** Cells are compared as they are stored, and written only in the end. */
class ColumnValues {
  readonly #writer: CellWriter;
  #nulls = 0;
  #min: string | undefined;
  #max: string | undefined;
  #distinct: Set<string> | undefined = new Set();

  constructor(writer: CellWriter) {
    this.#writer = writer;
  }

  add(cell: string | undefined): void {
    if (cell === undefined || cell === 'null') {
      this.#nulls += 1;
      return;
    }
    const { isNested } = this.#writer;
    if (isNested) return;
    if (this.#min === undefined || this.#isLess(cell, this.#min)) this.#min = cell;
    if (this.#max === undefined || this.#isLess(this.#max, cell)) this.#max = cell;
    this.#distinct?.add(cell);
    if ((this.#distinct?.size ?? 0) > maxDistinct) this.#distinct = undefined;
  }

  summary(): ColumnSummary {
    const { name, isNested } = this.#writer;
    const distinct = isNested || this.#distinct?.size === 0 ? undefined : this.#distinct;
    return {
      name,
      nulls: this.#nulls,
      min: this.#shown(this.#min),
      max: this.#shown(this.#max),
      distinct: distinct && [...distinct].map((cell) => this.#shown(cell) ?? ''),
    };
  }

  #isLess(cell: string, other: string): boolean {
    return this.#writer.isText ? cell < other : Number(unquoted(cell)) < Number(unquoted(other));
  }

  #shown(cell: string | undefined): string | undefined {
    const text = this.#writer.text(cell);
    return text === undefined || text.length <= maxShown ? text : `${text.slice(0, maxShown)}…`;
  }
}

/** Numerals are text in JSON. */
const unquoted = (cell: string): string => (cell.startsWith('"') ? cell.slice(1, -1) : cell);
