/** The place of a text, for messages: its file, and the line (from 1) of its first character. */
export interface Source {
  readonly file: string;
  readonly line: number;
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

/**
 * A problem at a place of SQL.
 *
 * @param source where the SQL begins
 * @param start the offset of the place in the SQL
 */
export function problemAt(sql: string, { file, line }: Source, start: number, message: string): Problem {
  // A text that ends too early has its problem after its last character, not after the blank lines that follow.
  const before = sql.slice(0, Math.min(start, sql.trimEnd().length)).split('\n');
  return {
    file,
    line: line + before.length - 1,
    column: (before.at(-1)?.length ?? 0) + 1,
    message,
  };
}
