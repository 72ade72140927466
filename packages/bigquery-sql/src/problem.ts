/** The place of a text, for messages: its file, and the line (from 1) of its first character. */
export interface Source {
  readonly file: string;
  readonly line: number;
  /** If the text was put together from several. */
  readonly written?: Written;
}

/** Where the characters of a text were written that was put together. */
export interface Written {
  readonly texts: readonly WrittenText[];
  /** All of the whole, in its order. */
  readonly pieces: readonly Piece[];
  /** The names that only the whole has, in lower case, with those that were written instead. */
  readonly names?: Readonly<Record<string, string>>;
}

/** A text, its file, and the line at which it begins there. */
export interface WrittenText {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** A piece of a text that was put together. */
export interface Piece {
  /** The offset of its first character in the whole. */
  readonly start: number;
  /** Its characters that are as written; those after them have the place of the end. */
  readonly length: number;
  /** The index of the text in which it was written, and the offset there. */
  readonly of: number;
  readonly offset: number;
}

/** One thing that is wrong, and what would be right. Lines and columns count from 1. */
export interface Problem {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

const brand = Symbol.for('@querygate/bigquery-sql ProblemError');

/** Why something cannot be used: all of its problems at once. Its message has a line for each. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[];
  readonly [brand] = true;

  /** An installation may have several copies of this package: an error of one is an error of each. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof Error && brand in error;
  }

  /** @param options the original error as `cause`: for the log of an operator, never for a caller */
  constructor(summary: string, problems: readonly Problem[], options?: ErrorOptions) {
    super([`${summary}:`, ...problems.map((problem) => `  ${describeProblem(problem)}`)].join('\n'), options);
    this.name = 'ProblemError';
    this.problems = problems;
  }
}

/** A problem as one line of text that begins with its place. */
export function describeProblem({ file, line, column, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place} ${message}`;
}

/** A problem of a whole text. */
export const problemOf = ({ file, line, written }: Source, message: string): Problem => ({
  file,
  line,
  message: withWrittenNames(message, written),
});

function withWrittenNames(message: string, { names = {} }: Partial<Written> = {}): string {
  const nameOf = (word: string) =>
    Object.hasOwn(names, word.toLowerCase()) ? names[word.toLowerCase()] : word;
  return message.replace(/\w+/g, (word) => nameOf(word) ?? word);
}

/**
 * A problem at a place of SQL.
 *
 * @param source where the SQL begins
 * @param start the offset of the place in the SQL
 */
export function problemAt(sql: string, source: Source, start: number, message: string): Problem {
  // A text that ends too early has its problem after its last character, not after the blank lines that follow.
  const { file, line, text, offset } = placeIn(sql, source, Math.min(start, sql.trimEnd().length));
  const before = text.slice(0, offset).split('\n');
  return {
    file,
    line: line + before.length - 1,
    column: (before.at(-1)?.length ?? 0) + 1,
    message: withWrittenNames(message, source.written),
  };
}

function placeIn(
  sql: string,
  { file, line, written }: Source,
  at: number,
): WrittenText & { readonly offset: number } {
  const own = { file, line, text: sql, offset: at };
  return (written && writtenAt(written, at)) ?? own;
}

/** Where a character of a text that was put together was written; `isCopy` unless it is another one there. */
export function writtenAt(
  { texts, pieces }: Written,
  at: number,
): (WrittenText & { readonly offset: number; readonly isCopy: boolean }) | undefined {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.start ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  const piece = pieces[low - 1];
  const text = piece && texts[piece.of];
  if (piece === undefined || text === undefined) return undefined;
  const after = at - piece.start;
  return { ...text, offset: piece.offset + Math.min(after, piece.length), isCopy: after < piece.length };
}

/** The offset of a line and a column, both from 1, in a text. */
export function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1);
  return before.reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
}
