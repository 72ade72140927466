import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { SavedQuery } from '../../../catalog/saved-query.ts';
import { StartError } from '../../../errors.ts';
import { checkColumns } from '../../check-columns.ts';
import type { HoistedConstants } from '../../dialect/passes/hoist-constants.ts';
import type { StoredColumn } from '../../dialect/passes/shredded.ts';
import { type Rewritten, rewrite, type StoredTable } from '../../dialect/rewrite.ts';
import type { RenderRecord } from '../../dialect/scope.ts';
import { quote, sameName } from '../../dialect/types.ts';
import { type WireCell, wireCell } from '../wire/cell.ts';
import { wireRecord } from '../wire/record.ts';
import type { WireColumn } from '../wire/rows.ts';
import { toResultColumn } from './result-column.ts';

/** A saved query as DuckDB runs it. */
export interface PreparedQuery {
  readonly columns: readonly WireColumn[];
  /** The SQL for all values of its parameters. */
  readonly generic: string;
  /** The plan for some values: the same rows as the generic SQL gives, but cheaper to plan and to run. */
  plan(parameters: Readonly<Record<string, string>>): Plan;
}

/** SQL that binds constants and thresholds beside its parameters. */
export type Plan = HoistedConstants;

/** How many plans are kept: one for each combination of enum values and absent parameters in use. */
const maxPlans = 200;

/**
 * Prepares a saved query that was rewritten for DuckDB, and checks its columns against the header.
 *
 * @throws StartError with the file and line of everything that is not supported or does not fit
 */
export async function prepareQuery(
  connection: DuckDBConnection,
  query: SavedQuery,
  rewritten: Rewritten,
  tables: readonly StoredTable[],
): Promise<PreparedQuery> {
  const returned = await describeResult(connection, query, rewritten.sql);
  requireDeclared(query, [...returned.values()]);
  const columns = outputColumns(query, returned);
  const selectOutput = buildSelectOutput(columns, query.maxRows);
  const renderRecord: RenderRecord = (name, record) => {
    const column = columns.find((candidate) => sameName(candidate.name, name));
    return column === undefined ? 'NULL' : wireRecord(record, column.type);
  };

  const plans = new LRUCache<string, Plan>({ max: maxPlans });
  return {
    columns,
    generic: selectOutput(rewritten.sql, []),
    plan(parameters) {
      const inlined = inlinedParameters(query, parameters);
      const key = JSON.stringify(inlined);
      const cached = plans.get(key);
      if (cached !== undefined) return cached;
      const { custom } = rewrite(query, tables, inlined, renderRecord);
      const plan = { ...custom, sql: selectOutput(custom.sql, custom.columns) };
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

interface OutputColumn extends WireColumn, WireCell {
  readonly type: DuckDBType;
}

const outputColumns = (
  { columns }: SavedQuery,
  returned: ReadonlyMap<string, ReturnedColumn>,
): readonly OutputColumn[] =>
  columns.flatMap(({ name, required }) => {
    const type = returned.get(name.toLowerCase())?.type;
    return type === undefined ? [] : { name, required, type, ...wireCell(quote(name), type) };
  });

/** The name of the subquery whose columns the outer select list converts to JSON. */
const inner = '"inner"';

/**
 * @returns a function that adds the select list that converts to JSON; it must be given the columns that are shredded
 * or rendered
 */
function buildSelectOutput(
  columns: readonly OutputColumn[],
  maxRows: number,
): (sql: string, stored: readonly StoredColumn[]) => string {
  const outputSql = ({ sql, type }: OutputColumn, stored: StoredColumn | undefined): string => {
    if (stored?.rendered) return quote(stored.name);
    if (stored?.fields === undefined) return sql;
    return wireRecord({ owner: inner, path: stored.name, fields: stored.fields, table: undefined }, type);
  };
  return (sql, stored) => {
    const list = columns.map((column) =>
      outputSql(
        column,
        stored.find(({ name }) => sameName(name, column.name)),
      ),
    );
    // One row more than the maximum shows that the result is truncated.
    return `SELECT ${list.join(', ')} FROM (${sql}\n) AS ${inner} LIMIT ${maxRows + 1}`;
  };
}

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
