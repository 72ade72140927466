import type { Case } from './cases.ts';
import { isSame, sameTypes } from './compare.ts';
import type { LocalEngine } from './local/engine.ts';
import { knownError } from './reference/evaluator-errors.ts';
import type { Evaluators } from './reference/evaluator.ts';
import type { Answer } from './values.ts';

export interface Verdict {
  readonly case: Case;
  /**
   * agrees; differs; unjudged: the reference does not know the function, or gets it wrong; invalid: the case itself is wrong.
   */
  readonly verdict: 'agrees' | 'differs' | 'unjudged' | 'invalid';
  readonly ours: Answer;
  readonly reference: Answer;
}

/** The number of queries sent to the reference at a time: it runs them on all cores while DuckDB works. */
const batchSize = 64;

/** Runs every case on both engines, in order. */
export async function judgeAll(
  cases: readonly Case[],
  local: LocalEngine,
  evaluators: Evaluators,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const first = evaluators.of2025 ?? evaluators.of2022;
  for (let at = 0; at < cases.length; at += batchSize) {
    const batch = cases.slice(at, at + batchSize);
    const references = Promise.all(
      batch.map(({ referenceSql, parameters }) => first.evaluate(referenceSql, parameters)),
    );
    const ours: Answer[] = [];
    for (const { sql, parameters } of batch) ours.push(await local.evaluate(sql, parameters));
    const judged = (await references).map((reference, n) =>
      judge(batch[n] as Case, ours[n] as Answer, reference),
    );
    verdicts.push(...(await Promise.all(judged.map((verdict) => judgeAgain(verdict, evaluators)))));
  }
  return verdicts;
}

/** The verdict on what the first evaluator is known to get wrong: that of the other one. */
async function judgeAgain(verdict: Verdict, { of2025, of2022 }: Evaluators): Promise<Verdict> {
  const { case: testCase, ours } = verdict;
  const { referenceSql, parameters } = testCase;
  if (verdict.verdict === 'agrees') return verdict;
  if (!of2025) {
    // It takes much that is newer for a mistake.
    const isUnjudged = verdict.verdict === 'invalid' || knownError('2022', testCase.sql);
    return isUnjudged ? { ...verdict, verdict: 'unjudged' } : verdict;
  }
  if (!knownError('2025', testCase.sql)) return verdict;
  const again = judge(testCase, ours, await of2022.evaluate(referenceSql, parameters));
  if (again.verdict === 'agrees' || again.verdict === 'invalid') return again;
  return again.verdict === 'differs' ? verdict : { ...verdict, verdict: 'unjudged' };
}

function judge(testCase: Case, ours: Answer, reference: Answer): Verdict {
  const verdict = verdictOn(testCase, ours, reference);
  return { case: testCase, verdict, ours, reference };
}

function verdictOn(testCase: Case, ours: Answer, reference: Answer): Verdict['verdict'] {
  const stage = 'error' in reference ? reference.stage : undefined;
  if (stage === 'missing' && !testCase.wrong) return 'unjudged';
  if (testCase.wrong ? stage === undefined : stage === 'analysis') return 'invalid';
  // DuckDB rejects the rewritten SQL: a defect of the dialect if the query is valid.
  if ('error' in ours && ours.stage === 'broken' && !testCase.wrong) return 'differs';
  return haveSameTypes(ours, reference) &&
    isSame(ours, reference, isOrdered(testCase.sql) && !testCase.hasTies)
    ? 'agrees'
    : 'differs';
}

const haveSameTypes = (ours: Answer, reference: Answer): boolean =>
  'error' in ours || 'error' in reference || sameTypes(ours.types ?? [], reference.types ?? []);

/** Whether the outermost query has ORDER BY. */
export function isOrdered(sql: string): boolean {
  const shallower = sql.replaceAll(/\([^()]*\)/g, '');
  return shallower === sql ? /\border\s+by\b/i.test(sql) : isOrdered(shallower);
}
