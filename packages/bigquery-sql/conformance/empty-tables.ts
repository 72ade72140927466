import type { Case } from './cases.ts';
import { judgeAll } from './judge.ts';
import { openLocalEngine } from './local/engine.ts';
import { openEvaluators } from './reference/evaluator.ts';
import type { Table } from './table.ts';
import { showAnswer } from './values.ts';

/**
 * Runs the cases over the same tables without rows: DuckDB computes aggregates, joins and windows of nothing by other code.
 *
 * @returns the queries with another answer than the reference's
 */
export async function emptyTableProblems(
  cases: readonly Case[],
  tables: readonly Table[],
): Promise<readonly string[]> {
  const empty = tables.map((table) => ({ ...table, rows: [] }));
  const local = await openLocalEngine(empty);
  const evaluators = await openEvaluators(empty);
  try {
    const valid = cases.filter(({ kind, wrong }) => kind === 'construct' && !wrong);
    return (await judgeAll(valid, local, evaluators))
      .filter(({ verdict }) => verdict === 'differs')
      .map(({ case: { sql }, ours }) => `over empty tables: ${sql}: ${showAnswer(ours)}`);
  } finally {
    await evaluators.close();
    await local.close();
  }
}
