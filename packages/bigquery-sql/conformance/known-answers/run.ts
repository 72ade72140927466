import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOrdered } from '../judge.ts';
import { openCachedEvaluator } from '../reference/cached-evaluator.ts';
import { runCommand, lost } from '../run-command.ts';
import { classify } from '../suite-outcome.ts';
import { type Answer, showAnswer } from '../values.ts';
import { goTests } from './go-tests.ts';
import type { KnownAnswer } from './known-answer.ts';
import { sqlxTests } from './sqlx-tests.ts';

const hasScript = /^\s*(?:create|begin|declare)\b/im;

/** Texts of values without an order, windows with equal keys or without ORDER BY, and the bytes of a sketch. */
const hasUndefinedOrder =
  /\b(?:(?:string|array|array_concat)_agg\s*\((?:(?!order\s+by)[^()])*\)|over\s*\(|hll_count\.(?:init|merge_partial))/i;

const readsClock = /\b(?:current_(?:date|datetime|time|timestamp)|rand|generate_uuid|session_user)\b/i;

/**
 * Runs the statements that other projects test GoogleSQL with, and compares the answers with those that they state. A
 * checkout has `query_test.go` (github.com/goccy/go-zetasqlite) or `udfs` (GoogleCloudPlatform/bigquery-utils). Where the
 * answer is another one, GoogleSQL's reference evaluator judges. The exit code is 1 if an answer is wrong.
 */
const checkouts = process.argv.slice(2);
if (checkouts.length === 0)
  throw new Error(
    'expected checkouts: npx node packages/bigquery-sql/conformance/known-answers/run.ts go-zetasqlite bigquery-utils',
  );
const known = checkouts.flatMap(answersOf);
const runnable = known.filter(({ skipped }) => skipped === undefined);
const found = await runCommand(
  runnable.map(({ sql }) => sql),
  '20',
);
const others = runnable.flatMap((one, at) => {
  const answer = found[at] ?? lost;
  return one.isStated(answer) ? [] : [{ one, answer }];
});
const evaluator = openCachedEvaluator();
const judged: { readonly one: KnownAnswer; readonly answer: Answer; readonly reason: string }[] = [];
for (const { one, answer } of others) judged.push({ one, answer, reason: await reasonOf(one, answer) });
await evaluator.close();

console.log(`${known.length} statements: ${runnable.length - others.length} as stated`);
const skipped = known.flatMap(({ source, skipped }) =>
  skipped === undefined ? [] : [{ source, reason: skipped }],
);
const differing = judged.map(({ one, reason }) => ({ source: one.source, reason }));
const byReason = Map.groupBy([...differing, ...skipped], ({ reason }) => reason);
for (const [reason, group] of [...byReason].sort(([, a], [, b]) => b.length - a.length))
  console.log(
    `${String(group.length).padStart(5)}  ${reason} (${group[0]?.source}${group.length > 1 ? ', …' : ''})`,
  );
const wrong = judged.filter(({ reason }) => reason.startsWith('WRONG'));
for (const { one, answer } of wrong)
  console.log(`--- ${one.source}\n${one.sql}\nquerygate: ${showAnswer(answer)}\n`);
process.exitCode = wrong.length === 0 ? 0 : 1;

function answersOf(checkout: string): readonly KnownAnswer[] {
  if (existsSync(join(checkout, 'query_test.go'))) return goTests(checkout);
  if (existsSync(join(checkout, 'udfs'))) return sqlxTests(checkout);
  throw new Error(`${checkout} has neither query_test.go nor udfs`);
}

/** Why an answer is not the stated one. The evaluator takes no script. */
async function reasonOf({ sql }: KnownAnswer, answer: Answer): Promise<string> {
  const reference: Answer = hasScript.test(sql)
    ? { error: 'a script', stage: 'missing' }
    : await evaluator.evaluate(sql);
  if ('error' in answer) {
    if (answer.stage === 'broken') return 'WRONG: a crash';
    if ('error' in reference && reference.stage !== 'missing') return 'fails in the evaluator, too';
    return `${answer.stage === 'analysis' ? 'refused' : 'fails'}: ${answer.error.split('\n')[0]}`;
  }
  if (readsClock.test(sql)) return 'reads the clock, or is random';
  const outcome = classify(answer, reference, sql, isOrdered);
  if (outcome === 'agree') return 'the evaluator has the same other answer';
  return hasUndefinedOrder.test(sql) ? 'its order, or its sketch, is not defined' : 'WRONG';
}
