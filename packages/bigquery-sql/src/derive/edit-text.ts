/** Text in place of another one: of the characters from `start` to before `end`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text with edits, which do not overlap; at one place, text that is added comes before text that is replaced. */
export function editText(sql: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    parts.push(sql.slice(at, start), text);
    at = end;
  }
  return [...parts, sql.slice(at)].join('');
}

/** Why no statement of a kind can be made from another one: its rows would not be provably those of that one. */
export class NotDerivable extends Error {
  override readonly name = 'NotDerivable';
  /** The place of the cause: an offset into the text; undefined for the whole. */
  readonly start: number | undefined;

  constructor(message: string, start?: number) {
    super(message);
    this.start = start;
  }
}
