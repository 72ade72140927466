/** BigQuery's SQL on DuckDB: parsed, typed, compiled to DuckDB's SQL, and run on a connection. */
import type { DuckDBConnection } from '@duckdb/node-api';
import { columnOrigin } from './analysis/column-origin.ts';
import { isNeverNull } from './analysis/never-null.ts';
import { compile as compileTree, parse as parseStatement, requireNow } from './compile.ts';
import type { Session, SessionOptions } from './duckdb/open-session.ts';
import { sessionSettings } from './duckdb/session-settings.ts';
import { calledMacros } from './macros/called-macros.ts';
import { macroDefinitions } from './macros/macros.ts';
import { duckdbText } from './passes/duckdb-text.ts';
import { passes, runPasses } from './passes/passes.ts';
import { schemaTables } from './rules/from/table-relations.ts';
import type * as Syntax from './syntax/nodes.ts';
import { freshNames } from './tree/fresh-names.ts';
import type { Query } from './tree/nodes.ts';
import type { StoredTable } from './tree/stored-table.ts';
import { describeType, type TypedParameter } from './types.ts';

export type { RunOptions, Session, SessionOptions, Value } from './duckdb/open-session.ts';
export type { Cell, Explanation, Failure, Outcome, PassEffect, Result } from './duckdb/outcome.ts';
export type { DataRow } from './files/data-row.ts';
export { describeProblem, type Problem, ProblemError } from './problem.ts';
export type { Field, FieldType, TableSchema } from './table-schema.ts';
export type { StoredColumn, StoredTable } from './tree/stored-table.ts';
export type { ParameterType, TypedParameter } from './types.ts';

/** The tables and parameters that a query may use, and its file in problems. */
export interface QueryOptions {
  /** The tables that it may read. None by default. */
  readonly tables?: readonly StoredTable[];
  /** The types of its parameters; those that are not declared are STRING. */
  readonly parameters?: readonly TypedParameter[];
  /** The file of problems; `sql` by default. */
  readonly file?: string;
}

/** A column that a query returns. */
export interface AnalyzedColumn {
  /** Names may repeat. */
  readonly name: string;
  /** In BigQuery's syntax: `ARRAY<STRUCT<id INT64>>`. */
  readonly type: string;
  /** True if it surely is never NULL. */
  readonly required: boolean;
  /** The table and the path of the field whose values it has, unchanged; undefined if it is computed. */
  readonly origin: { readonly table: string; readonly path: readonly string[] } | undefined;
}

/** A query whose names and types are resolved. */
export interface Analysis {
  readonly columns: readonly AnalyzedColumn[];
  /** The names of the tables that it reads. */
  readonly tables: readonly string[];
  /** The typed tree; `@querygate/bigquery-sql/tree` has what walks, changes and prints it. */
  readonly tree: Query;
}

/** A query as DuckDB runs it. */
export interface CompiledQuery extends Analysis {
  /** For DuckDB. `@name` is `$name`; the time of the query is `$current_timestamp`. */
  readonly sql: string;
  /** Statements that a connection runs once before: settings, and the macros that the query calls. */
  readonly setup: readonly string[];
}

/** The options of a query, and of its compilation. */
export interface CompileOptions extends QueryOptions {
  /** The names of passes that are left out. */
  readonly without?: readonly string[];
}

/**
 * The names of the passes that make a query cheaper to run, in their order. Each gives the same rows, and can be left out.
 */
export const passNames: readonly string[] = Object.keys(passes);

/**
 * A query as it is written, with the offsets of each node.
 *
 * @param file names the SQL in problems
 * @throws ProblemError with the line and the column of the text that is not GoogleSQL
 */
export const parse = (sql: string, file = 'sql'): Syntax.Statement => parseStatement(sql, { file, line: 1 });

/**
 * Resolves the names and types of a query, without a database.
 *
 * @throws ProblemError with every part of the query that is wrong or unsupported, by line and column
 */
export function analyze(
  sql: string,
  { tables = [], parameters = [], file = 'sql' }: QueryOptions = {},
): Analysis {
  const compiled = compileTree({ sql, source: { file, line: 1 }, parameters }, schemaTables(tables));
  return {
    columns: compiled.columns.map(({ name, type }, at) => ({
      name,
      type: describeType(type),
      required: isNeverNull(compiled.query, at),
      origin: columnOrigin(compiled.query, at),
    })),
    tables: compiled.tables,
    tree: compiled.query,
  };
}

/**
 * Compiles a query to one of DuckDB with the same rows, without a database. A connection that runs it by itself needs the
 * host functions too, which `openSession` registers.
 *
 * @throws ProblemError with every part of the query that is wrong or unsupported, by line and column
 */
export function compile(sql: string, { without = [], ...options }: CompileOptions = {}): CompiledQuery {
  const analysis = analyze(sql, options);
  const { tree } = analysis;
  requireNow(tree, { sql, source: { file: options.file ?? 'sql', line: 1 } });
  const passed = runPasses(tree, { known: {}, fresh: freshNames(tree) }, new Set(without));
  const macros = new Set([...calledMacros(tree), ...calledMacros(passed)]);
  const definitions = macroDefinitions(macros);
  return {
    ...analysis,
    sql: duckdbText(passed),
    setup: definitions === '' ? sessionSettings : [...sessionSettings, definitions],
  };
}

/**
 * Prepares a connection of `@duckdb/node-api` for BigQuery's SQL, and runs queries on it. Settings, host functions and the
 * macros that queries call (in the schema `bq`) are added to its database; the caller closes the connection.
 */
export async function openSession(connection: DuckDBConnection, options?: SessionOptions): Promise<Session> {
  // Only sessions need DuckDB's library.
  const session = await import('./duckdb/open-session.ts');
  return session.openSession(connection, options);
}
