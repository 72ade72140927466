import type { Case } from './cases.ts';
import { isSame } from './compare.ts';
import type { LocalEngine } from './local/engine.ts';
import type { Evaluator } from './reference/evaluator.ts';
import type { Answer } from './values.ts';

export interface Verdict {
  readonly case: Case;
  /**
   * agrees; differs; unjudged: the reference does not know the function; invalid: the case itself is wrong, not the
   * dialect.
   */
  readonly verdict: 'agrees' | 'differs' | 'unjudged' | 'invalid';
  readonly ours: Answer;
  readonly reference: Answer;
}

/** So many questions are with the reference at a time: it answers them on all cores while DuckDB works. */
const batchSize = 64;

/** Asks both engines every case, in order. */
export async function judgeAll(
  cases: readonly Case[],
  local: LocalEngine,
  evaluator: Evaluator,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let at = 0; at < cases.length; at += batchSize) {
    const batch = cases.slice(at, at + batchSize);
    const references = Promise.all(
      batch.map(({ referenceSql, parameters }) => evaluator.evaluate(referenceSql, parameters)),
    );
    const ours: Answer[] = [];
    for (const { sql, parameters } of batch) ours.push(await local.evaluate(sql, parameters));
    verdicts.push(
      ...(await references).map((reference, n) => judge(batch[n] as Case, ours[n] as Answer, reference)),
    );
  }
  return verdicts;
}

export function judge(question: Case, ours: Answer, reference: Answer): Verdict {
  const verdict = verdictOn(question, ours, reference);
  return { case: question, verdict, ours, reference };
}

function verdictOn(question: Case, ours: Answer, reference: Answer): Verdict['verdict'] {
  const stage = 'error' in reference ? reference.stage : undefined;
  if (stage === 'missing' && !question.wrong) return 'unjudged';
  if ((stage === 'analysis' || stage === 'missing') !== question.wrong) return 'invalid';
  // DuckDB can't even read what the rewriter wrote: a defect wherever the query itself is right.
  if ('error' in ours && ours.stage === 'broken' && !question.wrong) return 'differs';
  return isSame(ours, reference, isOrdered(question.sql)) ? 'agrees' : 'differs';
}

/** Whether the outermost query says in which order its rows come. */
function isOrdered(sql: string): boolean {
  const shallower = sql.replaceAll(/\([^()]*\)/g, '');
  return shallower === sql ? /\border\s+by\b/i.test(sql) : isOrdered(shallower);
}
