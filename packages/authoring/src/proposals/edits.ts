/** A change of a text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly after: string;
}

/** A change to the SQL, for messages. */
export interface Conversion {
  /** From 1, a line of the SQL. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** The SQL with the edits, which are in the order of the text, and each of them as a change. */
export function applyEdits(
  sql: string,
  edits: readonly Edit[],
): { readonly sql: string; readonly changes: readonly Conversion[] } {
  let edited = sql;
  for (const { start, end, after } of edits.toReversed()) {
    edited = edited.slice(0, start) + after + edited.slice(end);
  }
  const changes = edits.map(({ start, end, after }) => ({
    line: sql.slice(0, start).split('\n').length,
    before: sql.slice(start, end),
    after,
  }));
  return { sql: edited, changes };
}
