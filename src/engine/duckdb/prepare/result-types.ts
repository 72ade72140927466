import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { StartError } from '../../../errors.ts';
import { checkColumns, type ResultColumn } from '../../check-columns.ts';
import type { Compiled } from '../../dialect/compile.ts';
import { printQuery } from '../../dialect/tree/print.ts';
import { type Column, duckdbType, sameName } from '../../dialect/types.ts';
import { bigqueryType } from '../wire/bigquery-type.ts';
import { resultColumnOf, toResultColumn } from './result-column.ts';

/** The columns that a query returns, each of a type that DuckDB can hold. */
export type ResultTypes = readonly Column[];

/**
 * The columns of a result as the compiler knows them; undefined if the types of some are known to the database only.
 *
 * @throws StartError if the columns are not those of the header
 */
export function compiledTypes(query: SavedQuery, { columns }: Compiled): ResultTypes | undefined {
  const types = columns.map(({ column, type }) => ({ name: column, type }));
  if (types.some(({ type }) => duckdbType(type) === undefined)) return undefined;
  requireDeclared(
    query,
    types.map(({ name, type }) => resultColumnOf(name, type)),
  );
  return types;
}

/**
 * The columns of a result as DuckDB plans it, which takes some milliseconds.
 *
 * @throws StartError if DuckDB cannot plan the query, or its columns are not those of the header
 */
export async function plannedTypes(
  connection: DuckDBConnection,
  query: SavedQuery,
  compiled: Compiled,
): Promise<ResultTypes> {
  const returned = await describeResult(connection, query, printQuery(compiled.query));
  requireDeclared(
    query,
    returned.map(({ name, type }) => toResultColumn(name, type)),
  );
  return returned.map(({ name, type }) => {
    const known = compiled.columns.find(({ column }) => sameName(column, name))?.type;
    return { name, type: known && duckdbType(known) !== undefined ? known : bigqueryType(type) };
  });
}

interface ReturnedColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

async function describeResult(
  connection: DuckDBConnection,
  { source }: SavedQuery,
  sql: string,
): Promise<readonly ReturnedColumn[]> {
  try {
    const statement = await connection.prepare(sql);
    const columns = Array.from({ length: statement.columnCount }, (_, at) => ({
      name: statement.columnName(at),
      type: statement.columnType(at),
    }));
    statement.destroySync();
    return columns;
  } catch (error) {
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n\n');
    throw new StartError('A saved query does not run', [
      { file: source.file, line: source.line, message: message?.replace(/^\w+ Error: /, '') ?? '' },
    ]);
  }
}

/** @throws StartError if the columns of the SQL are not those of the header */
function requireDeclared({ columns, source }: SavedQuery, returned: readonly ResultColumn[]): void {
  const problems = checkColumns(columns, returned).map((message) => ({ ...source, message }));
  if (problems.length > 0)
    throw new StartError('The SQL of a saved query does not return the declared columns', problems);
}
