import type { Piece, Written, WrittenText } from '@querygate/bigquery-sql/problem';

/** Text, and where it was written. */
export interface Segment {
  readonly text: string;
  readonly of: WrittenText;
  readonly offset: number;
  /** True if it is as written there; otherwise, its place is that of its cause. */
  readonly isCopy: boolean;
}

/** Text in place of another one. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly segments: readonly Segment[];
}

const copyOf = (of: WrittenText, start: number, end: number): Segment => ({
  text: of.text.slice(start, end),
  ...{ of, offset: start, isCopy: true },
});

/** Text that no author wrote. @param offset the place of its cause */
export const generated = (of: WrittenText, offset: number, text: string): Segment => ({
  text,
  ...{ of, offset, isCopy: false },
});

/** In the order of the text; of those at one place, the first one stays first. */
export const sortEdits = (edits: readonly Edit[]): readonly Edit[] =>
  edits.toSorted((a, b) => a.start - b.start);

/** A range of a text with edits, which do not overlap. @param edits sorted */
export function edited(
  written: WrittenText,
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

/** Puts a text together. @param names see `Written` */
export function joinSegments(
  segments: readonly Segment[],
  names: ReadonlyMap<string, string>,
): {
  readonly sql: string;
  readonly written: Written;
} {
  const pieces: Piece[] = [];
  const texts: WrittenText[] = [];
  const indexes = new Map<WrittenText, number>();
  const all: string[] = [];
  let start = 0;
  for (const { text, of, offset, isCopy } of segments) {
    if (text === '') continue;
    const index = indexes.get(of) ?? texts.length;
    if (index === texts.length) texts.push({ file: of.file, line: of.line, text: of.text });
    indexes.set(of, index);
    pieces.push({ start, length: isCopy ? text.length : 0, of: index, offset });
    all.push(text);
    start += text.length;
  }
  return { sql: all.join(''), written: { texts, pieces, names: Object.fromEntries(names) } };
}
