import type { DuckDBConnection, DuckDBResult } from '@duckdb/node-api';
import { StartError } from '../../../errors.ts';
import { macroDefinitions, macrosIn } from '../../dialect/macros/macros.ts';
import { assemble } from '../../dialect/passes/shredded.ts';
import { type Rewritten, rewrite, type StoredTable } from '../../dialect/rewrite.ts';
import { type Compute, withThresholds } from '../run/compute-constants.ts';
import { type Bindings, bindingsOf, bindTo } from '../wire/bindings.ts';
import { toCell } from './cell.ts';
import { columnTypeText } from './column-types.ts';
import type { Cell, Explanation, Failure, Outcome, Result, Stage, StatementProblem } from './outcome.ts';

/** A statement in BigQuery's SQL. */
export interface Statement {
  readonly sql: string;
  /** Values for `@name`, all STRING. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface RunLimits {
  readonly timeoutMs: number;
  readonly maxRows: number;
}

/** What a session runs statements with. */
export interface StatementContext {
  readonly connection: DuckDBConnection;
  readonly compute: Compute;
  /** The tables in their current layout. */
  readonly tables: () => readonly StoredTable[];
  readonly now: () => Date;
  /** The macros that the database has. */
  readonly definedMacros: Set<string>;
}

/** Runs a statement as the service runs a saved query. It does not throw. */
export async function runStatement(
  context: StatementContext,
  statement: Statement,
  limits: RunLimits,
): Promise<Outcome> {
  return withFailures(statement, async () => {
    const translated = await translate(context, statement);
    return withTimeout(context.connection, limits.timeoutMs, async () => {
      const result = await execute(context, statement, translated);
      return readResult(result, translated, limits.maxRows);
    });
  });
}

/** Explains a statement without running it. It does not throw. */
export async function explainStatement(context: StatementContext, statement: Statement): Promise<Outcome> {
  return withFailures(statement, async () => {
    const { sql, custom } = await translate(context, statement);
    return { generic: sql, custom: assembled(custom), passes: effectsOf({ sql, custom }) };
  });
}

/** One row for each pass of the dialect, in the order in which they run. */
function effectsOf({ custom }: Pick<Rewritten, 'sql' | 'custom'>): Explanation['passes'] {
  const list = (names: readonly { readonly name: string; readonly sql: string }[]) =>
    names.length === 0 ? undefined : names.map(({ name, sql }) => `$${name} = ${sql}`).join('\n');
  const shredded = custom.columns.filter(({ fields }) => fields !== undefined).map(({ name }) => name);
  return [
    { name: 'hoist constants', effect: list(custom.constants) },
    { name: 'thresholds of the first rows', effect: list(custom.thresholds) },
    { name: 'shredded records', effect: shredded.length === 0 ? undefined : shredded.join(', ') },
  ];
}

async function translate(
  { connection, definedMacros, tables }: StatementContext,
  { sql, parameters }: Statement,
): Promise<Rewritten> {
  const known = new Map(Object.keys(parameters).map((name) => [name.toLowerCase(), name]));
  const rewritten = rewrite({ sql, source: { file: '', line: 1 } }, tables(), {});
  const missing = rewritten.parameters.find(
    (name) => name !== 'current_timestamp' && !known.has(name.toLowerCase()),
  );
  if (missing !== undefined) {
    const place = positionOf(sql, sql.toLowerCase().indexOf(`@${missing.toLowerCase()}`));
    throw new StartError('A parameter has no value', [
      { ...place, message: `@${missing} has no value; give it by -p ${missing}=value` },
    ]);
  }
  const { custom } = rewritten;
  const texts = [
    rewritten.sql,
    custom.sql,
    ...[...custom.constants, ...custom.thresholds].map(({ sql }) => sql),
  ];
  const definitions = macroDefinitions(texts.flatMap(macrosIn), definedMacros);
  if (definitions !== '') await connection.run(definitions);
  return rewritten;
}

const assembled = (custom: Rewritten['custom']) =>
  assemble({ ...custom, text: custom.sql }, (name) => name).text;

/** The custom plan; the generic one if a constant fails, which may be one that no row needs. */
async function execute(
  { compute, connection, now }: StatementContext,
  { parameters }: Statement,
  { custom, sql }: Rewritten,
): Promise<DuckDBResult> {
  const run = async (text: string, bindings: Bindings) => {
    const prepared = await connection.prepare(text);
    bindTo(prepared, bindings);
    return prepared;
  };
  const bindings = bindingsOf(parameters, now());
  const computed = await compute(custom.constants, bindings).catch(() => undefined);
  if (computed === undefined) return (await run(sql, bindings)).stream();
  const complete = await withThresholds(custom.thresholds, computed, async (text, known) =>
    (await run(text, known)).run(),
  );
  return (await run(assembled(custom), complete)).stream();
}

async function readResult(result: DuckDBResult, { custom }: Rewritten, maxRows: number): Promise<Result> {
  const [names, types] = [result.columnNames(), result.columnTypes()];
  const known = custom.columns.length === types.length ? custom.columns : [];
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
  if (error instanceof StartError) {
    const [first, ...more] = error.problems.map(({ message, line = 1, column = 1 }) => ({
      message,
      line,
      column,
    }));
    return failure('refused', first ?? { ...start, message: error.message }, more);
  }
  const message = error instanceof Error ? error.message : String(error);
  const [, kind = '', reason = ''] = /^(\w+(?: \w+)*) Error: ([\s\S]*)$/.exec(message) ?? [];
  // The macro that raises an error does so by a cast.
  const [, raised] = /^Could not convert string 'error: ([\s\S]*)' to INT8/.exec(reason) ?? [];
  const [firstParagraph = ''] = (reason === '' ? message : reason).split('\n\n');
  const problem = { ...start, message: raised ?? firstParagraph.trim() };
  if (error instanceof TimeoutError) return failure('run time', problem);
  if (/^INTERNAL$/i.test(kind) || kind === '') return failure('crash', problem);
  // These come from planning: the statement never ran.
  return failure(/^(Binder|Parser|Catalog|Not implemented)$/.test(kind) ? 'refused' : 'run time', problem);
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
