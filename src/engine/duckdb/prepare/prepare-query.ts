import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { Column, SavedQuery } from '../../../catalog/saved-query.ts';
import { StartError } from '../../../errors.ts';
import { checkColumns } from '../../check-columns.ts';
import type { HoistedConstants } from '../../dialect/passes/hoist-constants.ts';
import type { StoredColumn } from '../../dialect/passes/shredded.ts';
import { type Rewritten, rewrite, type StoredTable } from '../../dialect/rewrite.ts';
import type { RenderRecord } from '../../dialect/scope.ts';
import { quote, sameName } from '../../dialect/types.ts';
import { type WireCell, wireCell } from '../wire/cell.ts';
import { wireRecord } from '../wire/record.ts';
import { toResultColumn } from './result-column.ts';

/** A saved query as DuckDB runs it. */
export interface PreparedQuery {
  readonly columns: readonly (Column & Pick<WireCell, 'json'>)[];
  /** For all values of its parameters. */
  readonly generic: string;
  /** The names that `general` binds. */
  readonly parameters: readonly string[];
  /** How the query is run for some values: planned sooner than the general text, of the same outcome. */
  plan(parameters: Readonly<Record<string, string>>): Plan;
}

/** How many combinations of enum values and absent parameters are kept rewritten. */
const maxPlans = 200;

/** The query whose columns are made those of the wire. */
const inner = '"inner"';

/** A query that binds constants and thresholds beside its parameters. */
export type Plan = HoistedConstants;

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
  const statement = await describe(connection, query, rewritten.sql);
  const returned = new Map(
    Array.from({ length: statement.columnCount }, (_, at) => {
      const [name, type] = [statement.columnName(at), statement.columnType(at)];
      return [name.toLowerCase(), { type, column: toResultColumn(name, type) }];
    }),
  );
  statement.destroySync();
  const differences = checkColumns(
    query.columns,
    [...returned.values()].map(({ column }) => column),
  );
  if (differences.length > 0) {
    const problems = differences.map((message) => ({ ...query.source, message }));
    throw new StartError('The SQL of a saved query does not return the declared columns', problems);
  }
  const cells = query.columns.map(({ name }) => {
    const type = returned.get(name.toLowerCase())?.type;
    return type && { ...wireCell(quote(name), type), type };
  });

  const tell: RenderRecord = (name, record) => {
    const cell = cells[query.columns.findIndex((column) => sameName(column.name, name))];
    return cell ? wireRecord(record, cell.type) : 'NULL';
  };
  const told = ({ name, fields, rendered: told }: StoredColumn): string | undefined => {
    if (told) return quote(name);
    return fields && tell(name, { owner: inner, path: name, fields, table: undefined });
  };
  // One row more than may be told, so that a cut is known.
  const wired = (sql: string, given: readonly StoredColumn[]) => {
    const selected = query.columns.map(({ name }, at) => {
      const column = given.find((one) => sameName(one.name, name));
      return (column && told(column)) ?? cells[at]?.sql ?? 'NULL';
    });
    return `SELECT ${selected.join(', ')} FROM (${sql}\n) AS ${inner} LIMIT ${query.maxRows + 1}`;
  };
  const plans = new LRUCache<string, Plan>({ max: maxPlans });
  return {
    columns: query.columns.map((column, at) => ({ ...column, json: cells[at]?.json ?? String })),
    generic: wired(rewritten.sql, []),
    parameters: rewritten.parameters,
    plan(parameters) {
      const known = fewValued(query, parameters);
      const key = JSON.stringify(known);
      const plan = plans.get(key) ?? planFor(rewrite(query, tables, known, tell), wired);
      plans.set(key, plan);
      return plan;
    },
  };
}

const planFor = (
  { custom: quick }: Rewritten,
  wired: (sql: string, columns: readonly StoredColumn[]) => string,
): Plan => ({ ...quick, sql: wired(quick.sql, quick.columns) });

/** The parameters that have few values, or none: the query is rewritten for each combination that is asked for. */
const fewValued = (
  { parameters: declared }: SavedQuery,
  parameters: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    declared
      .map(({ name, type }) => ({ name, type, value: parameters[name] ?? '' }))
      .filter(({ type, value }) => type === 'enum' || value === '')
      .map(({ name, value }) => [name, value]),
  );

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
