import {
  type CellBlock,
  type Cells,
  type ColumnFormat,
  type ColumnGroup,
  memberStart,
} from './cell-blocks.ts';
import { UnexpectedCell } from '../execution/needs-objects.ts';
import { copyMargin, type OutputBytes, Written } from '../execution/written.ts';

/** Where a column's cells are. */
export interface ColumnPlace {
  readonly group: ColumnGroup;
  readonly at: number;
}

/** One member of every row: a column under its own name or an alias, a constant, or an object of such members. */
export type RowMember = { readonly responseKey: string } & (
  | { readonly place: ColumnPlace }
  | { readonly constant: string }
  | { readonly members: readonly RowMember[] }
);

/** A part of each row: the members from one column to another of one group, or a text that all rows have. */
type RowPart = { readonly text: string } | ColumnPart;

interface ColumnPart {
  readonly group: ColumnGroup;
  readonly from: number;
  readonly to: number;
  readonly skip: number;
}

/** Writes the list of rows of one selection. */
export interface RowsWriter {
  /** Whose cells must have been made. */
  readonly groups: readonly ColumnGroup[];
  /** @param selected the rows of the list, by their places; undefined for all @throws UnexpectedCell */
  list(cells: Cells, rowCount: number, selected?: Uint32Array): Written;
}

/** Compiles the members of a row. Neighbours under their own names are one part of it: the fewer parts, the faster. */
export function compileRows(members: readonly RowMember[]): RowsWriter {
  const parts = partsOf(members);
  const groups = [...new Set(parts.flatMap((part) => ('group' in part ? [part.group] : [])))];
  const sources = parts.map((part) => ('group' in part ? part : sourceOfText(part.text)));
  return {
    groups,
    list: (cells, rowCount, selected) => {
      const [group] = groups;
      const count = group === undefined ? rowCount : cells.block(group).rowCount;
      return rowList(
        sources.map((source) => ('group' in source ? sourceOf(source, cells) : source)),
        selected?.length ?? count,
        selected,
      );
    },
  };
}

function partsOf(members: readonly RowMember[]): readonly RowPart[] {
  const parts: RowPart[] = [];
  const add = (part: RowPart) => {
    const last = parts.at(-1);
    if (last !== undefined && 'text' in last && 'text' in part) {
      parts[parts.length - 1] = { text: last.text + part.text };
    } else if (
      last !== undefined &&
      'group' in last &&
      'group' in part &&
      last.group === part.group &&
      last.to === part.from &&
      part.skip === 0
    ) {
      parts[parts.length - 1] = { ...last, to: part.to };
    } else {
      parts.push(part);
    }
  };
  /** @param comma how many characters a member begins with that the first one of an object must not have */
  const addMember = (member: RowMember, comma: 0 | 1): void => {
    const start = memberStart(member.responseKey).slice(comma);
    if ('constant' in member) {
      add({ text: start + member.constant });
    } else if ('members' in member) {
      add({ text: `${start}{` });
      for (const [at, inner] of member.members.entries()) addMember(inner, at === 0 ? 1 : 0);
      add({ text: '}' });
    } else {
      const { group, at } = member.place;
      const ownStart = memberStart(nameOf(group[at]));
      const isOwn = start === ownStart.slice(comma);
      if (!isOwn) add({ text: start });
      add({ group, from: at, to: at + 1, skip: isOwn ? comma : ownStart.length });
    }
  };
  for (const member of members) addMember(member, 0);
  // A row without members: its one byte becomes the brace.
  return parts.length === 0 ? [{ text: ',' }] : parts;
}

const nameOf = (format: ColumnFormat | undefined): string => format?.name ?? '';

/** A part with its bytes: of each row, those from `starts[row * stride + from] + skip` to `starts[row * stride + to]`. */
interface Source extends Pick<CellBlock, 'bytes' | 'view' | 'starts'> {
  readonly stride: number;
  readonly from: number;
  readonly to: number;
  readonly skip: number;
}

function sourceOf({ group, from, to, skip }: ColumnPart, cells: Cells): Source {
  const { bytes, view, starts, unexpected } = cells.block(group);
  if (unexpected.size > 0 && unexpected.values().some((at) => at >= from && at < to))
    throw new UnexpectedCell();
  return { bytes, view, starts, stride: group.length, from, to, skip };
}

function sourceOfText(text: string): Source {
  const { length } = text;
  const bytes = Buffer.alloc(length + copyMargin, 0);
  bytes.write(text, 'latin1');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { bytes, view, starts: Uint32Array.of(0, length), stride: 0, from: 0, to: 1, skip: 0 };
}

/** Bytes that are written in one step, at least: about a millisecond of work. */
const bytesPerStep = 1_000_000;

const comma = 0x2c;
const [openBrace, closeBrace] = [0x7b, 0x7d];
const [openBracket, closeBracket] = [0x5b, 0x5d];

function rowList(sources: readonly Source[], rowCount: number, selected: Uint32Array | undefined): Written {
  // Each row has a brace and a comma besides its parts, of which the first comma becomes the other brace.
  const byteLength =
    rowCount === 0
      ? '[]'.length
      : sources.reduce(
          (sum, source) => sum + byteLengthOf(source, rowCount, selected),
          '['.length + 2 * rowCount,
        );
  const write = (row: number, out: OutputBytes, at: number) =>
    writeRow(sources, selected === undefined ? row : (selected[row] as number), out, at);
  const close = (out: OutputBytes, start: number, rowsEnd: number) => {
    // In place of the last row's comma.
    const at = rowCount === 0 ? rowsEnd + 1 : rowsEnd;
    out.bytes[start] = openBracket;
    out.bytes[at - 1] = closeBracket;
    // Bytes that were counted but not written would be those of an earlier body.
    if (at - start !== byteLength) throw new Error('a list of rows that is not as long as was counted');
  };
  // Entities have hundreds of short lists, for each of which a generator takes longer than its rows.
  if (byteLength < bytesPerStep)
    return new Written(byteLength, (out, start) => {
      let at = start + 1;
      for (let row = 0; row < rowCount; row += 1) at = write(row, out, at);
      close(out, start, at);
    });
  return new Written(byteLength, function* (out, start) {
    let at = start + 1;
    for (let row = 0; row < rowCount; ) {
      const end = at + bytesPerStep;
      for (; row < rowCount && at < end; row += 1) at = write(row, out, at);
      yield;
    }
    close(out, start, at);
  });
}

function byteLengthOf(
  { starts, stride, from, to, skip }: Source,
  rowCount: number,
  selected: Uint32Array | undefined,
): number {
  let bytes = 0;
  for (let at = 0; at < rowCount; at += 1) {
    const row = selected === undefined ? at : (selected[at] as number);
    bytes += (starts[row * stride + to] ?? 0) - (starts[row * stride + from] ?? 0) - skip;
  }
  return bytes;
}

/** The hot loop of every new selection. @returns where the next row begins */
function writeRow(sources: readonly Source[], row: number, out: OutputBytes, rowStart: number): number {
  let at = rowStart;
  for (let index = 0; index < sources.length; index += 1) {
    const source = sources[index] as Source;
    const { starts, stride } = source;
    const from = (starts[row * stride + source.from] as number) + source.skip;
    const length = (starts[row * stride + source.to] as number) - from;
    copyBytes(source, from, length, out, at);
    at += length;
  }
  out.bytes[rowStart] = openBrace;
  out.bytes[at] = closeBrace;
  out.bytes[at + 1] = comma;
  return at + 2;
}

/** Measured: where a call of Node's own copy begins to cost less than a loop. */
const longBytes = 256;

/** Copies in words of eight bytes: up to `copyMargin` too many, written over later. V8 makes no objects of these integers. */
function copyBytes(
  { bytes, view }: Pick<Source, 'bytes' | 'view'>,
  from: number,
  length: number,
  out: OutputBytes,
  at: number,
): void {
  if (length >= longBytes) {
    bytes.copy(out.bytes, at, from, from + length);
    return;
  }
  for (let offset = 0; offset < length; offset += 8) {
    out.view.setBigInt64(at + offset, view.getBigInt64(from + offset, true), true);
  }
}
