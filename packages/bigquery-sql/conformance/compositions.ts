import fc from 'fast-check';
import { hasAcceptedDifference, isAcceptedRefusal } from './accepted-differences.ts';
import type { Case } from './cases.ts';
import { expressionsOf, literalPattern } from './expressions.ts';
import { judgeAll, type Verdict } from './judge.ts';
import type { LocalEngine } from './local/engine.ts';
import type { Evaluators } from './reference/evaluator.ts';

/** Fixed, so that a run can be repeated. Each seed starts one walk, which ends at the first difference. */
const seeds = [1, 2, 3];
const runsPerWalk = 120;

/** Limits walks with slow expressions, including shrinking. */
const walkTimeMs = 60_000;

type Judge = (expression: string) => Promise<readonly Verdict[]>;

/**
 * Runs random expressions, with constants and over a row of a table; a difference is shrunk to a minimal expression.
 * The subject of the verdicts is the type of the expression.
 */
export async function judgeCompositions(
  verdicts: readonly Verdict[],
  local: LocalEngine,
  evaluators: Evaluators,
): Promise<readonly Verdict[]> {
  const found: Verdict[] = [];
  for (const [type, expressions] of expressionsOf(verdicts)) {
    const judge: Judge = (expression) => judgeAll(casesOf(type, expression), local, evaluators);
    for (const seed of seeds) found.push(...(await walk(expressions, judge, seed)));
  }
  return found;
}

/** Runs random expressions until the engines differ. */
async function walk(
  expressions: fc.Arbitrary<string>,
  judge: Judge,
  seed: number,
): Promise<readonly Verdict[]> {
  const agreeing: Verdict[] = [];
  const property = fc.asyncProperty(expressions, async (expression) => {
    const verdicts = await judge(expression);
    agreeing.push(...verdicts.filter(({ verdict }) => verdict === 'agrees'));
    return !verdicts.some(isDefect);
  });
  const { counterexample } = await fc.check(property, {
    seed,
    numRuns: runsPerWalk,
    interruptAfterTimeLimit: walkTimeMs,
  });
  if (counterexample === null) return agreeing;
  return [...agreeing, ...(await judge(counterexample[0])).filter(isDefect)];
}

const isDefect = (verdict: Verdict) =>
  verdict.verdict === 'differs' &&
  !hasAcceptedDifference(verdict.case.sql) &&
  !isAcceptedRefusal(verdict) &&
  !isUnspecified(verdict);

/**
 * If an argument is NULL, or an operand of AND and OR decides, neither engine specifies whether it evaluates the others,
 * which may fail.
 */
const isUnspecified = ({ case: { sql }, ours, reference }: Verdict) =>
  'error' in reference && (/\b(null|and|or)\b/i.test(sql) || ('rows' in ours && ours.rows[0]?.[0] === null));

/** The expression itself, and with a column for every literal, so that DuckDB must compute it row by row. */
function casesOf(type: string, expression: string): readonly Case[] {
  const literals = [...expression.matchAll(literalPattern)].map(([, literal]) => literal);
  const constant = caseOf(type, `select ${expression.replaceAll(literalPattern, '$1')}`);
  if (literals.length === 0) return [constant];
  let at = 0;
  const overColumns = expression.replaceAll(literalPattern, () => `input.c${at++}`);
  const row = literals.map((literal, n) => `${literal} as c${n}`).join(', ');
  return [constant, caseOf(type, `select ${overColumns} from unnest([struct(${row})]) as input`)];
}

function caseOf(type: string, sql: string): Case {
  const template = { text: sql, file: 'compositions', line: 0, placeholders: [] };
  return {
    subject: `Expressions of ${type}`,
    kind: 'composition',
    sql,
    referenceSql: sql,
    wrong: false,
    parameters: {},
    template,
    inputs: [],
  };
}
