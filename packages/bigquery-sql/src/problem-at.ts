import type { Source } from '../../../src/catalog/model/saved-query.ts';
import type { Problem } from '../../../src/errors.ts';

/**
 * A problem at a place of a saved query's SQL.
 *
 * @param source where the SQL begins
 * @param start the offset of the place in the SQL
 */
export function problemAt(sql: string, { file, line }: Source, start: number, message: string): Problem {
  const before = sql.slice(0, start).split('\n');
  return {
    file,
    line: line + before.length - 1,
    column: (before.at(-1)?.length ?? 0) + 1,
    message,
  };
}
