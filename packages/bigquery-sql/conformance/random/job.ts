import { openRandom } from '../../test/support/random.ts';
import { type LocalEngine, openLocalEngine } from '../local/engine.ts';
import { openEvaluators } from '../reference/evaluator.ts';
import { outcomes } from '../suite-outcome.ts';
import { showAnswer } from '../values.ts';
import { generate } from './generate.ts';
import { evaluateInputs } from './inputs.ts';
import { type Judged, judgeQuery } from './judge-query.ts';
import type { Made } from './maker.ts';
import { kindOf, shrink } from './shrink.ts';
import { makeTables } from './tables.ts';
import { loadTemplates } from './templates.ts';

export interface Job {
  readonly queries: number;
  readonly seed: number;
  /** The number of the only query to run, which is printed as it is. */
  readonly only?: number | undefined;
  /** Whether to cut down refused queries too, one of each reason. */
  readonly refused: boolean;
  readonly print: (text: string) => void;
}

/** The number of queries that are at the reference at a time. */
const batchSize = 24;

/** How many of one kind are cut down and printed. */
const shownOfKind = { wrong: 20, others: 1 };

/**
 * Runs the queries of a seed on tables with the rows of the seed.
 *
 * @returns the number of wrong answers
 */
export async function runJob({ queries, seed, only, refused, print }: Job): Promise<number> {
  const startedAt = performance.now();
  const grammar = await loadGrammar(seed);
  const local = await openLocalEngine(grammar.tables);
  const evaluators = await openEvaluators(grammar.tables);
  const inTurn = oneAtATime(local);
  const judge = (made: Made) => judgeQuery(made, inTurn, evaluators);
  const counts = new Map<string, number>();
  const shown = new Map<string, number>();
  const numbers = only === undefined ? Array.from({ length: queries }, (_, at) => at) : [only];
  try {
    for (let at = 0; at < numbers.length; at += batchSize) {
      const batch = numbers.slice(at, at + batchSize).map(async (number) => {
        const made = generate(grammar, seed * 1_000_003 + number);
        return { number, made, judged: await judge(made) };
      });
      for (const { number, made, judged } of await Promise.all(batch)) {
        const { outcome } = judged;
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        const kind = `${outcome} ${kindOf(judged)}`;
        const count = (shown.get(kind) ?? 0) + 1;
        shown.set(kind, count);
        if (only !== undefined) print(describe(number, judged));
        else if (
          isListed(judged, refused) &&
          count <= (isWrong(judged) ? shownOfKind.wrong : shownOfKind.others)
        )
          print(describe(number, (await shrink(made, judged, judge)).judged));
      }
    }
  } finally {
    await evaluators.close();
    await local.close();
  }
  for (const outcome of outcomes) print(`${outcome.padEnd(32)} ${counts.get(outcome) ?? 0}`);
  for (const [kind, count] of [...shown].sort(([, a], [, b]) => b - a))
    if (/^(refused|run time)/.test(kind)) print(`${String(count).padStart(5)} ${kind}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  print(`${numbers.length} random queries in ${seconds} s, seed ${seed}`);
  return counts.get('WRONG') ?? 0;
}

async function loadGrammar(seed: number) {
  const local = await openLocalEngine();
  const inputs = await evaluateInputs(local);
  await local.close();
  return { inputs, tables: makeTables(inputs, openRandom(seed)), templates: loadTemplates(inputs) };
}

/** An engine whose connection runs one query after the other. */
function oneAtATime(engine: LocalEngine): Pick<LocalEngine, 'evaluateBoth'> {
  let last: Promise<unknown> = Promise.resolve();
  return {
    evaluateBoth(sql, parameters) {
      const next = last.then(() => engine.evaluateBoth(sql, parameters));
      last = next;
      return next;
    },
  };
}

const isWrong = ({ outcome }: Judged) => outcome === 'WRONG' || outcome === 'crash';

const isListed = (judged: Judged, refused: boolean) =>
  isWrong(judged) || judged.outcome === 'run time' || (refused && judged.outcome === 'refused');

const describe = (number: number, { outcome, sql, parameters, way, ours, reference }: Judged) =>
  [
    `--- ${outcome}, query ${number}, ${way}\n${sql}`,
    ...(Object.keys(parameters).length > 0 ? [`parameters: ${JSON.stringify(parameters)}`] : []),
    `ours:      ${oneLine(showAnswer(ours))}`,
    `reference: ${oneLine(showAnswer(reference))}\n`,
  ].join('\n');

const oneLine = (text: string) => text.replaceAll('\n', ' ⏎ ').slice(0, 400);
