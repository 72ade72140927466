import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { foldName } from '@querygate/text';
import { compile, type ListedView, parse, requireNow } from '../compile.ts';
import { dataRowOf } from '../files/data-row.ts';
import { calledMacros } from '../macros/called-macros.ts';
import { macroDefinitions } from '../macros/macros.ts';
import { duckdbText } from '../passes/duckdb-text.ts';
import { runPasses } from '../passes/passes.ts';
import { type Problem, ProblemError, problemAt, type Source } from '../problem.ts';
import type { RelationColumn } from '../rules/scope.ts';
import { walk } from '../syntax/walk.ts';
import { freshNames } from '../tree/fresh-names.ts';
import { forEachNode } from '../tree/map.ts';
import type { Query } from '../tree/nodes.ts';
import { userParameter } from '../tree/own-parameters.ts';
import { printQuery } from '../tree/print.ts';
import type { StoredTable } from '../tree/stored-table.ts';
import type { TypedParameter } from '../types.ts';
import { type Bindings, bindingsOf, bindTo, type ParameterValues } from './bindings.ts';
import { columnTypeText } from './column-types.ts';
import type { Compute } from './compute-constants.ts';
import type {
  Cell,
  Explanation,
  Failure,
  Outcome,
  PassEffect,
  Result,
  Stage,
  StatementProblem,
} from './outcome.ts';
import { type Plan, printPlan } from './plan.ts';
import { planProblem } from './plan-problem.ts';
import { toCell } from './result-cell.ts';
import { isOfValue, runProblem } from './run-problem.ts';

/** A statement in BigQuery's SQL. */
export interface Statement {
  readonly sql: string;
  /** Values for `@name`, all STRING but those that are declared. */
  readonly parameters: ParameterValues;
  readonly declared?: readonly TypedParameter[];
  readonly listedViews?: readonly ListedView[] | undefined;
}

/** The time and the rows that a statement may take. */
export interface RunLimits {
  readonly timeoutMs: number;
  readonly maxRows: number;
}

/** Everything that a session runs statements with. */
export interface StatementContext {
  readonly connection: DuckDBConnection;
  readonly compute: Compute;
  /** The tables in their current layout. */
  readonly tables: () => readonly StoredTable[];
  readonly now: () => Date;
  /** The macros that the database has. */
  readonly definedMacros: Set<string>;
  /** The SQL of a plan over those files of its tables that may have rows for the values of a run. */
  readonly sqlOverFiles?: (plan: Plan, bindings: Bindings) => string | Promise<string>;
  /** True if it is given, and tables can be read as they were at other times. */
  readonly hasSnapshots?: boolean;
  /** True if the database has a place for the macros, as `macroDefinitions` says. */
  readonly hasMacroHome?: boolean;
}

/** Runs a statement. It does not throw. */
export async function runStatement(
  context: StatementContext,
  statement: Statement,
  limits: RunLimits,
): Promise<Outcome> {
  const run = async () => {
    const translated = await translate(context, statement);
    return withTimeout(context.connection, limits.timeoutMs, async () => {
      const result = await execute(context, statement, translated);
      return readResult(result, translated, limits.maxRows);
    });
  };
  return withFailures(statement, () =>
    run().catch((error: unknown) => {
      // Macros are gone if they were defined in a transaction that was rolled back.
      if (!/Function with name .* does not exist/.test(String(error))) throw error;
      context.definedMacros.clear();
      return run();
    }),
  );
}

/** Explains a statement without running it. It does not throw. */
export async function explainStatement(context: StatementContext, statement: Statement): Promise<Outcome> {
  return withFailures(statement, async () => {
    const { generic, plan, query } = await translate(context, statement);
    const before = plan.constants.map(({ name, sql }) => `$${name} = ${sql}`);
    return {
      generic,
      custom: plan.sql,
      passes: [...passEffects(query), { name: 'hoist constants', effect: before.join('\n') || undefined }],
    };
  });
}

/** A statement that can run. */
interface Translated {
  readonly columns: readonly RelationColumn[];
  readonly generic: string;
  readonly plan: Plan;
  readonly query: Query;
}

async function translate(
  { connection, definedMacros, hasMacroHome, hasSnapshots = false, tables }: StatementContext,
  { sql, parameters, declared = [], listedViews }: Statement,
): Promise<Translated> {
  const source = { file: '', line: 1 };
  const given = { sql, source, parameters: declared, listedViews };
  if (sql.includes('@')) requireValues(given, parameters);
  const { query, columns } = compile(given, tables());
  if (!hasSnapshots) requireNow(query, given);
  requireUser(sql, query, parameters);
  const definitions = macroDefinitions(calledMacros(query), definedMacros, hasMacroHome);
  if (definitions !== '') await define(connection, definitions);
  const passed = runPasses(query, { known: {}, fresh: freshNames(query) });
  return { columns, generic: duckdbText(query), plan: printPlan(passed), query };
}

/** Another connection may define the same macros at the same time. */
async function define(connection: DuckDBConnection, definitions: string, triesLeft = 100): Promise<void> {
  try {
    await connection.run(definitions);
  } catch (error) {
    if (triesLeft === 0 || !/write-write conflict/.test(String(error))) throw error;
    await define(connection, definitions, triesLeft - 1);
  }
}

/** The effect of each pass on the tree that it gets from those before it. */
function passEffects(query: Query): Explanation['passes'] {
  const effects: PassEffect[] = [];
  runPasses(query, { known: {}, fresh: freshNames(query) }, new Set(), (name, before, after) => {
    const isChanged = before !== after && printQuery(before) !== printQuery(after);
    effects.push({ name, effect: isChanged ? 'changes the query' : undefined });
  });
  return effects;
}

/** Before it is compiled: a parameter without a value would be a STRING, and the only problem would be one of types. */
function requireValues(
  { sql, source }: { readonly sql: string; readonly source: Source },
  parameters: ParameterValues,
): void {
  const known = new Set(Object.keys(parameters).map((name) => foldName(name)));
  const problems: Problem[] = [];
  walk(parse(sql, source), (node) => {
    if (node.kind !== 'NamedParameter' || known.has(foldName(node.name.name))) return;
    const { name } = node.name;
    known.add(foldName(name));
    problems.push(problemAt(sql, source, node.start, `@${name} has no value; give it by -p ${name}=value`));
  });
  if (problems.length > 0) throw new ProblemError('A parameter has no value', problems);
}

function requireUser(sql: string, query: Query, parameters: Statement['parameters']): void {
  if (userParameter in parameters) return;
  forEachNode(query, (node) => {
    if (node.kind !== 'parameter' || node.name !== userParameter) return;
    const place = positionOf(sql, Math.max(0, sql.search(/session_user/i)));
    const message = 'SESSION_USER() needs a user: the key of a request, or an option of the session';
    throw new ProblemError('There is no user', [{ ...place, message }]);
  });
}

/** The custom plan; the generic one if a constant fails, which may be one that no row needs. */
async function execute(
  { compute, connection, now, sqlOverFiles = ({ sql }) => sql }: StatementContext,
  { parameters, declared }: Statement,
  { generic, plan }: Translated,
): Promise<DuckDBResult> {
  const run = async (text: string, bindings: Bindings) => {
    const prepared = await connection.prepare(text);
    bindTo(prepared, bindings);
    return prepared.stream();
  };
  const bindings = bindingsOf(parameters, now(), declared);
  const computed = await compute(plan.constants, bindings).catch(() => undefined);
  if (computed !== undefined) return run(await sqlOverFiles(plan, computed), computed);
  const { atTimes } = plan;
  if (atTimes === undefined) return run(generic, bindings);
  const times = await compute(atTimes.constants, bindings);
  return run(await sqlOverFiles(atTimes, times), times);
}

async function readResult(
  result: DuckDBResult,
  { columns: declared }: Translated,
  maxRows: number,
): Promise<Result> {
  const [names, types] = [result.columnNames(), result.columnTypes()];
  const known = declared.length === types.length ? declared : [];
  const rows: Cell[][] = [];
  while (rows.length <= maxRows) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    for (const row of chunk.getRows()) {
      rows.push(
        row.map((value, at) => {
          const type = types[at];
          return type === undefined ? null : toCell(value, type);
        }),
      );
    }
  }
  const columns = types.map((type, at) => ({
    name: known[at]?.name ?? names[at] ?? '',
    type: columnTypeText(type, known[at]?.type),
  }));
  if (rows.length <= maxRows) return { columns, rows };
  return { columns, rows: rows.slice(0, maxRows), truncated: true };
}

const interruptEveryMs = 20;

/** Interrupts the connection from the deadline until the work has ended: one interrupt may come between statements. */
async function withTimeout<T>(
  connection: DuckDBConnection,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false;
  let timer = setTimeout(function interrupt() {
    isOver = true;
    connection.interrupt();
    timer = setTimeout(interrupt, interruptEveryMs);
  }, timeoutMs);
  try {
    return await work();
  } catch (error) {
    throw isOver ? new TimeoutError(`no result within ${timeoutMs / 1000} s`) : error;
  } finally {
    clearTimeout(timer);
  }
}

class TimeoutError extends Error {}

async function withFailures(statement: Statement, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return explainFailure(statement, error);
  }
}

function explainFailure({ sql }: Statement, error: unknown): Failure {
  // DuckDB does not say where in the query a value failed.
  const start = positionOf(sql, sql.search(/\S/));
  if (error instanceof ProblemError) {
    const [first, ...more] = error.problems.map(({ message, line = 1, column = 1 }) => ({
      message,
      line,
      column,
    }));
    return failure('refused', first ?? { ...start, message: error.message }, more);
  }
  const message = error instanceof Error ? error.message : String(error);
  const [, kind = '', reason = ''] = /^(\w+(?: \w+)*) Error: ([\s\S]*)$/.exec(message) ?? [];
  const dataRow = dataRowOf(message);
  if (dataRow !== undefined) {
    const { file, row, reason: cause } = dataRow;
    return { error: { stage: 'run time', ...start, message: `${file}: row ${row}: ${cause}`, dataRow } };
  }
  const problem = { ...start, message: runProblem(reason === '' ? message : reason) };
  if (error instanceof TimeoutError) return failure('run time', problem);
  if (/^INTERNAL$/i.test(kind) || kind === '') return failure('crash', problem);
  // These come from planning: the statement never ran.
  if (!/^(Binder|Parser|Catalog|Not implemented)$/.test(kind) || isOfValue(reason))
    return failure('run time', problem);
  const { message: cause, line = 1, column } = planProblem({ sql, source: { file: '', line: 1 } }, error);
  return failure(
    'refused',
    column === undefined ? { ...start, message: cause } : { message: cause, line, column },
  );
}

const failure = (
  stage: Stage,
  problem: StatementProblem,
  more: readonly StatementProblem[] = [],
): Failure => ({ error: { stage, ...problem, ...(more.length > 0 && { more }) } });

function positionOf(sql: string, offset: number): { readonly line: number; readonly column: number } {
  const before = sql.slice(0, Math.max(0, offset)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
