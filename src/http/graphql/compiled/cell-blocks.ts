import type { GraphQLLeafType } from 'graphql';
import type { Column } from '../../../catalog/saved-query.ts';
import type { ResultDocument } from '../../../results/result-document.ts';
import { type Row, rowParts } from '../../../results/row-parts.ts';
import { type BinaryText, toBinaryText } from './binary-text.ts';
import { UnexpectedCell, writerOf } from './cell-writers.ts';

/** How a column is written: the name of its field, and its type's own serializer. */
export interface ColumnFormat {
  readonly name: string;
  readonly column: Column;
  readonly type: GraphQLLeafType;
}

/** Columns whose cells are made together, and of which neighbours are copied together. */
export type ColumnGroup = readonly ColumnFormat[];

/**
 * The cells of a column group, row after row, each as a member of an object under its own name: `,"count":5`. A response
 * copies the members of neighbouring columns as one, and of a column with an alias the text after its name.
 */
export interface CellBlock {
  /** Text, and some bytes more than it has: copying may read a few bytes too many. */
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Where each member begins; one more is the end of the last. */
  readonly starts: Uint32Array;
  readonly rowCount: number;
  /** The places of columns that have a cell which does not fit their type. */
  readonly unexpected: ReadonlySet<number>;
}

/** Bytes beyond a text that `copyBytes` may read or write. */
export const copyMargin = 3;

/**
 * The cells of one document as JSON text, made when a selection first needs their group and then kept, so that a response
 * is put together by copying bytes.
 */
export class DocumentCells {
  readonly #document: ResultDocument;
  readonly #blocks = new Map<ColumnGroup, CellBlock>();
  /** What the blocks take in memory, in bytes; only grows. */
  bytes = 0;

  constructor(document: ResultDocument) {
    this.#document = document;
  }

  /** @throws Error if the block was not made */
  block(group: ColumnGroup): CellBlock {
    const block = this.#blocks.get(group);
    if (block === undefined) throw new Error('a column group that was not made');
    return block;
  }

  /** Makes the blocks that are missing, in steps of some milliseconds. */
  *make(groups: readonly ColumnGroup[]): Generator<void> {
    const missing = groups.filter((group) => !this.#blocks.has(group));
    if (missing.length === 0) return;
    const builders = missing.map((group) => new BlockBuilder(group));
    for (const rows of rowParts(this.#document)) {
      for (const builder of builders) builder.add(rows);
      yield;
    }
    for (const [at, builder] of builders.entries()) {
      const block = builder.build();
      this.#blocks.set(missing[at] ?? [], block);
      this.bytes += block.bytes.byteLength + block.starts.byteLength;
      yield;
    }
  }
}

/** The text before a cell's own: it begins with the comma that separates it from the cell before. */
export function memberStart(responseKey: string): BinaryText {
  return `,${JSON.stringify(responseKey)}:`;
}

interface CellColumn {
  /** In the rows of a document. */
  readonly name: string;
  readonly start: BinaryText;
  readonly write: (value: unknown) => string;
}

class BlockBuilder {
  readonly #columns: readonly CellColumn[];
  readonly #texts: Buffer[] = [];
  readonly #starts: Uint32Array[] = [];
  readonly #unexpected = new Set<number>();
  #byteLength = 0;
  #rowCount = 0;

  constructor(group: ColumnGroup) {
    this.#columns = group.map(({ name, column, type }) => ({
      name: column.name,
      start: memberStart(name),
      write: writerOf(column, type),
    }));
  }

  add(rows: readonly Row[]): void {
    const starts = new Uint32Array(rows.length * this.#columns.length);
    let text = '';
    let at = 0;
    for (const row of rows) {
      for (const column of this.#columns) {
        starts[at] = this.#byteLength + text.length;
        at += 1;
        text += column.start + this.#textOf(column, row);
      }
    }
    this.#texts.push(Buffer.from(text, 'latin1'));
    this.#starts.push(starts);
    this.#byteLength += text.length;
    this.#rowCount += rows.length;
  }

  #textOf(column: CellColumn, row: Row): BinaryText {
    try {
      return toBinaryText(column.write(row[column.name]));
    } catch (error) {
      if (!(error instanceof UnexpectedCell)) throw error;
      // It matters only to those who select the column.
      this.#unexpected.add(this.#columns.indexOf(column));
      return 'null';
    }
  }

  build(): CellBlock {
    const bytes = Buffer.allocUnsafeSlow(this.#byteLength + copyMargin);
    let written = 0;
    for (const text of this.#texts) written += text.copy(bytes, written);
    const starts = new Uint32Array(this.#rowCount * this.#columns.length + 1);
    let counted = 0;
    for (const part of this.#starts) {
      starts.set(part, counted);
      counted += part.length;
    }
    starts[counted] = this.#byteLength;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { bytes, view, starts, rowCount: this.#rowCount, unexpected: this.#unexpected };
  }
}
