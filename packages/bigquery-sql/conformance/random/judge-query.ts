import { isClose, isSame, sameTypes } from '../compare.ts';
import type { LocalEngine } from '../local/engine.ts';
import type { Parameters } from '../parameters.ts';
import type { Evaluator } from '../reference/evaluator.ts';
import { type Outcome, withoutNullArrays } from '../suite-outcome.ts';
import type { Answer } from '../values.ts';
import type { Made } from './maker.ts';
import { render } from './tree.ts';

/** What one form of a query gave. */
export interface Judged {
  readonly outcome: Outcome;
  readonly sql: string;
  readonly parameters: Parameters;
  /** How our engine ran it. */
  readonly way: 'plain' | 'served';
  readonly ours: Answer;
  readonly reference: Answer;
}

/** The worst that happens to a query: with literals and with parameters, plain and as it is served. */
export async function judgeQuery(
  made: Made,
  local: Pick<LocalEngine, 'evaluateBoth'>,
  evaluator: Evaluator,
): Promise<Judged> {
  const forms = [false, true].map((parameters) => ({
    ours: render(made.tree, { parameters, reference: false }),
    theirs: render(made.tree, { parameters, reference: true }),
  }));
  const different = forms.filter(({ ours }, at) => at === 0 || ours.sql !== forms[0]?.ours.sql);
  const judged = different.map(async ({ ours, theirs }) => {
    const [both, reference] = await Promise.all([
      local.evaluateBoth(ours.sql, ours.parameters),
      evaluator.evaluate(theirs.sql, theirs.parameters),
    ]);
    return (['plain', 'served'] as const).map((way): Judged => {
      const answer = both[way];
      return { ...ours, way, ours: answer, reference, outcome: outcomeOf(made, answer, reference) };
    });
  });
  const all = (await Promise.all(judged)).flat();
  return all.reduce((worst, one) => (rank(one.outcome) > rank(worst.outcome) ? one : worst));
}

const severity: readonly Outcome[] = [
  'not judged: answered',
  'not judged: refused',
  'agree',
  'both fail',
  'answers where the judge errs',
  'refused',
  'run time',
  'WRONG',
  'crash',
];

const rank = (outcome: Outcome) => severity.indexOf(outcome);

function outcomeOf(made: Made, ours: Answer, reference: Answer): Outcome {
  if ('error' in ours && /^INTERNAL Error/.test(ours.error)) return 'crash';
  if ('error' in reference) {
    if (reference.stage === 'missing')
      return 'error' in ours ? 'not judged: refused' : 'not judged: answered';
    return 'error' in ours ? 'both fail' : 'answers where the judge errs';
  }
  // DuckDB refuses to plan what is broken, before it serves anybody.
  if ('error' in ours) return ours.stage === 'evaluation' ? 'run time' : 'refused';
  if (!sameTypes(ours.types ?? [], reference.types ?? [])) return 'WRONG';
  return isSameResult(made, withoutNullArrays(ours), withoutNullArrays(reference)) ? 'agree' : 'WRONG';
}

/** Whether the rows are the same as far as the query defines them. */
function isSameResult({ sortedBy, isCut, columns }: Made, ours: Answer, reference: Answer): boolean {
  if ('error' in ours || 'error' in reference) return false;
  if (sortedBy && !isSameOrder(ours, reference, sortedBy)) return false;
  const isTotal = sortedBy?.length === columns.length;
  if (!isCut || isTotal) return isSame(ours, reference, false);
  return ours.rows.length === reference.rows.length;
}

/**
 * Whether the rows are in the same order. Sums of FLOAT64 that differ in the last digit, which counts as equal, leave the
 * order to the keys behind them on one side only: these are compared without order then.
 */
function isSameOrder(ours: Answer, reference: Answer, keys: readonly number[]): boolean {
  const isSameBy = (some: readonly number[]) => isSame(only(ours, some), only(reference, some), true);
  if (isSameBy(keys)) return true;
  const float = keys.findIndex((at) => hasCloseValues(ours, at) || hasCloseValues(reference, at));
  return float >= 0 && isSameBy(keys.slice(0, float + 1));
}

/** Whether a column has two FLOAT64 that are different, but equal when they are compared. */
function hasCloseValues(answer: Answer, at: number): boolean {
  if ('error' in answer) return false;
  const texts = new Set(
    answer.rows.flatMap(({ [at]: value }) => (value?.type === 'FLOAT64' ? [value.text] : [])),
  );
  return [...texts].some((a) => [...texts].some((b) => a !== b && isClose(Number(a), Number(b))));
}

function only(answer: Answer, columns: readonly number[]): Answer {
  if ('error' in answer) return answer;
  return {
    columns: columns.map((at) => answer.columns[at] ?? ''),
    rows: answer.rows.map((row) => columns.map((at) => row[at] ?? null)),
  };
}
