import type { DuckDBConnection, DuckDBMaterializedResult, DuckDBPreparedStatement } from '@duckdb/node-api';
import { compile } from '../../src/compile.ts';
import { hoist } from '../../src/passes/constants/hoist.ts';
import { duckdbText } from '../../src/passes/duckdb-text.ts';
import { runPasses } from '../../src/passes/passes.ts';
import type { StoredTable } from '../../src/tree/stored-table.ts';
import { freshNames } from '../../src/tree/fresh-names.ts';
import type { Query } from '../../src/tree/nodes.ts';
import { printQuery } from '../../src/tree/print.ts';
import { printPlan } from '../../src/duckdb/plan.ts';
import { buildCompute } from '../../src/duckdb/compute-constants.ts';
import { type Bindings, bindingsOf, bindTo } from '../../src/duckdb/bindings.ts';
import { answerOf } from '../local/answer.ts';
import type { Answer } from '../values.ts';

/** A query of BigQuery with the values of its parameters, all STRING. */
export interface Statement {
  readonly subject: string;
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** True if it only computes an expression of constants. */
  readonly isExpression: boolean;
}

/** A statement as DuckDB runs it: a tree with values to bind. */
export interface Form {
  readonly statement: Statement;
  readonly query: Query;
  readonly bindings: Bindings;
}

export interface Forms {
  /** A statement without passes, and with all of them and computed constants; none if it is refused. */
  of(statement: Statement): Promise<readonly Form[]>;
  run(query: Query, bindings: Bindings): Promise<Answer>;
}

/** @param timeoutMs of a statement; most take a millisecond */
export function buildForms(
  connection: DuckDBConnection,
  tables: readonly StoredTable[],
  now: Date,
  timeoutMs = 10_000,
): Forms {
  const compute = buildCompute(connection, (sql) => connection.prepare(sql));

  const runText = async (prepared: DuckDBPreparedStatement): Promise<DuckDBMaterializedResult> => {
    const deadline = setTimeout(() => connection.interrupt(), timeoutMs);
    try {
      return await prepared.run();
    } finally {
      clearTimeout(deadline);
    }
  };

  const run = async (query: Query, bindings: Bindings): Promise<Answer> => {
    let prepared: DuckDBPreparedStatement | undefined;
    try {
      return await answerOf(async () => {
        prepared = await connection.prepare(duckdbText(query));
        bindTo(prepared, bindings);
        return runText(prepared);
      });
    } finally {
      // DuckDB keeps the memory of a statement until then.
      prepared?.destroySync();
    }
  };

  const withPasses = async (query: Query, bindings: Bindings) => {
    const passed = runPasses(query, { known: {}, fresh: freshNames(query) });
    const { constants } = printPlan(passed);
    try {
      return { query: hoist(passed).query, bindings: await compute(constants, bindings) };
    } catch {
      // A constant that fails is computed where it is used: by the form without passes.
      return undefined;
    }
  };

  return {
    async of(statement) {
      const { sql, parameters } = statement;
      const bindings = bindingsOf(parameters, now);
      let query: Query;
      try {
        ({ query } = compile({ sql, source: { file: 'statement', line: 1 } }, tables));
      } catch {
        return [];
      }
      const passed = await withPasses(query, bindings);
      const isOther = passed && printQuery(passed.query) !== printQuery(query);
      return [{ query, bindings }, ...(isOther ? [passed] : [])].map((form) => ({ statement, ...form }));
    },
    run,
  };
}
