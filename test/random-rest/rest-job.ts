import { openLocalEngine } from '../../packages/bigquery-sql/conformance/local/engine.ts';
import type { Parameters } from '../../packages/bigquery-sql/conformance/parameters.ts';
import { generate } from '../../packages/bigquery-sql/conformance/random/generate.ts';
import { evaluateInputs } from '../../packages/bigquery-sql/conformance/random/inputs.ts';
import type { Made } from '../../packages/bigquery-sql/conformance/random/maker.ts';
import { makeTables } from '../../packages/bigquery-sql/conformance/random/tables.ts';
import { loadTemplates } from '../../packages/bigquery-sql/conformance/random/templates.ts';
import { render } from '../../packages/bigquery-sql/conformance/random/tree.ts';
import { knownError } from '../../packages/bigquery-sql/conformance/reference/evaluator-errors.ts';
import { openEdition } from '../../packages/bigquery-sql/conformance/reference/evaluator.ts';
import { openRandom } from '../../packages/bigquery-sql/test/support/random.ts';
import { StartError } from '../../src/errors.ts';
import { makeQueryFolder } from '../support/query-folder.ts';
import { openTestApp } from '../support/test-app.ts';
import { areSameRows } from './compare-rows.ts';
import { asJson, savedQuery, searchOf } from './saved-query.ts';

interface RandomQuery {
  readonly number: number;
  readonly made: Made;
  readonly sql: string;
  readonly parameters: Parameters;
  /** What the reference answers: a JSON text for each row. */
  readonly rows: readonly string[];
}

/** The saved queries of one gateway. */
const batchSize = 100;

/**
 * Saves random queries with parameters, imports random rows, and asks for each query by REST. Queries that the reference or
 * the compiler refuses, and those that the reference is known to judge wrongly, are counted only:
 * `npx node packages/bigquery-sql/conformance/random/run.ts` judges them.
 *
 * @returns the number of wrong answers, which are printed
 */
export async function runRestJob(
  count: number,
  seed: number,
  print: (text: string) => void,
): Promise<number> {
  const startedAt = performance.now();
  const counts = new Map<string, number>();
  const add = (outcome: string) => counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const plain = await openLocalEngine();
  const inputs = await evaluateInputs(plain);
  await plain.close();
  const tables = makeTables(inputs, openRandom(seed));
  const grammar = { inputs, tables, templates: loadTemplates(inputs) };
  const [local, evaluator] = [await openLocalEngine(tables), await openEdition('2022', tables)];

  const prepare = async (number: number): Promise<RandomQuery | undefined> => {
    const made = generate(grammar, seed * 1_000_003 + number);
    const ours = render(made.tree, { parameters: true, reference: false });
    const theirs = render(made.tree, { parameters: true, reference: true });
    if (knownError('2022', theirs.sql) !== undefined) return undefined;
    const answer = await evaluator.evaluate(asJson(theirs.sql), theirs.parameters);
    if ('error' in answer) return undefined;
    const { plain } = await local.evaluateBoth(asJson(ours.sql), ours.parameters);
    if ('error' in plain) return undefined;
    const rows = answer.rows.map(([cell]) => (cell && 'text' in cell ? cell.text : 'null'));
    return { number, made, sql: asJson(ours.sql), parameters: ours.parameters, rows };
  };

  try {
    for (let from = 0; from < count; from += batchSize) {
      const batch: RandomQuery[] = [];
      for (let number = from; number < Math.min(count, from + batchSize); number += 1) {
        const query = await prepare(number);
        if (query === undefined) add('not asked: refused, or fails');
        else batch.push(query);
      }
      await judgeBatch(batch, (outcome, query, why) => {
        add(outcome);
        if (why !== undefined) print(describe(outcome, query, why));
      });
    }
  } finally {
    await evaluator.close();
    await local.close();
  }
  for (const [outcome, number] of [...counts].sort()) print(`${outcome.padEnd(32)} ${number}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  print(`${count} random queries through REST in ${seconds} s, seed ${seed}`);
  return counts.get('WRONG') ?? 0;

  /** Opens a gateway with the queries, without those that it refuses to start with. */
  async function judgeBatch(
    batch: readonly RandomQuery[],
    report: (outcome: string, query: RandomQuery, why?: string) => void,
  ): Promise<void> {
    const folder = makeQueryFolder(
      Object.fromEntries([
        ...tables.map(({ name, fields }) => [`tables/${name}.json`, JSON.stringify(fields)]),
        ...batch.map(({ number, sql, parameters }) => [
          `${nameOf(number)}.sql`,
          savedQuery(number, sql, parameters),
        ]),
      ]),
    );
    const rows = Object.fromEntries(tables.map((table) => [table.name, table.rows]));
    try {
      const app = await openTestApp(rows, { QUERIES_DIR: folder.folder }).catch((error: unknown) => {
        if (error instanceof StartError) return error;
        throw error;
      });
      if (app instanceof StartError) {
        const whyOf = ({ number }: RandomQuery) =>
          app.problems.find(({ file }) => file?.endsWith(`${nameOf(number)}.sql`))?.message;
        const others = batch.filter((query) => whyOf(query) === undefined);
        if (others.length === batch.length) throw app;
        for (const query of batch)
          if (!others.includes(query)) report('refused at start', query, whyOf(query));
        return await judgeBatch(others, report);
      }
      for (const query of batch) {
        const path = `/api/endpoints/query/${nameOf(query.number)}?${searchOf(query.parameters)}`;
        const response = await app.fetch(path);
        const body = (await response.json()) as { result?: { x?: string }[]; error?: { message: string } };
        if (response.status === 400) report('not asked: no value of a request', query);
        else if (body.result === undefined) report('run time', query, body.error?.message ?? '');
        else
          judgeRows(
            query,
            body.result.map(({ x = 'null' }) => x),
            report,
          );
      }
      await app.close();
    } finally {
      folder.close();
    }
  }
}

function judgeRows(
  query: RandomQuery,
  ours: readonly string[],
  report: (outcome: string, query: RandomQuery, why?: string) => void,
): void {
  const { made, rows } = query;
  const isTotal = made.sortedBy?.length === made.columns.length;
  const isSame = made.isCut && !isTotal ? ours.length === rows.length : areSameRows(ours, rows);
  if (isSame) report('agree', query);
  else
    report(
      'WRONG',
      query,
      `ours:      ${ours.join(' ').slice(0, 400)}\nreference: ${rows.join(' ').slice(0, 400)}`,
    );
}

const nameOf = (number: number) => `random-${number}`;

/** As a case: the query, the values of its parameters, and both answers. */
const describe = (outcome: string, { number, sql, parameters }: RandomQuery, why: string): string =>
  `--- ${outcome}, query ${number} through REST\n${sql}\nparameters: ${JSON.stringify(parameters)}\n${why}\n`;
