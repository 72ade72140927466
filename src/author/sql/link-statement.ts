import { existsSync } from 'node:fs';
import type { Failure, StatementProblem } from '@querygate/bigquery-sql/duckdb';
import { offsetOf, problemAt } from '@querygate/bigquery-sql/problem';
import { readFiles } from '../../catalog/folder/read-folder.ts';
import { readParts } from '../../catalog/folder/read-parts.ts';
import type { Link } from '../../catalog/header/link.ts';
import { readHeader } from '../../catalog/header/split-file.ts';
import type { SavedQuery } from '../../catalog/model/saved-query.ts';
import type { Problem } from '../../errors.ts';

/** A statement with the parts of the queries folder that it reads. */
export interface LinkedStatement extends Pick<SavedQuery, 'listedViews'> {
  readonly text: string;
  /** A problem of `text` at its place in what its author wrote, with the names that were written there. */
  original(problem: StatementProblem): StatementProblem;
}

/** Reads the parts of a queries folder, which need not exist. @throws StartError if it cannot be read */
export const partsLink = (folder: string): Link =>
  readParts(folder, existsSync(folder) ? readFiles(folder) : new Map()).link;

/**
 * Puts a statement together with the parts that it reads: the SQL of a saved query, or SQL alone.
 *
 * @param given the parameters of the command line, as `name=value` and `name:TYPE=value`
 * @returns a failure if a part is not there, or is not read as it can be
 */
export function linkStatement(text: string, given: readonly string[], link: Link): LinkedStatement | Failure {
  const found = readHeader(file, text);
  const header = 'header' in found ? (found.header as { parameters?: object } | null) : undefined;
  const own = 'header' in found ? found : { sql: text, sqlLine: 1, lineOf: () => 1 };
  const parameters = { ...Object.fromEntries(given.map(declared)), ...header?.parameters };
  const { sql, source, listedViews, problems } = link({
    ...own,
    header: { parameters },
    name: file,
    file,
    text,
  });
  const [first, ...more] = problems.map(placed);
  if (first !== undefined) return { error: { stage: 'refused', ...first, ...(more.length > 0 && { more }) } };
  const before = text.slice(0, text.length - own.sql.length);
  const whole = before + sql;
  return {
    text: whole,
    listedViews,
    original(problem) {
      const offset = offsetOf(whole, problem.line, problem.column) - before.length;
      if (source.written === undefined || offset < 0) return problem;
      return placed(problemAt(sql, source, offset, problem.message));
    },
  };
}

/** The name of a statement that is not a file, which no query has. */
const file = 'the statement';

/** A problem of the statement, or of the file of a part. */
const placed = ({ file: of = file, message, line = 1, column = 1 }: Problem): StatementProblem => ({
  message: of === file ? message : `${of}: ${message}`,
  line,
  column,
});

/** A parameter of the command line as a header would declare it. */
function declared(text: string): readonly [string, object] {
  const [, name = '', list, element, scalar = 'STRING'] =
    /^(\w+)(?::\s*(?:(ARRAY)\s*<\s*(\w+)\s*>|(\w+))\s*)?=/i.exec(text) ?? [];
  const bind = (element ?? scalar).toUpperCase();
  return [name, { type: 'string', description: 'Given.', bind, repeated: list !== undefined }];
}
