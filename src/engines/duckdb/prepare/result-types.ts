import { type DuckDBConnection, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { StartError } from '../../../errors.ts';
import { checkColumns } from '../../../catalog-analysis/check-columns.ts';
import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import { bigqueryType, planProblem } from '@querygate/bigquery-sql/duckdb';
import { problemOf } from '@querygate/bigquery-sql/problem';
import { duckdbText } from '@querygate/bigquery-sql/passes';
import {
  type Compiled,
  type Expression,
  mapExpressions,
  nullLiteral,
  type Query,
} from '@querygate/bigquery-sql/tree';
import { type Column, duckdbType, sameName, type Type, unknown } from '@querygate/bigquery-sql/types';
import { resultColumnOf } from '../../../catalog-analysis/result-column-of.ts';
import { toResultColumn } from './result-column.ts';

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
  const returned = await describeResult(connection, query, compiled);
  requireDeclared(
    query,
    returned.map(({ name, type, known }) =>
      type === undefined || duckdbType(known) !== undefined
        ? resultColumnOf(name, known)
        : toResultColumn(name, type),
    ),
  );
  return returned.map(({ name, type, known }) => ({
    name,
    type: type === undefined || duckdbType(known) !== undefined ? known : bigqueryType(type),
  }));
}

interface ReturnedColumn {
  readonly name: string;
  /** Undefined if DuckDB knows it only when the parameters have values; the compiler knows it then. */
  readonly type: DuckDBType | undefined;
  /** The type as far as the compiler knows it. */
  readonly known: Type;
}

/** The columns of a query as DuckDB plans it. @throws StartError if it cannot */
export async function describeResult(
  connection: DuckDBConnection,
  written: Pick<SavedQuery, 'sql' | 'source'>,
  { query, columns }: Compiled,
): Promise<readonly ReturnedColumn[]> {
  try {
    const knownOf = (name: string) => columns.find(({ column }) => sameName(column, name))?.type ?? unknown;
    const planned = await plannedColumns(connection, query);
    const isComplete = planned.every(
      ({ name, type }) => type !== undefined || duckdbType(knownOf(name)) !== undefined,
    );
    if (isComplete) return planned.map((column) => ({ ...column, known: knownOf(column.name) }));
    // A NULL in place of each parameter leaves no type open, but what becomes NULL then is INTEGER to DuckDB.
    const complete = await plannedColumns(connection, withoutParameters(query));
    return complete.map(({ name, type }) => {
      const known = knownOf(name);
      return { name, known, type: duckdbType(known) === undefined ? type : undefined };
    });
  } catch (error) {
    throw new StartError('A saved query does not run', [planProblem(written, error)], { cause: error });
  }
}

async function plannedColumns(
  connection: DuckDBConnection,
  query: Query,
): Promise<readonly Omit<ReturnedColumn, 'known'>[]> {
  const statement = await connection.prepare(duckdbText(query));
  const columns = Array.from({ length: statement.columnCount }, (_, at) => ({
    name: statement.columnName(at),
    type: statement.columnTypeId(at) === DuckDBTypeId.INVALID ? undefined : statement.columnType(at),
  }));
  statement.destroySync();
  return columns;
}

const withoutParameters = (query: Query): Query =>
  mapExpressions(query, (node) =>
    node.kind === 'parameter' || isError(node) ? nullLiteral(node.type) : node,
  );

/** DuckDB would compute it when it plans, for a NULL that no caller may send. */
const isError = (node: Expression) => node.kind === 'call' && node.function === 'bq.fail';

/** @throws StartError if the columns of the SQL are not those of the header, or no result of DuckDB can have a field */
function requireDeclared({ columns, source }: SavedQuery, returned: readonly ResultColumn[]): void {
  const messages = [...checkColumns(columns, returned), ...impossibleFields('columns', returned)];
  const problems = messages.map((message) => problemOf(source, message));
  if (problems.length > 0)
    throw new StartError('The SQL of a saved query does not return the declared columns', problems);
}

/** The fields that no result of DuckDB can have, as messages: each engine writes some types in its own form, and JavaScript reserves a name. */
const impossibleFields = (path: string, columns: readonly ResultColumn[]): readonly string[] =>
  columns.flatMap(({ name, fields = [] }) =>
    fields.flatMap((field) => {
      const own = `${path}.${name}.${field.name}`;
      if (field.name === '__proto__') return [`${own}: is reserved in JavaScript; choose another name`];
      return /^(?:INTERVAL$|RANGE<)/.test(field.type ?? '')
        ? [`${own}: is ${field.type}, which a result of DuckDB cannot have; CAST it to STRING`]
        : impossibleFields(`${path}.${name}`, [field]);
    }),
  );
