import type { TypedParameter } from '../../src/types.ts';
import type { DuckDBMaterializedResult, DuckDBPreparedStatement } from '@duckdb/node-api';
import { compile } from '../../src/compile.ts';
import { duckdbText } from '../../src/passes/duckdb-text.ts';
import type { KnownValues } from '../../src/passes/pass.ts';
import { runPasses } from '../../src/passes/passes.ts';
import { readStored, schemaTables } from '../../src/rules/from/table-relations.ts';
import { userParameter } from '../../src/tree/own-parameters.ts';
import { freshNames } from '../../src/tree/fresh-names.ts';
import { type Plan, printPlan } from '../../src/duckdb/plan.ts';
import { buildCompute } from '../../src/duckdb/compute-constants.ts';
import { type Bindings, bindingsOf, bindTo, type ParameterValues } from '../../src/duckdb/bindings.ts';
import { openDialectDatabase } from '../../test/support/dialect-database.ts';
import { isSame } from '../compare.ts';
import type { Parameters } from '../parameters.ts';
import type { Table } from '../table.ts';
import { type Answer, showAnswer } from '../values.ts';
import { answerOf, failure } from './answer.ts';
import { createTable } from './create-table.ts';
import { shredTables } from './shred-tables.ts';

/** The dialect under test: BigQuery SQL, rewritten and run on a DuckDB with the dialect's macros. */
export interface LocalEngine {
  /** The answer if it is the same in both ways; otherwise an error that shows the second one. */
  evaluate(sql: string, parameters?: Parameters): Promise<Answer>;
  /** Without any pass over tables as they are declared, and over tables as they are stored, as the service runs it. */
  evaluateBoth(
    sql: string,
    parameters?: Parameters,
  ): Promise<{ readonly plain: Answer; readonly served: Answer }>;
  close(): Promise<void>;
}

/** Most cases take a millisecond; one that takes this long, even on a loaded machine, is a defect. */
const timeoutMs = 10_000;

export async function openLocalEngine(tables: readonly Table[] = []): Promise<LocalEngine> {
  const { connection, close } = await openDialectDatabase({ threads: '1', memory_limit: '2GB' });
  for (const table of tables) await connection.run(createTable(table));

  const shredded = await shredTables(connection, tables);
  const schemas = schemaTables(tables);
  const inTime = async <T>(work: () => Promise<T>): Promise<T> => {
    const deadline = setTimeout(() => connection.interrupt(), timeoutMs);
    try {
      return await work();
    } finally {
      clearTimeout(deadline);
    }
  };
  // DuckDB keeps the memory of a statement until it is destroyed.
  const statements: DuckDBPreparedStatement[] = [];
  const prepare = async (sql: string) => {
    const statement = await connection.prepare(sql);
    statements.push(statement);
    return statement;
  };
  const run = (sql: string, bindings: Bindings) =>
    inTime(async () => {
      const prepared = await prepare(sql);
      requireAll(prepared, bindings);
      bindTo(prepared, bindings);
      return prepared.run();
    });
  const compute = buildCompute(connection, prepare);
  /** Runs the custom plan as the service does: over shredded tables, with constants computed first. */
  const runAsServed = async (
    plan: Plan,
    generic: string,
    given: Bindings,
  ): Promise<DuckDBMaterializedResult> => {
    const computed = await inTime(() => compute(plan.constants, given)).catch(() => undefined);
    return computed === undefined ? run(generic, given) : run(plan.sql, computed);
  };

  const evaluateBoth: LocalEngine['evaluateBoth'] = async (sql, parameters = {}) => {
    try {
      const source = { file: 'case', line: 1 };
      const declared = declaredParameters(parameters);
      const bindings = bindingsOf(boundValues(parameters), new Date(), declared);
      const { query: overTables, columns } = compile({ sql, source, parameters: declared }, schemas);
      const plainSql = duckdbText(overTables);
      const plain = await answerOf(() => run(plainSql, bindings), columns);
      const query = readStored(overTables, shredded);
      const generic = duckdbText(query);
      const options = { known: knownValues(parameters), fresh: freshNames(query) };
      const plan = printPlan(runPasses(query, options, withoutPasses));
      // Most of the twenty thousand cases read no table.
      const isSameText =
        generic === plainSql &&
        plan.sql === plainSql &&
        !plan.constants.some(({ timeExpression }) => timeExpression);
      if (isSameText || isVolatile.test(sql)) return { plain, served: plain };
      return { plain, served: await answerOf(() => runAsServed(plan, generic, bindings), columns) };
    } catch (error) {
      const failed = failure(error);
      return { plain: failed, served: failed };
    } finally {
      for (const statement of statements.splice(0)) statement.destroySync();
    }
  };

  return {
    evaluateBoth,
    async evaluate(sql, parameters) {
      const { plain, served } = await evaluateBoth(sql, parameters);
      if (isSame(plain, served, false)) return plain;
      return { error: `as it is served: ${showAnswer(served)}`, stage: 'broken' };
    },
    close: async () => close(),
  };
}

/** The service binds '' where a value is missing; in a case that is an error. */
function requireAll(prepared: DuckDBPreparedStatement, bindings: Bindings): void {
  const given = new Set([...bindings.keys()].map((name) => name.toLowerCase()));
  for (let at = 1; at <= prepared.parameterCount; at += 1)
    if (!given.has(prepared.parameterName(at).toLowerCase()))
      throw new Error(`no parameter is named ${prepared.parameterName(at)}`);
}

const declaredParameters = (parameters: Parameters): readonly TypedParameter[] =>
  Object.entries(parameters).map(([name, value]) =>
    typeof value === 'string'
      ? { name, bind: 'STRING' }
      : { name, bind: value.type, repeated: Array.isArray(value.value) },
  );

/** As the service binds them: an empty text is NULL, unless it is a STRING. */
const boundValues = (parameters: Parameters): ParameterValues =>
  Object.fromEntries([
    ...Object.entries(parameters).map(
      ([name, value]) => [name, typeof value === 'string' ? value : (value.value ?? '')] as const,
    ),
    [userParameter, 'Ada'],
  ]);

/** What the service knows of the parameters of a custom plan: texts, and which are NULL. */
function knownValues(parameters: Parameters): KnownValues {
  const known: Record<string, string | null> = {};
  for (const [name, given] of Object.entries(parameters)) {
    const { type, value } = typeof given === 'string' ? { type: 'STRING', value: given } : given;
    if (value === null || (type === 'STRING' && typeof value === 'string')) known[name] = value;
  }
  return known;
}

/** Passes that a run leaves out: `WITHOUT_PASSES='prune columns,top n first'`. */
const withoutPasses = new Set((process.env.WITHOUT_PASSES ?? '').split(',').filter((name) => name !== ''));

const isVolatile = /\b(rand|generate_uuid|current_\w+|session_user)\b/i;
