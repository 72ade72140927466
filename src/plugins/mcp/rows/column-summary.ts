import { decimalUnits, shorten, textOf } from '@querygate/text';
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

/** Of JSON: more characters than are shown, of which each may be escaped in twelve bytes. */
const beginningBytes = 12 * (maxShown + 2);

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

const [quote, space, backslash] = [0x22, 0x20, 0x5c];

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
    const cell = isText ? this.#textAt(start, end) : this.#numberAt(start, end);
    if (this.#min === undefined || this.#max === undefined) {
      this.#min = cell;
      this.#max = cell;
    } else if (this.#compare(cell, this.#min) < 0) this.#min = cell;
    else if (this.#compare(cell, this.#max) > 0) this.#max = cell;
    const distinct = this.#distinct;
    if (distinct === undefined) return;
    for (const known of distinct)
      if (known.end - known.start === end - start && isEqual(bytes, start, bytes, known.start, end - start))
        return;
    if (distinct.length === maxDistinct) this.#distinct = undefined;
    else distinct.push(cell);
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
  #numberAt(start: number, end: number): Cell {
    const isQuoted = this.#bytes[start] === quote ? 1 : 0;
    const digits = this.#bytes.toString('latin1', start + isQuoted, end - isQuoted);
    return { start, end, digits, number: Number(digits) };
  }

  /** With the beginning of a long text: values that are equal there are shown alike. */
  #textAt(start: number, end: number): Cell {
    const isQuoted = this.#bytes[start] === quote ? 1 : 0;
    const content = this.#bytes.subarray(start + isQuoted, Math.min(end - isQuoted, start + beginningBytes));
    if (this.#writer.isBytes) return { start, end, text: Buffer.from(content.toString('latin1'), 'base64') };
    // The order of other characters is that of their bytes.
    const text = content.includes(backslash) ? Buffer.from(textOf(this.#beginning(start, end))) : content;
    return { start, end, text };
  }

  /** Texts by code points, decimals and moments exactly. */
  #compare(one: Cell, other: Cell): number {
    if (one.text !== undefined && other.text !== undefined) return one.text.compare(other.text);
    const [a, b] = [one.number ?? 0, other.number ?? 0];
    if (a !== b || one.digits === other.digits) return a - b;
    const [units, otherUnits] = [unitsOf(one), unitsOf(other)];
    return units < otherUnits ? -1 : units > otherUnits ? 1 : 0;
  }

  #shown({ start, end }: Cell): string {
    return shorten(this.#writer.text(this.#beginning(start, end)) ?? '', maxShown);
  }

  /** As JSON; of a long text a part that is more than is shown. */
  #beginning(start: number, end: number): string {
    if (end - start <= beginningBytes) return this.#bytes.toString('utf8', start, end);
    const [whole = '"'] =
      /^"(?:[^"\\]|\\(?:u[\da-f]{4}|[^u]))*/i.exec(
        this.#bytes.toString('utf8', start, start + beginningBytes),
      ) ?? [];
    return `${whole}"`;
  }
}

/** Where it is in the document, and its value. */
interface Cell {
  readonly start: number;
  readonly end: number;
  readonly text?: Buffer;
  readonly digits?: string;
  readonly number?: number;
}

/** A BIGNUMERIC has as many decimal places. */
const scale = 38;

/** Of an integer or a decimal; a number with an exponent is a FLOAT, and equal to those that are equal as numbers. */
const unitsOf = ({ digits = '' }: Cell): bigint =>
  /^-?\d+(?:\.\d+)?$/.test(digits) ? decimalUnits(digits, scale) : 0n;

function isEqual(one: Buffer, at: number, other: Buffer, otherAt: number, length: number): boolean {
  for (let byte = 0; byte < length; byte += 1) if (one[at + byte] !== other[otherAt + byte]) return false;
  return true;
}
