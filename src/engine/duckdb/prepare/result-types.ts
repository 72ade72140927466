import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
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
  if (returned === undefined) return compiledTypes(query, compiled) ?? reject(query, dependsOnParameter);
  requireDeclared(
    query,
    returned.map(({ name, type }) => toResultColumn(name, type)),
  );
  return returned.map(({ name, type }) => {
    const known = compiled.columns.find(({ column }) => sameName(column, name))?.type;
    return { name, type: known && duckdbType(known) !== undefined ? known : bigqueryType(type) };
  });
}

const dependsOnParameter = 'the type of a column depends on a parameter: CAST the parameter';

interface ReturnedColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/** @returns undefined if DuckDB resolves the types only when the parameters have values, as in `UNNEST(SPLIT(@list))` */
async function describeResult(
  connection: DuckDBConnection,
  query: SavedQuery,
  sql: string,
): Promise<readonly ReturnedColumn[] | undefined> {
  try {
    const statement = await connection.prepare(sql);
    const ids = Array.from({ length: statement.columnCount }, (_, at) => statement.columnTypeId(at));
    if (ids.includes(DuckDBTypeId.INVALID)) {
      statement.destroySync();
      return undefined;
    }
    const columns = Array.from({ length: statement.columnCount }, (_, at) => ({
      name: statement.columnName(at),
      type: statement.columnType(at),
    }));
    statement.destroySync();
    return columns;
  } catch (error) {
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n\n');
    return reject(query, message?.replace(/^\w+ Error: /, '') ?? '');
  }
}

function reject({ source: { file, line } }: SavedQuery, message: string): never {
  throw new StartError('A saved query does not run', [{ file, line, message }]);
}

/** Compares the columns that the header declares with those that a query returns, as far as their types are known. */
export const buildColumnCheck =
  ({ columns: declared }: SavedQuery) =>
  (returned: Compiled['columns']): readonly string[] =>
    checkColumns(
      declared,
      returned.map(({ column, type }) => {
        const known = resultColumnOf(column, type);
        return duckdbType(type) === undefined ? { ...known, type: undefined } : known;
      }),
    );

/** @throws StartError if the columns of the SQL are not those of the header */
function requireDeclared({ columns, source }: SavedQuery, returned: readonly ResultColumn[]): void {
  const problems = checkColumns(columns, returned).map((message) => ({ ...source, message }));
  if (problems.length > 0)
    throw new StartError('The SQL of a saved query does not return the declared columns', problems);
}
