import type { ResultDocument } from '../../../results/result-document.ts';
import { type Row, rowParts } from '../../../results/row-parts.ts';
import { httpLimits } from '../../message/http-limits.ts';
import { responseTooLarge } from '../errors.ts';
import { UnexpectedCell } from '../execution/needs-objects.ts';
import { type BinaryText, copyMargin, toBinaryText } from '../execution/written.ts';

/** How a column is written: under which name, and with which text. */
export interface ColumnFormat {
  readonly name: string;
  /** Its name in the rows of a document. */
  readonly column: string;
  readonly write: (value: unknown, row: Row) => string;
}

/** Columns whose cells are made together, and of which neighbours are copied together. */
export type ColumnGroup = readonly ColumnFormat[];

/**
 * The cells of a column group, row after row, each as a member of an object: `,"count":5`. A response copies neighbouring
 * members as one, and of a column with an alias the text after its name.
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

export const bytesOfBlock = ({ bytes, starts }: CellBlock): number => bytes.byteLength + starts.byteLength;

/** The cells from which one response is assembled. */
export interface Cells {
  /** @throws Error if the block was not made */
  block(group: ColumnGroup): CellBlock;
}

/** The cells of one document as JSON text, made when a selection first needs their group: responses copy their bytes. */
export class DocumentCells {
  readonly #document: ResultDocument;
  readonly #blocks = new Map<ColumnGroup, CellBlock>();
  /** The memory of the blocks; only grows. */
  bytes = 0;

  constructor(document: ResultDocument) {
    this.#document = document;
  }

  /**
   * Makes the blocks that are missing, in steps. @throws GatewayError QUERY_TOO_EXPENSIVE
   * @param selected what an operation selects in records: blocks that are not kept here, with those that are known
   */
  *make(
    groups: readonly ColumnGroup[],
    selected: ReadonlyMap<ColumnGroup, CellBlock | undefined>,
  ): Generator<void, Cells> {
    const missing = groups.filter((group) => !this.#blocks.has(group));
    const unknown = [...selected].flatMap(([group, block]) => (block === undefined ? [group] : []));
    const own = yield* this.#build([...missing, ...unknown]);
    for (const group of missing) {
      const block = own.get(group);
      if (block === undefined) continue;
      this.#blocks.set(group, block);
      this.bytes += bytesOfBlock(block);
    }
    return {
      block: (group) => {
        const block = this.#blocks.get(group) ?? own.get(group) ?? selected.get(group);
        if (block === undefined) throw new Error('a column group that was not made');
        return block;
      },
    };
  }

  *#build(groups: readonly ColumnGroup[]): Generator<void, ReadonlyMap<ColumnGroup, CellBlock>> {
    const blocks = new Map<ColumnGroup, CellBlock>();
    const builders = groups.map((group) => ({ group, builder: new BlockBuilder(group) }));
    if (builders.length === 0) return blocks;
    // New blocks are built in turns; blocks that are kept need none.
    yield;
    for (const rows of rowParts(this.#document)) {
      for (const { builder } of builders) builder.add(rows);
      // Aliases in records may make it longer than the document.
      if (builders.some(({ builder }) => builder.byteLength > maxResponseBytes)) throw responseTooLarge();
      yield;
    }
    for (const { group, builder } of builders) {
      blocks.set(group, builder.build());
      yield;
    }
    return blocks;
  }
}

const { maxResponseBytes } = httpLimits;

/** The text before a cell's own: it begins with the comma that separates it from the cell before. */
export function memberStart(responseKey: string): BinaryText {
  return `,${JSON.stringify(responseKey)}:`;
}

interface CellColumn extends Pick<ColumnFormat, 'column' | 'write'> {
  readonly start: BinaryText;
}

/** The cells of rows that are in no document. */
export function blockOf(group: ColumnGroup, rows: readonly Row[]): CellBlock {
  const builder = new BlockBuilder(group);
  builder.add(rows);
  return builder.build();
}

class BlockBuilder {
  readonly #columns: readonly CellColumn[];
  readonly #texts: Buffer[] = [];
  readonly #starts: Uint32Array[] = [];
  readonly #unexpected = new Set<number>();
  #byteLength = 0;
  #rowCount = 0;

  constructor(group: ColumnGroup) {
    this.#columns = group.map(({ name, column, write }) => ({ column, start: memberStart(name), write }));
  }

  get byteLength(): number {
    return this.#byteLength;
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
      return toBinaryText(column.write(row[column.column], row));
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
