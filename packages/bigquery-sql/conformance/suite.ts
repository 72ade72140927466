import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isOrdered } from './judge.ts';
import { openCachedEvaluator } from './reference/cached-evaluator.ts';
import { lost, runCommand } from './run-command.ts';
import { classify, type Outcome, outcomes } from './suite-outcome.ts';
import { type Answer, showAnswer } from './values.ts';

/**
 * Runs a JSON array of `{ sql, source?, class?, judge? }` through `querygate sql` and judges every answer with the
 * reference evaluator, or with the answer `judge`. `class` is how the statement was judged before, for comparison.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // Statements to list, each with both answers: a class, or all.
    list: { type: 'string', multiple: true },
    // Only statements whose text or source contains this.
    only: { type: 'string' },
    // Writes every statement with its class here.
    out: { type: 'string' },
    // Seconds that one statement may take.
    timeout: { type: 'string', default: '10' },
  },
});

interface Statement {
  readonly sql: string;
  readonly source?: string;
  readonly class?: string;
  readonly judge?: Answer;
}

const [file] = positionals;
if (file === undefined)
  throw new Error('expected a JSON file: node packages/bigquery-sql/conformance/suite.ts statements.json');
const statements = (JSON.parse(readFileSync(file, 'utf8')) as readonly Statement[]).filter(
  ({ sql, source = '' }) => options.only === undefined || `${source}\n${sql}`.includes(options.only),
);

const startedAt = performance.now();
const [ours, references] = await Promise.all([
  runCommand(
    statements.map(({ sql }) => sql),
    options.timeout,
  ),
  referenceAll(statements),
]);
const judged = statements.map((statement, at) => {
  const [mine, reference] = [ours[at] ?? lost, references[at] ?? lost];
  return {
    ...statement,
    mine,
    reference,
    outcome: classify(mine, reference, statement.sql, isOrdered, statement.class),
  };
});

for (const { sql, source = '', mine, reference, outcome, class: before } of judged) {
  if (!options.list?.some((listed) => listed === 'all' || listed === outcome)) continue;
  console.log(`--- ${outcome}${before === undefined ? '' : `, before: ${before}`} ${source}\n${sql}`);
  console.log(`querygate: ${showAnswer(mine)}\nreference: ${showAnswer(reference)}\n`);
}
printTable();
if (options.out !== undefined) {
  const list = judged.map(({ sql, source, outcome }) => ({ sql, source, class: outcome }));
  writeFileSync(options.out, JSON.stringify(list, null, 1));
}

function printTable(): void {
  const total = judged.filter(({ outcome }) => !outcome.startsWith('not judged')).length;
  for (const outcome of outcomes) {
    const count = judged.filter((one) => one.outcome === outcome).length;
    const share = outcome.startsWith('not judged')
      ? ''
      : ` ${((count / total) * 100).toFixed(1).padStart(5)} %`;
    console.log(`${outcome.padEnd(32)} ${String(count).padStart(5)}${share}`);
  }
  const worse = judged.filter(({ class: before = '', outcome }) => wasGood(before) && !isGood(outcome));
  console.log(`agreed or failed alike before, and no longer: ${worse.length}`);
  for (const { source = '', sql, outcome } of worse.slice(0, 20))
    console.log(`  ${outcome}: ${source} ${sql.slice(0, 100).replaceAll('\n', ' ')}`);
  console.log(`${statements.length} statements in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

function wasGood(before: string): boolean {
  return before === 'agree' || before === 'both fail';
}

function isGood(outcome: Outcome): boolean {
  return outcome === 'agree' || outcome === 'both fail' || outcome.startsWith('not judged');
}

async function referenceAll(list: readonly Statement[]): Promise<readonly Answer[]> {
  const evaluator = openCachedEvaluator();
  const answers: Answer[] = [];
  const batchSize = 64;
  for (let at = 0; at < list.length; at += batchSize)
    answers.push(
      ...(await Promise.all(
        list.slice(at, at + batchSize).map(({ sql, judge }) => judge ?? evaluator.evaluate(sql)),
      )),
    );
  await evaluator.close();
  return answers;
}
