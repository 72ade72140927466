import { isClose, isSame, sameTypes } from '../compare.ts';
import type { LocalEngine } from '../local/engine.ts';
import type { Parameters } from '../parameters.ts';
import { knownError } from '../reference/evaluator-errors.ts';
import type { Evaluator, Evaluators } from '../reference/evaluator.ts';
import { type Outcome, withoutNullArrays } from '../suite-outcome.ts';
import type { Answer } from '../values.ts';
import type { Made } from './maker.ts';
import { type Form, type Rendered, render } from './tree.ts';

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
  evaluators: Evaluators,
): Promise<Judged> {
  const forms = [false, true].map((parameters) => render(made.tree, { parameters, reference: false }));
  const different = forms.filter(({ sql }, at) => at === 0 || sql !== forms[0]?.sql);
  const judged = different.map((form, at) =>
    judgeForm(made, form, { parameters: at > 0 }, local, evaluators),
  );
  return worstOf(await Promise.all(judged));
}

/** The worst that happens to a text of a query, plain and as it is served. */
export async function judgeForm(
  made: Made,
  ours: Rendered,
  { parameters }: Pick<Form, 'parameters'>,
  local: Pick<LocalEngine, 'evaluateBoth'>,
  { of2025, of2022 }: Evaluators,
): Promise<Judged> {
  const own = render(made.tree, { parameters, reference: false });
  const equivalent = render(made.tree, { parameters, reference: true });
  const [both, reference] = await Promise.all([
    local.evaluateBoth(ours.sql, ours.parameters),
    of2025 ? answerTo(own, of2025) : answerTo(equivalent, of2022),
  ]);
  const judgeBy = (answer: Answer): Judged =>
    worstOf(
      (['plain', 'served'] as const).map((way) => {
        const outcome = outcomeOf(made, both[way], answer);
        return { ...ours, way, ours: both[way], reference: answer, outcome };
      }),
    );
  const verdict = judgeBy(reference);
  if (!of2025 || !isDoubtful(verdict)) return verdict;
  // It leaves out the row of an empty grouping set that has no rows, which the union of the sets has.
  const byUnion = own.sql === equivalent.sql ? verdict : judgeBy(await answerTo(equivalent, of2025));
  if (isSettled(byUnion)) return differing(byUnion);
  const byOld = judgeBy(await answerTo(equivalent, of2022));
  if (isSettled(byOld)) return differing(byOld);
  const types = Object.values(own.parameters).map((one) => (typeof one === 'string' ? 'string' : one.type));
  // The column `day` is a DATE in all tables of random queries.
  const text = `${own.sql.replaceAll(/\bday\b/g, 'date')} ${types.join(' ')}`;
  if (knownError('2025', text) === undefined) return verdict;
  if (byOld.outcome !== 'WRONG') return byOld;
  return knownError('2022', equivalent.sql) === undefined
    ? verdict
    : { ...byOld, outcome: 'not judged: answered' };
}

const answerTo = ({ sql, parameters }: Rendered, evaluator: Evaluator): Promise<Answer> =>
  evaluator.evaluate(sql, parameters);

const isFine = ({ outcome }: Judged) => outcome === 'agree' || outcome === 'both fail';

/** True if nothing is wrong by another judge: a text that is refused as it is may be right as it is served. */
const isSettled = (judged: Judged) => isFine(judged) || judged.outcome === 'refused';

const differing = (judged: Judged): Judged =>
  isFine(judged) ? { ...judged, outcome: 'judges differ' } : judged;

/** An answer that is wrong by one evaluator, and that the other one may have too. */
const isDoubtful = ({ outcome }: Judged) =>
  outcome === 'WRONG' || outcome === 'run time' || outcome === 'answers where the judge errs';

const worstOf = (all: readonly Judged[]): Judged =>
  all.reduce((worst, one) => (rank(one.outcome) > rank(worst.outcome) ? one : worst));

const severity: readonly Outcome[] = [
  'not judged: answered',
  'not judged: refused',
  'agree',
  'both fail',
  'judges differ',
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
