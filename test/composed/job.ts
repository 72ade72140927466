import { openLocalEngine } from '../../packages/bigquery-sql/conformance/local/engine.ts';
import type { Parameters } from '../../packages/bigquery-sql/conformance/parameters.ts';
import { generate } from '../../packages/bigquery-sql/conformance/random/generate.ts';
import { evaluateInputs } from '../../packages/bigquery-sql/conformance/random/inputs.ts';
import { type Judged, judgeForm } from '../../packages/bigquery-sql/conformance/random/judge-query.ts';
import { makeTables } from '../../packages/bigquery-sql/conformance/random/tables.ts';
import { loadTemplates } from '../../packages/bigquery-sql/conformance/random/templates.ts';
import { render } from '../../packages/bigquery-sql/conformance/random/tree.ts';
import { openEvaluators } from '../../packages/bigquery-sql/conformance/reference/evaluator.ts';
import { showAnswer } from '../../packages/bigquery-sql/conformance/values.ts';
import { ProblemError } from '../../packages/bigquery-sql/src/problem.ts';
import { SyntaxProblem } from '../../packages/bigquery-sql/src/syntax.ts';
import { openRandom } from '../../packages/bigquery-sql/test/support/random.ts';
import { type Composed, compose } from './compose.ts';
import { linkedSql } from './folder.ts';

export interface ComposedJob {
  readonly queries: number;
  readonly seed: number;
  /** The number of the only query to run, which is printed as it is. */
  readonly only?: number | undefined;
  readonly print: (text: string) => void;
}

/**
 * Makes files of the parts of random queries, and judges the query that reads them. What is wrong in one text too is
 * another fault, and is counted by itself.
 *
 * @returns the number of wrong answers, which are printed
 */
export async function runComposedJob({ queries, seed, only, print }: ComposedJob): Promise<number> {
  const startedAt = performance.now();
  const counts = new Map<string, number>();
  const add = (what: string, number = 1) => counts.set(what, (counts.get(what) ?? 0) + number);
  const plain = await openLocalEngine();
  const inputs = await evaluateInputs(plain);
  await plain.close();
  const tables = makeTables(inputs, openRandom(seed));
  const grammar = { inputs, tables, templates: loadTemplates(inputs) };
  const local = await openLocalEngine(tables);
  const evaluators = await openEvaluators(tables);
  try {
    for (const number of only === undefined ? Array(queries).keys() : [only]) {
      const made = generate(grammar, seed * 1_000_003 + number);
      const pasted = render(made.tree, { parameters: true, reference: false });
      const composed = composedOf(pasted.sql, pasted.parameters, seed * 31 + number);
      if (composed === undefined) {
        add('refused, pasted too');
        continue;
      }
      for (const [sort, count] of Object.entries(composed.counts)) add(`files: ${sort}`, count);
      const linked = linkedSql(composed.folder);
      if ('refused' in linked) {
        add('refused as parts');
        print(describe(number, composed, linked.refused));
        continue;
      }
      const parameters = usedIn(linked.sql, pasted.parameters);
      const judge = (sql: string, given: Parameters) =>
        judgeForm(made, { sql, parameters: given }, { parameters: true }, local, evaluators);
      const judged = await judge(linked.sql, parameters);
      const isSuspect = ['WRONG', 'crash', 'run time', 'refused'].includes(judged.outcome);
      const same = isSuspect && (await judge(pasted.sql, pasted.parameters)).outcome === judged.outcome;
      add(same ? `${judged.outcome}, pasted too` : judged.outcome);
      if (only !== undefined || (isSuspect && !(same && judged.outcome !== 'WRONG')))
        print(describe(number, composed, `${same ? 'pasted too' : 'composed only'} ${answers(judged)}`));
    }
  } finally {
    await evaluators.close();
    await local.close();
  }
  for (const [what, count] of [...counts].sort()) print(`${what.padEnd(32)} ${count}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  print(`${queries} composed queries in ${seconds} s, seed ${seed}`);
  return [...counts].reduce((sum, [what, count]) => (/^(WRONG|crash)/.test(what) ? sum + count : sum), 0);

  /** Undefined if the query is refused. */
  function composedOf(sql: string, parameters: Parameters, ownSeed: number): Composed | undefined {
    try {
      return compose(sql, parameters, tables, openRandom(ownSeed));
    } catch (error) {
      // The grammar may make a text of a template that is not SQL.
      if (error instanceof ProblemError || error instanceof SyntaxProblem) return undefined;
      throw error;
    }
  }
}

/** What is bound to a literal in a part is not a parameter any more. */
const usedIn = (sql: string, parameters: Parameters): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => new RegExp(`@${name}\\b`).test(sql)));

const answers = ({ outcome, way, sql, parameters, ours, reference }: Judged) =>
  `${outcome}, ${way}\n${sql}\nparameters: ${JSON.stringify(parameters)}\nours:      ${oneLine(showAnswer(ours))}\nreference: ${oneLine(showAnswer(reference))}`;

const oneLine = (text: string) => text.replaceAll('\n', ' ⏎ ').slice(0, 400);

const describe = (number: number, { folder }: Composed, what: string): string =>
  `--- query ${number}: ${what}\n${[...folder].map(([path, text]) => `${path}:\n${text}`).join('\n')}\n`;
