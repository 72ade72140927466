import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import type { Column, SavedQuery } from '../../catalog/saved-query.ts';
import { type Problem, StartError } from '../../errors.ts';
import type { Rewritten } from '../dialect/rewrite.ts';
import { quote } from '../dialect/type.ts';
import { columnMisfit } from './column-fit.ts';
import { wireSql } from './wire-sql.ts';

/** A saved query as DuckDB runs it: every column is JSON text, in the order of `columns`. */
export interface PreparedQuery {
  readonly sql: string;
  /** The names that `sql` binds. */
  readonly parameters: readonly string[];
  readonly columns: readonly Column[];
}

/**
 * Prepares a saved query that was rewritten for DuckDB, and checks its columns against the header.
 *
 * @throws StartError with the file and line of everything that is not supported or does not fit
 */
export async function prepareQuery(
  connection: DuckDBConnection,
  query: SavedQuery,
  rewritten: Rewritten,
): Promise<PreparedQuery> {
  const statement = await describe(connection, query, rewritten.sql);
  const types = new Map(
    Array.from({ length: statement.columnCount }, (_, at) => [
      statement.columnName(at).toLowerCase(),
      statement.columnType(at),
    ]),
  );
  const problems: Problem[] = [];
  const add = (message: string) =>
    problems.push({ file: query.source.file, line: query.source.line, message });

  const cells = query.columns.map((column) => {
    const type = types.get(column.name.toLowerCase());
    const misfit = type === undefined ? missing(column) : columnMisfit(column, type);
    if (misfit !== undefined) add(misfit);
    return type === undefined ? '' : wireSql(quote(column.name), type);
  });
  for (const name of types.keys()) {
    if (!query.columns.some((column) => column.name.toLowerCase() === name)) {
      add(`the SQL gives a column ${name} that the header does not declare under columns`);
    }
  }
  statement.destroySync();
  if (problems.length > 0) throw new StartError('A saved query does not fit its header', problems);

  return {
    // One row more than may be told, so that a cut is known.
    sql: `SELECT ${cells.join(', ')} FROM (${rewritten.sql}\n) LIMIT ${query.maxRows + 1}`,
    parameters: rewritten.parameters,
    columns: query.columns,
  };
}

async function describe(
  connection: DuckDBConnection,
  { source }: SavedQuery,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  try {
    return await connection.prepare(sql);
  } catch (error) {
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n\n');
    throw new StartError('A saved query does not run', [
      { file: source.file, line: source.line, message: message?.replace(/^\w+ Error: /, '') ?? '' },
    ]);
  }
}

function missing({ name }: Column): string {
  return `columns.${name}: declared, but the SQL gives no such column`;
}
