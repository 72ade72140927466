import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { StartError } from '../../../errors.ts';
import { checkColumns } from '../../check-columns.ts';
import type { Compiled } from '../../dialect/compile.ts';
import { printQuery } from '../../dialect/tree/print.ts';
import { duckdbType, sameName, type Type } from '../../dialect/types.ts';
import { bigqueryType } from '../wire/bigquery-type.ts';
import { wireCell } from '../wire/cell.ts';
import type { WireColumn } from '../wire/rows.ts';
import { customPlan, genericPlan, type Plan, type PlannedColumn } from './plan.ts';
import { toResultColumn } from './result-column.ts';

/** A saved query as DuckDB runs it. */
export interface PreparedQuery {
  readonly columns: readonly WireColumn[];
  /** The SQL for all values of its parameters. */
  readonly generic: string;
  /** The plan for some values: the same rows as the generic SQL gives, but cheaper to plan and to run. */
  plan(parameters: Readonly<Record<string, string>>): Plan;
}

/** How many plans are kept: one for each combination of enum values and absent parameters in use. */
const maxPlans = 200;

/**
 * Prepares a compiled query, and checks its columns against the header.
 *
 * @throws StartError with the file and line of everything that is not supported or does not fit
 */
export async function prepareQuery(
  connection: DuckDBConnection,
  query: SavedQuery,
  compiled: Compiled,
): Promise<PreparedQuery> {
  const returned = await describeResult(connection, query, printQuery(compiled.query));
  requireDeclared(query, [...returned.values()]);
  const columns = outputColumns(query, compiled, returned);
  const plans = new LRUCache<string, Plan>({ max: maxPlans });
  return {
    columns,
    generic: genericPlan(compiled.query, columns, query.maxRows),
    plan(parameters) {
      const known = inlinedParameters(query, parameters);
      const key = JSON.stringify(known);
      const cached = plans.get(key);
      if (cached !== undefined) return cached;
      const plan = customPlan(compiled.query, columns, query.maxRows, known);
      plans.set(key, plan);
      return plan;
    },
  };
}

interface ReturnedColumn {
  readonly name: string;
  readonly type: DuckDBType;
}

/** The columns of a result, by their names in lower case. */
async function describeResult(
  connection: DuckDBConnection,
  { source }: SavedQuery,
  sql: string,
): Promise<ReadonlyMap<string, ReturnedColumn>> {
  try {
    const statement = await connection.prepare(sql);
    const columns = Array.from({ length: statement.columnCount }, (_, at) => ({
      name: statement.columnName(at),
      type: statement.columnType(at),
    }));
    statement.destroySync();
    return new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  } catch (error) {
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n\n');
    throw new StartError('A saved query does not run', [
      { file: source.file, line: source.line, message: message?.replace(/^\w+ Error: /, '') ?? '' },
    ]);
  }
}

/** @throws StartError if the columns of the SQL are not those of the header */
function requireDeclared({ columns, source }: SavedQuery, returned: readonly ReturnedColumn[]): void {
  const results = returned.map(({ name, type }) => toResultColumn(name, type));
  const problems = checkColumns(columns, results).map((message) => ({ ...source, message }));
  if (problems.length > 0)
    throw new StartError('The SQL of a saved query does not return the declared columns', problems);
}

type OutputColumn = WireColumn & PlannedColumn;

/** The columns in the order of the header, each by its name in the query. */
const outputColumns = (
  { columns }: SavedQuery,
  compiled: Compiled,
  returned: ReadonlyMap<string, ReturnedColumn>,
): readonly OutputColumn[] =>
  columns.flatMap(({ name: declared, required }) => {
    const found = compiled.columns.find(({ column }) => sameName(column, declared));
    const duckdb = returned.get(declared.toLowerCase())?.type;
    if (!found || !duckdb) return [];
    const type: Type = duckdbType(found.type) === undefined ? bigqueryType(duckdb) : found.type;
    return { name: declared, required, type, ...wireCell(type) };
  });

/** The parameters with few possible values (enums and absent ones): each combination of them has a plan of its own. */
const inlinedParameters = (
  { parameters: declared }: SavedQuery,
  parameters: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    declared
      .map(({ name, type }) => ({ name, type, value: parameters[name] ?? '' }))
      .filter(({ type, value }) => type === 'enum' || value === '')
      .map(({ name, value }) => [name, value]),
  );
