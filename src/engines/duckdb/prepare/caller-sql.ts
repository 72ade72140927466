import type { DuckDBConnection } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { BoundValues } from '../../../catalog/binding/bind.ts';
import { judged } from '../../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { ResultColumn } from '../../../catalog/model/header-types.ts';
import { calledMacros, callerPlan, genericPlan, type Plan } from '@querygate/bigquery-sql/duckdb';
import type { JudgedSql, Sandbox } from '@querygate/bigquery-sql/sandbox';
import type { WireColumn } from '../wire/rows.ts';
import { callerColumns, columnTypes } from './caller-columns.ts';
import { memoizePlans } from './plans.ts';

/** Prepares a caller's SQL. @throws GatewayError INVALID_PARAMETER if it is not one SELECT over the common tables */
export type PrepareCallerSql = (sql: string) => CallerSql;

/** A caller's SQL that may run. */
interface CallerSql {
  /** The stored tables that it reads. */
  readonly tables: readonly string[];
  readonly macros: readonly string[];
  /**
   * The SQL for DuckDB and the columns of the result. The macros must be defined.
   *
   * @param connection plans the SQL if the compiler does not know the types of its columns
   */
  prepare(connection: DuckDBConnection): Promise<PreparedCallerSql>;
}

interface PreparedCallerSql {
  readonly columns: readonly WireColumn[];
  readonly resultColumns: readonly ResultColumn[];
  readonly generic: string;
  /** Its constants are times, which are computed without the database. */
  plan(parameters: BoundValues): Plan;
}

/** How many texts are kept for each saved query: callers choose them, so they must not take much memory. */
const maxTexts = 50;

/** How many plans of one text are kept. */
const maxPlans = 4;

export function buildPrepareCallerSql(query: SavedQuery, sandbox: Sandbox): PrepareCallerSql {
  const recent = new LRUCache<string, CallerSql>({ max: maxTexts });
  return (sql) => {
    const known = recent.get(sql);
    if (known !== undefined) return known;
    const prepared = prepareCallerSql(
      query,
      judged(() => sandbox.judge(sql)),
    );
    recent.set(sql, prepared);
    return prepared;
  };
}

function prepareCallerSql(query: SavedQuery, { compiled }: JudgedSql): CallerSql {
  let prepared: Promise<PreparedCallerSql> | undefined;
  const prepare = async (connection: DuckDBConnection): Promise<PreparedCallerSql> => {
    const { columns, resultColumns } = callerColumns(await columnTypes(connection, compiled));
    return {
      columns,
      resultColumns,
      generic: genericPlan(compiled.query, columns, query.maxRows),
      plan: memoizePlans(query, maxPlans, (known) =>
        callerPlan(compiled.query, columns, query.maxRows, known),
      ),
    };
  };
  return {
    tables: compiled.tables,
    macros: calledMacros(compiled.query),
    prepare(connection) {
      prepared ??= prepare(connection).catch((error: unknown) => {
        prepared = undefined;
        throw error;
      });
      return prepared;
    },
  };
}
