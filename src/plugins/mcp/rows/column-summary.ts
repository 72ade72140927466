import { shorten, textOf } from '@querygate/text';
import type { CellWriter } from './cells.ts';
import { RowCursor } from './row-cursor.ts';

/** A summary of a column over all rows of a result. */
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

/** Bytes of a document that are read in one step: about a millisecond of work. */
const stepBytes = 256 * 1024;

/** Summarizes the columns of a result in steps of about a millisecond. No texts are made but of the values that it gives. */
export function* summarizeColumns(
  { identity }: { readonly identity: Buffer },
  writers: readonly CellWriter[],
): Generator<undefined, readonly ColumnSummary[]> {
  const columns = writers.map((writer) => new ColumnValues(writer, identity));
  const rows = new RowCursor(identity);
  const { cells } = rows;
  let rowCount = 0;
  let readBytes = 0;
  while (!rows.hasEnded) {
    const isRow = rows.next(stepBytes);
    if (isRow) {
      rowCount += 1;
      let place = 0;
      for (let at = 0; at < rows.length; at += 4) {
        place = placeOf(columns, place, identity, cells[at] as number, cells[at + 1] as number);
        columns[place]?.add(cells[at + 2] as number, cells[at + 3] as number);
        place += 1;
      }
    }
    if (!isRow || rows.end - readBytes > stepBytes) {
      readBytes = rows.end;
      yield undefined;
    }
  }
  return columns.map((column) => column.summary(rowCount));
}

/** The column that has a name. @param expected rows have the columns in their order, without those that are NULL */
function placeOf(
  columns: readonly ColumnValues[],
  expected: number,
  bytes: Buffer,
  start: number,
  end: number,
): number {
  for (let at = expected; at < columns.length; at += 1) if (columns[at]?.isNamed(start, end)) return at;
  const name = textOf(bytes.toString('utf8', start, end));
  return columns.findIndex((column) => column.name === name);
}

const [quote, space] = [0x22, 0x20];

/** Cells are compared where they are in the document. */
class ColumnValues {
  readonly #writer: CellWriter;
  readonly #bytes: Buffer;
  readonly #name: Buffer;
  #count = 0;
  #min: Cell | undefined;
  #max: Cell | undefined;
  #distinct: Cell[] | undefined = [];

  constructor(writer: CellWriter, bytes: Buffer) {
    this.#writer = writer;
    this.#bytes = bytes;
    this.#name = Buffer.from(JSON.stringify(writer.name));
  }

  get name(): string {
    return this.#writer.name;
  }

  isNamed(start: number, end: number): boolean {
    const name = this.#name;
    return end - start === name.byteLength && isEqual(this.#bytes, start, name, 0, name.byteLength);
  }

  /** @param from of a cell, with the spaces around it */
  add(from: number, to: number): void {
    const bytes = this.#bytes;
    let [start, end] = [from, to];
    while ((bytes[start] as number) <= space) start += 1;
    while ((bytes[end - 1] as number) <= space) end -= 1;
    // Of all values only `null` begins so.
    if (bytes[start] === 0x6e) return;
    this.#count += 1;
    const { isNested, isText } = this.#writer;
    if (isNested) return;
    const number = isText ? 0 : this.#numberAt(start, end);
    if (this.#min === undefined || this.#max === undefined) {
      this.#min = { start, end, number };
      this.#max = this.#min;
    } else if (isText ? this.#compare(start, end, this.#min) < 0 : number < this.#min.number)
      this.#min = { start, end, number };
    else if (isText ? this.#compare(start, end, this.#max) > 0 : number > this.#max.number)
      this.#max = { start, end, number };
    const distinct = this.#distinct;
    if (distinct === undefined) return;
    for (const known of distinct)
      if (known.end - known.start === end - start && isEqual(bytes, start, bytes, known.start, end - start))
        return;
    if (distinct.length === maxDistinct) this.#distinct = undefined;
    else distinct.push({ start, end, number });
  }

  summary(rowCount: number): ColumnSummary {
    const distinct = this.#distinct?.length === 0 ? undefined : this.#distinct;
    return {
      name: this.name,
      nulls: rowCount - this.#count,
      min: this.#min && this.#shown(this.#min),
      max: this.#max && this.#shown(this.#max),
      distinct: distinct?.map((cell) => this.#shown(cell)),
    };
  }

  /** Numerals are text in JSON. */
  #numberAt(start: number, end: number): number {
    const isQuoted = this.#bytes[start] === quote ? 1 : 0;
    return Number(this.#bytes.toString('latin1', start + isQuoted, end - isQuoted));
  }

  /** By the bytes of JSON, whose order is that of the characters. */
  #compare(start: number, end: number, other: Cell): number {
    return this.#bytes.compare(this.#bytes, other.start, other.end, start, end);
  }

  #shown({ start, end }: Cell): string {
    return shorten(this.#writer.text(this.#beginning(start, end)) ?? '', maxShown);
  }

  /** As JSON; of a long text a part that is more than is shown. */
  #beginning(start: number, end: number): string {
    const most = 12 * maxShown;
    if (end - start <= most) return this.#bytes.toString('utf8', start, end);
    const [whole = '"'] =
      /^"(?:[^"\\]|\\(?:u[\da-f]{4}|[^u]))*/i.exec(this.#bytes.toString('utf8', start, start + most)) ?? [];
    return `${whole}"`;
  }
}

/** Where it is in the document, and its value if it is a number. */
interface Cell {
  readonly start: number;
  readonly end: number;
  readonly number: number;
}

function isEqual(one: Buffer, at: number, other: Buffer, otherAt: number, length: number): boolean {
  for (let byte = 0; byte < length; byte += 1) if (one[at + byte] !== other[otherAt + byte]) return false;
  return true;
}
