import type { DuckDBConnection } from '@duckdb/node-api';
import { compile } from '../src/compile.ts';
import { bindingsOf, bindTo } from '../src/duckdb/bindings.ts';
import { buildCompute, type Compute } from '../src/duckdb/compute-constants.ts';
import { printPlan } from '../src/duckdb/plan.ts';
import { duckdbText } from '../src/passes/duckdb-text.ts';
import { runPasses } from '../src/passes/passes.ts';
import { freshNames } from '../src/tree/fresh-names.ts';
import type { StoredTable } from '../src/tree/stored-table.ts';
import type { Field } from '../src/table-schema.ts';
import { duckdbType, type Type } from '../src/types.ts';
import { openDialectDatabase } from '../test/support/dialect-database.ts';
import type { Verdict } from './judge.ts';
import { type RowGroup, rowGroups } from './rows.ts';
import type { Value } from './values.ts';

interface Session {
  readonly connection: DuckDBConnection;
  readonly compute: Compute;
}

const source = { file: 'case', line: 1 };

/**
 * Filters stored rows by the expressions of the cases: DuckDB moves a condition into the scan of a table, which compares with
 * other code and leaves out row groups by their statistics. The tables have the rows of a case, those with a NULL only, and
 * the last row only; in the second and third ones columns are NULL or constant in all rows.
 *
 * @param verdicts on the cases, and on `rowCases` of them
 * @returns the conditions that leave other rows than the reference's answers say
 */
export async function lostStoredRows(
  verdicts: readonly Verdict[],
  overRows: readonly Verdict[],
): Promise<readonly string[]> {
  const { connection, close } = await openDialectDatabase({ threads: '1' });
  const compute = buildCompute(connection, (text) => connection.prepare(text));
  const found: string[] = [];
  for (const [at, group] of rowGroups(verdicts).entries()) {
    const verdict = overRows[at];
    if (verdict?.verdict !== 'agrees' || 'error' in verdict.reference) continue;
    const answers = verdict.reference.rows.map(([answer]) => answer ?? null);
    found.push(...(await lostRowsOf({ connection, compute }, group, answers)));
  }
  close();
  return found;
}

async function lostRowsOf(
  session: Session,
  { expression, rows }: RowGroup,
  answers: readonly Value[],
): Promise<readonly string[]> {
  const { connection } = session;
  const table = await storeRows(connection, rows);
  if (table === undefined) return [];
  const lost: string[] = [];
  const positions = answers.map((_, at) => at);
  const parts: readonly (readonly [string, readonly number[]])[] = [
    ['all', positions],
    ['nulls', await positionsWithNull(connection, positions)],
    ['last', positions.slice(-1)],
  ];
  for (const [name, part] of parts) {
    await connection.run(
      `CREATE OR REPLACE TABLE part AS FROM stored WHERE position IN (${[-1, ...part].join(', ')})`,
    );
    for (const [condition, isKept] of conditionsOf(expression.text(), answers)) {
      const sql = `select position from part as input where ${condition} order by position`;
      const expected = part.filter((at) => isKept(answers[at] ?? null)).join();
      const kept = await keptBy(session, sql, table).catch((error: Error) => error.message);
      if (kept !== expected) lost.push(`${condition}, ${name} rows: keeps ${kept}, right ${expected}`);
    }
  }
  return lost;
}

/** Each condition with the answers for which it keeps a row. */
function conditionsOf(
  text: string,
  answers: readonly Value[],
): readonly (readonly [string, (answer: Value) => boolean])[] {
  const isNull = [`(${text}) is null`, (answer: Value) => answer === null] as const;
  // Of NULLs alone the type is not known.
  if (!answers.every((answer) => answer === null || answer.type === 'BOOL') || !answers.some(Boolean))
    return [isNull];
  const is = (expected: string) => (answer: Value) => answer?.type === 'BOOL' && answer.text === expected;
  return [
    isNull,
    [text, is('true')],
    [`not (${text})`, is('false')],
    [`(${text}) is not true or (${text})`, () => true],
    [`(${text}) is distinct from false`, (answer) => !is('false')(answer)],
  ];
}

/** Stores the rows; undefined if a column has no type of a table. */
async function storeRows(
  connection: DuckDBConnection,
  rows: readonly string[],
): Promise<StoredTable | undefined> {
  const { query, columns } = compile(
    {
      sql: `select input.*, position from unnest([${rows.join(', ')}]) as input with offset as position`,
      source,
    },
    [],
  );
  const fields = columns.map(({ name, type }) => fieldOf(name, type));
  if (fields.includes(undefined)) return undefined;
  await connection.run(`CREATE OR REPLACE TABLE stored AS ${duckdbText(query)}`);
  return { name: 'part', relation: 'part', fields: fields.filter((field) => field !== undefined) };
}

function fieldOf(name: string, type: Type): Field | undefined {
  if (type.kind === 'array' || type.kind !== 'scalar' || duckdbType(type) === undefined) return undefined;
  return { name, type: type.name as Field['type'], mode: 'NULLABLE' };
}

async function positionsWithNull(
  connection: DuckDBConnection,
  all: readonly number[],
): Promise<readonly number[]> {
  const found = await connection.runAndReadAll(
    'SELECT position FROM stored WHERE NOT (COLUMNS(*) IS NOT NULL)',
  );
  const positions = new Set(found.getRowsJson().map(([position]) => Number(position)));
  return all.filter((at) => positions.has(at));
}

async function keptBy({ connection, compute }: Session, sql: string, table: StoredTable): Promise<string> {
  const { query } = compile({ sql, source }, [table]);
  const plan = printPlan(runPasses(query, { known: {}, fresh: freshNames(query) }));
  const prepared = await connection.prepare(plan.sql);
  bindTo(prepared, await compute(plan.constants, bindingsOf({}, new Date(), [])));
  return (await prepared.runAndReadAll())
    .getRowsJson()
    .map(([position]) => String(position))
    .join();
}
