import type { Piece } from '@querygate/bigquery-sql/problem';

/** Text, and where it was written. */
export interface Segment extends Omit<Piece, 'start' | 'length' | 'text'> {
  readonly text: string;
  /** The text in which it was written. */
  readonly whole: string;
  /** True if it is as written there; otherwise, its place is that of its cause. */
  readonly isCopy: boolean;
}

/** A text in which places count. */
interface Written {
  readonly file: string;
  readonly text: string;
  readonly line: number;
}

/** Text in place of another one. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly segments: readonly Segment[];
}

export const copyOf = ({ file, line, text }: Written, start: number, end: number): Segment => ({
  text: text.slice(start, end),
  ...{ file, line, whole: text, offset: start, isCopy: true },
});

/** Text that no author wrote. @param offset the place of its cause */
export const generated = ({ file, line, text: whole }: Written, offset: number, text: string): Segment => ({
  text,
  ...{ file, line, whole, offset, isCopy: false },
});

/** In the order of the text; of those at one place, the first one stays first. */
export const sortEdits = (edits: readonly Edit[]): readonly Edit[] =>
  edits.toSorted((a, b) => a.start - b.start);

/** A range of a text with edits, which do not overlap. @param edits sorted */
export function edited(
  written: Written,
  { start, end }: { readonly start: number; readonly end: number },
  edits: readonly Edit[],
): readonly Segment[] {
  const segments: Segment[] = [];
  let at = start;
  for (let index = firstFrom(edits, start); index < edits.length; index += 1) {
    const edit = edits[index];
    if (edit === undefined || edit.end > end) break;
    segments.push(copyOf(written, at, edit.start), ...edit.segments);
    at = edit.end;
  }
  segments.push(copyOf(written, at, end));
  return segments;
}

/** The index of the first edit that does not start before a place. */
function firstFrom(edits: readonly Edit[], start: number): number {
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edits[middle]?.start ?? start) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Puts a text together. */
export function joinSegments(segments: readonly Segment[]): {
  readonly sql: string;
  readonly pieces: readonly Piece[];
} {
  const pieces: Piece[] = [];
  const texts: string[] = [];
  let start = 0;
  for (const { text, whole, isCopy, ...place } of segments) {
    if (text === '') continue;
    pieces.push({ start, length: isCopy ? text.length : 0, text: whole, ...place });
    texts.push(text);
    start += text.length;
  }
  return { sql: texts.join(''), pieces };
}
