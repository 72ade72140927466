import type { DuckDBMaterializedResult, DuckDBValue } from '@duckdb/node-api';
import { compile } from '../../src/engine/dialect/compile.ts';
import { duckdbText } from '../../src/engine/dialect/passes/duckdb-text.ts';
import { runPasses } from '../../src/engine/dialect/passes/passes.ts';
import { freshNames } from '../../src/engine/dialect/tree/fresh-names.ts';
import { type Plan, printPlan } from '../../src/engine/duckdb/prepare/plan.ts';
import { buildCompute, withThresholds } from '../../src/engine/duckdb/run/compute-constants.ts';
import { type Bindings, bindingsOf, bindTo } from '../../src/engine/duckdb/wire/bindings.ts';
import { openDialectDatabase } from '../../test/support/dialect-database.ts';
import { isSame } from '../compare.ts';
import type { Table } from '../table.ts';
import type { Answer } from '../values.ts';
import { answerOf, failure } from './answer.ts';
import { createTable } from './create-table.ts';
import { shredTables } from './shred-tables.ts';

/** The dialect under test: BigQuery SQL, rewritten and run on a DuckDB with the dialect's macros. */
export interface LocalEngine {
  /** @param parameters values for `@name`, all STRING, as the service binds them */
  evaluate(sql: string, parameters?: Readonly<Record<string, string>>): Promise<Answer>;
  close(): Promise<void>;
}

/** Most cases take a millisecond; one that takes this long, even on a loaded machine, is a defect. */
const timeoutMs = 10_000;

export async function openLocalEngine(tables: readonly Table[] = []): Promise<LocalEngine> {
  const { connection, close } = await openDialectDatabase({ threads: '1', memory_limit: '2GB' });
  for (const table of tables) await connection.run(createTable(table));

  const shredded = await shredTables(connection, tables);
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const deadline = setTimeout(() => connection.interrupt(), timeoutMs);
    try {
      return await work();
    } finally {
      clearTimeout(deadline);
    }
  };
  const run = (sql: string, parameters: Readonly<Record<string, DuckDBValue>>) =>
    inTime(async () => {
      const prepared = await connection.prepare(sql);
      const names = Array.from({ length: prepared.parameterCount }, (_, at) =>
        prepared.parameterName(at + 1),
      );
      // Names of parameters are case-insensitive; DuckDB reports one without a value.
      const given = new Map(Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), value]));
      const values = names.flatMap((name) => {
        const value = given.get(name.toLowerCase());
        return value === undefined ? [] : [[name, value] as const];
      });
      if (values.length > 0) prepared.bind(Object.fromEntries(values));
      return prepared.run();
    });
  const compute = buildCompute(connection, (sql) => connection.prepare(sql));
  const runBound = (sql: string, bindings: Bindings) =>
    inTime(async () => {
      const prepared = await connection.prepare(sql);
      bindTo(prepared, bindings);
      return prepared.run();
    });
  /** Runs the custom plan as the service does: over shredded tables, with constants computed first. */
  const runAsServed = async (
    plan: Plan,
    generic: string,
    parameters: Readonly<Record<string, string>>,
    now: Date,
  ): Promise<DuckDBMaterializedResult> => {
    const given = bindingsOf(parameters, now);
    const computed = await inTime(() => compute(plan.constants, given)).catch(() => undefined);
    if (computed === undefined) return runBound(generic, given);
    const known = await withThresholds(plan.thresholds, computed, runBound);
    return runBound(plan.sql, known);
  };

  return {
    async evaluate(sql, parameters = {}) {
      try {
        const source = { file: 'case', line: 1 };
        const now = new Date();
        const values = { ...parameters, current_timestamp: now.toISOString() };
        const compiled = compile({ sql, source }, tables);
        const declared = duckdbText(compiled.query);
        const plain = await answerOf(() => run(declared, values), compiled.columns);
        const { query, columns } = compile({ sql, source }, shredded);
        const generic = duckdbText(query);
        const passed = runPasses(query, { known: parameters, fresh: freshNames(query) }, withoutPasses);
        const plan = printPlan(passed);
        // Most of the twenty thousand cases read no table.
        const isSameText =
          generic === declared &&
          plan.sql === declared &&
          !plan.constants.some(({ timeExpression }) => timeExpression);
        if (isSameText || isVolatile.test(sql)) return plain;
        const asServed = await answerOf(() => runAsServed(plan, generic, parameters, now), columns);
        if (isSame(plain, asServed, false)) return plain;
        return { error: `as it is served: ${JSON.stringify(asServed, asText)}`, stage: 'broken' };
      } catch (error) {
        return failure(error);
      }
    },
    close: async () => close(),
  };
}

/** Passes that a run leaves out: `WITHOUT_PASSES='prune columns,top n first'`. */
const withoutPasses = new Set((process.env.WITHOUT_PASSES ?? '').split(',').filter((name) => name !== ''));

const isVolatile = /\b(rand|generate_uuid|current_\w+|session_user)\b/i;
const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
