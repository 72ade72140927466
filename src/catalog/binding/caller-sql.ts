import { parseQuery, SyntaxProblem, tableParameters } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';
import { GatewayError, StartError } from '../../errors.ts';
import { memoize } from '../../memoize.ts';
import type { Parameter, SavedQuery } from '../model/saved-query.ts';
import type { RawParameters } from './bind.ts';
import { notUnicode } from './list-values.ts';

/** The parameter in which a caller sends SQL. No saved query may declare it. */
export const sqlParameter = 'sql';

/** The name of a saved query's sandbox in messages. */
export const sandboxSubject = 'query_sandboxing: enabled';

/** The longest SQL that a caller may send, in characters: it is parsed on the event loop. */
export const maxSqlLength = 10_000;

/**
 * The SQL that a caller sends for a saved query; undefined if it is absent. Empty equals absent, as with other
 * parameters. It does not matter whether the parameters came in a URL or in a body.
 *
 * @throws GatewayError INVALID_PARAMETER if the query takes no SQL, or if no SQL can be such a text
 */
export function callerSql({ querySandboxing }: SavedQuery, raw: RawParameters): string | undefined {
  const values = raw.get(sqlParameter);
  if (values === undefined) return undefined;
  const [sql = ''] = values;
  if (values.length > 1) throw invalidSql('is repeated; send it once');
  if (sql === '') return undefined;
  if (querySandboxing === 'disabled') {
    throw invalidSql(
      'this endpoint returns the rows of its saved query only; leave sql out. Its operator can allow SQL over its common tables by one line in its header, query_sandboxing: enabled',
    );
  }
  if (sql.length > maxSqlLength) {
    throw invalidSql(`has ${sql.length} characters; the limit is ${maxSqlLength}`);
  }
  if (sql.includes('\0')) throw invalidSql('contains a NUL byte; remove it');
  if (!sql.isWellFormed()) throw invalidSql(notUnicode);
  return sql;
}

/**
 * The saved query as SQL of a caller sees it: with the parameters that its common tables use, and the tenant. The others are
 * of the SELECT that the SQL replaces, so that their values change nothing. The SQL has rows of its own, of which no part is taken.
 */
export const seenBySql = memoize((query: SavedQuery): SavedQuery => {
  const used = usedByTables(query.sql);
  const isSeen = ({ name }: Parameter) =>
    used === undefined || used.has(foldName(name)) || name === query.tenant?.parameter;
  return { ...query, parameters: query.parameters.filter(isSeen), rowArguments: undefined, pages: undefined };
});

/** undefined for SQL that cannot be parsed, which a start refuses. */
function usedByTables(sql: string): ReadonlySet<string> | undefined {
  try {
    return tableParameters(parseQuery(sql));
  } catch (error) {
    if (error instanceof SyntaxProblem) return undefined;
    throw error;
  }
}

/** The names of the parameters that change nothing of what a caller's SQL reads. */
export const unusedBySql = memoize((query: SavedQuery): ReadonlySet<string> => {
  const seen = new Set(seenBySql(query).parameters);
  return new Set(query.parameters.filter((one) => !seen.has(one)).map(({ name }) => name));
});

/** @param what is wrong with the SQL, and what would be right */
export const invalidSql = (what: string): GatewayError =>
  new GatewayError('INVALID_PARAMETER', `${sqlParameter}: ${what}`, { parameter: sqlParameter });

/**
 * Runs a check of a caller's SQL, and turns the compiler's problems into errors for the caller.
 *
 * @throws GatewayError INVALID_PARAMETER, with the line and the column of the text
 */
export function judged<T>(judge: () => T): T {
  try {
    return judge();
  } catch (error) {
    const [problem] = error instanceof StartError ? error.problems : [];
    if (problem === undefined) throw error;
    throw invalidSql(`line ${problem.line}, column ${problem.column}: ${problem.message}`);
  }
}
