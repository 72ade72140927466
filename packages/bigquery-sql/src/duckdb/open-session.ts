import type { DuckDBConnection } from '@duckdb/node-api';
import { userParameter } from '../tree/own-parameters.ts';
import type { StoredTable } from '../tree/stored-table.ts';
import { type ParameterType, quote, type TypedParameter, unknown } from '../types.ts';
import { bigqueryType } from './bigquery-type.ts';
import type { ParameterValue } from './bindings.ts';
import { buildCompute } from './compute-constants.ts';
import { shareHostFunctions } from './host/host-functions.ts';
import { HostWork, sessionLimits } from './host/host-work.ts';
import { keepByteOrderMarks } from './keep-byte-order-marks.ts';
import type { Failure, Outcome } from './outcome.ts';
import { explainStatement, runStatement, type Statement } from './run-statement.ts';
import { sessionSettings } from './session-settings.ts';

/** A value of a parameter, with the type of BigQuery that it has in the SQL; a list is an ARRAY. */
export type Value =
  /** STRING. */
  | string
  /** BOOL. */
  | boolean
  /** INT64. */
  | bigint
  /** INT64 if it is an integer, otherwise FLOAT64. */
  | number
  /** TIMESTAMP. */
  | Date;

/** How a session differs from the default. */
export interface SessionOptions {
  /** The tables that queries may read; by default those of the connection's current schema, as they are at each query. */
  readonly tables?: readonly StoredTable[];
  /** The value of CURRENT_TIMESTAMP(). */
  readonly now?: () => Date;
  /** The value of SESSION_USER(). By default queries that call it are refused. */
  readonly user?: string;
}

/** How one query runs. */
export interface RunOptions {
  /** Values for `@name`. */
  readonly parameters?: Readonly<Record<string, Value | readonly Value[]>>;
  /** By default a query has no time limit. */
  readonly timeoutMs?: number;
  /** Rows beyond these are not read; by default all are. */
  readonly maxRows?: number;
}

/** Runs BigQuery's SQL on a connection of DuckDB, one query at a time. */
export interface Session {
  /**
   * The rows of a query, or why it failed: an object with `columns` and `rows`, or one with `error`. It does not throw.
   */
  run(sql: string, options?: RunOptions): Promise<Outcome>;
  /** How a query would run: its SQL for DuckDB with and without passes, and what each pass does. It does not throw. */
  explain(sql: string, options?: Pick<RunOptions, 'parameters'>): Promise<Outcome>;
}

/**
 * Prepares a connection for BigQuery's SQL: its settings (time zone UTC, order of NULLs), and functions and macros in the
 * schema `bq` of its database, or, if that is a file, in a database `bq` in memory. The connection stays the caller's, who
 * closes it.
 */
export async function openSession(
  connection: DuckDBConnection,
  { tables, now = () => new Date(), user }: SessionOptions = {},
): Promise<Session> {
  keepByteOrderMarks();
  const works = await shareHostFunctions(connection);
  const { connectionId } = connection.clientContext;
  await connection.run(sessionSettings.join(';'));
  await makeMacroHome(connection);
  const definedMacros = new Set(await definedCallees(connection));
  const compute = buildCompute(connection, (sql) => connection.prepare(sql));
  const context = async () => {
    const current = tables ?? (await storedTables(connection));
    return { connection, compute, now, definedMacros, hasMacroHome: true, tables: () => current };
  };
  const statementOf = (sql: string, parameters: RunOptions['parameters'] = {}) =>
    toStatement(sql, user === undefined ? parameters : { ...parameters, [userParameter]: user });
  return {
    run: async (sql, { parameters, timeoutMs = maxTimeoutMs, maxRows = Number.MAX_SAFE_INTEGER } = {}) => {
      const statement = statementOf(sql, parameters);
      if ('error' in statement) return statement;
      const work = new HostWork({
        ...sessionLimits,
        chunkMs: Math.min(timeoutMs, sessionLimits.chunkMs),
        totalMs: timeoutMs,
      });
      works.set(connectionId, work);
      try {
        return await runStatement(await context(), statement, { timeoutMs, maxRows });
      } finally {
        works.delete(connectionId);
        work.end();
      }
    },
    explain: async (sql, { parameters } = {}) => {
      const statement = statementOf(sql, parameters);
      return 'error' in statement ? statement : explainStatement(await context(), statement);
    },
  };
}

/** The longest time that a timer of Node can have. */
const maxTimeoutMs = 2 ** 31 - 1;

/** The tables and views of a connection's current schema, with the types of BigQuery that hold their values. */
export async function storedTables(connection: DuckDBConnection): Promise<readonly StoredTable[]> {
  const names = [
    ...(await namesIn(connection, 'duckdb_tables()', 'table_name')),
    ...(await namesIn(connection, 'duckdb_views()', 'view_name')),
  ];
  const tables: StoredTable[] = [];
  for (const name of names) {
    const empty = await connection.run(`SELECT * FROM ${quote(name)} LIMIT 0`);
    const types = empty.columnTypes().map(bigqueryType);
    const columns = empty.columnNames().map((column, at) => ({ name: column, type: types[at] ?? unknown }));
    tables.push({ name, fields: [], columns });
  }
  return tables;
}

/** A file may be read-only, and one of DuckDB's default version takes no parameters with types in macros. */
async function makeMacroHome(connection: DuckDBConnection): Promise<void> {
  const [isFile] = await firstColumn(
    connection,
    `SELECT path FROM duckdb_databases() WHERE database_name = current_database() AND path IS NOT NULL
     AND NOT EXISTS (FROM duckdb_schemas() WHERE database_name = current_database() AND schema_name = 'bq')`,
  );
  await connection.run(
    isFile === undefined
      ? 'CREATE SCHEMA IF NOT EXISTS bq'
      : "ATTACH IF NOT EXISTS ':memory:' AS bq (READ_WRITE)",
  );
}

/** The macros that a database has, as they are called. */
async function definedCallees(connection: DuckDBConnection): Promise<readonly string[]> {
  const names = await firstColumn(
    connection,
    `SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal
     AND (database_name = 'bq' OR (database_name = current_database() AND schema_name = 'bq'))`,
  );
  return names.map((name) => (/^\w+$/.test(name) ? `bq.${name}` : `bq."${name}"`));
}

/** The names in a catalog table of DuckDB that belong to the current schema. */
const namesIn = (connection: DuckDBConnection, table: string, column: string): Promise<readonly string[]> =>
  firstColumn(
    connection,
    `SELECT DISTINCT ${column} FROM ${table}
     WHERE NOT internal AND database_name = current_database() AND schema_name = current_schema()`,
  );

async function firstColumn(connection: DuckDBConnection, sql: string): Promise<readonly string[]> {
  const rows = await connection.runAndReadAll(sql);
  return rows.getRows().map(([value]) => String(value));
}

function toStatement(sql: string, parameters: NonNullable<RunOptions['parameters']>): Statement | Failure {
  const [message] = Object.entries(parameters).flatMap(
    ([name, given]) => parameterProblem(name, given) ?? [],
  );
  if (message !== undefined) return { error: { stage: 'refused', message, line: 1, column: 1 } };
  const entries = Object.entries(parameters).map(([name, given]) => {
    const isList = Array.isArray(given);
    const values: readonly Value[] = isList ? given : [given as Value];
    const declared: TypedParameter = { name, bind: commonType(values), repeated: isList };
    const texts = values.map(textOf);
    return { name, declared, value: isList ? texts : (texts[0] ?? '') };
  });
  return {
    sql,
    parameters: Object.fromEntries(entries.map(({ name, value }) => [name, value satisfies ParameterValue])),
    declared: entries.map(({ declared }) => declared),
  };
}

/** Why a value of JavaScript is not one of a parameter. */
function parameterProblem(name: string, given: unknown): string | undefined {
  const values: readonly unknown[] = Array.isArray(given) ? given : [given];
  const wrong = values.flatMap((value) => valueProblem(value) ?? [])[0];
  if (wrong !== undefined) return `parameter @${name}: ${wrong}`;
  const types = [...new Set((values as readonly Value[]).map(typeOf))];
  if (types.length < 2 || types.every((type) => type === 'INT64' || type === 'FLOAT64')) return undefined;
  return `parameter @${name}: its values are ${types.join(' and ')}; all values of a list have one type`;
}

function valueProblem(value: unknown): string | undefined {
  if (value instanceof Date) {
    const year = value.getUTCFullYear();
    return year >= 1 && year <= 9999 ? undefined : 'its Date is not in the years 1 to 9999';
  }
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) !== value)
    return `${value} is beyond INT64: give it as a string and CAST it AS BIGNUMERIC`;
  if (['string', 'boolean', 'bigint', 'number'].includes(typeof value)) return undefined;
  if (value === null || value === undefined) return `${value} has no type: write NULL in the SQL`;
  if (value instanceof Uint8Array) return 'BYTES are given as base64 text: write FROM_BASE64(@…)';
  return 'it must be a string, a boolean, a number, a bigint, a Date, or a list of such values';
}

function commonType(values: readonly Value[]): ParameterType {
  const types = new Set(values.map(typeOf));
  if (types.size === 2 && types.has('INT64') && types.has('FLOAT64')) return 'FLOAT64';
  return [...types][0] ?? 'STRING';
}

function typeOf(value: Value): ParameterType {
  if (value instanceof Date) return 'TIMESTAMP';
  if (typeof value === 'boolean') return 'BOOL';
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return 'INT64';
  return typeof value === 'number' ? 'FLOAT64' : 'STRING';
}

const textOf = (value: Value): string =>
  value instanceof Date ? value.toISOString().replace('Z', '000Z') : String(value);
