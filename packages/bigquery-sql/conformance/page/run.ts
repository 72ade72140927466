import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDialectDatabase } from '../../test/support/dialect-database.ts';
import { openSession } from '../../src/duckdb/open-session.ts';
import { type CliLine, toAnswer } from '../cli-answer.ts';
import { openEvaluator } from '../reference/evaluator.ts';
import { type Answer, showAnswer } from '../values.ts';
import { isSameLoosely } from './compare-loosely.ts';
import { runEmulator } from './emulator.ts';
import type { Measured } from './measured.ts';
import { runSqlglot, sqlglotName } from './sqlglot.ts';
import { pageStatements } from './statements.ts';

/**
 * `npx node packages/bigquery-sql/conformance/page/run.ts`: measures the table of the package's README, and writes it there: what bigquery-sql, sqlglot and
 * bigquery-emulator answer to the same statements, judged by GoogleSQL's reference evaluator, and how long they take.
 *
 * With `--list <outcome>`, it prints the statements for which bigquery-sql has it.
 */
const { values: options } = parseArgs({ options: { list: { type: 'string' } } });

const outcomes = [
  'same rows',
  'fails where GoogleSQL fails',
  'refuses, or fails',
  'answers where GoogleSQL fails',
  'other rows',
] as const;
type Outcome = (typeof outcomes)[number];

const statements = pageStatements();
const references = await referenceAnswers();
const judged = statements.flatMap((sql, at) => {
  const reference = references[at];
  // The evaluator does not know everything that BigQuery has.
  const isJudged = reference !== undefined && !('error' in reference && reference.stage === 'missing');
  return isJudged ? [{ sql, reference }] : [];
});
const texts = judged.map(({ sql }) => sql);
const programs = new Map<string, readonly Measured[] | undefined>([
  ['bigquery-sql', await runOurs(texts)],
  [sqlglotName, await runSqlglot(texts)],
  ['bigquery-emulator', await runEmulator(texts)],
]);
for (const [at, { answer }] of (programs.get('bigquery-sql') ?? []).entries()) {
  const { sql, reference } = judged[at] as (typeof judged)[number];
  if (outcomeOf(answer, reference) === options.list)
    console.log(`${sql}\n  ours:      ${showAnswer(answer)}\n  reference: ${showAnswer(reference)}`);
}
const table = tableOf();
console.log(table);
writeTable(table);

async function referenceAnswers(): Promise<readonly Answer[]> {
  const evaluator = await openEvaluator();
  const answers: Answer[] = [];
  // One at a time: an answer that is late counts as missing.
  for (const sql of statements) answers.push(await evaluator.evaluate(sql));
  await evaluator.close();
  return answers;
}

/** As the package's users run it. */
async function runOurs(list: readonly string[]): Promise<readonly Measured[]> {
  const { connection, close } = await openDialectDatabase();
  const session = await openSession(connection);
  const answers: Measured[] = [];
  for (const sql of list) {
    const startedAt = performance.now();
    const outcome = await session.run(sql);
    const ms = performance.now() - startedAt;
    answers.push({
      answer: toAnswer(JSON.parse(JSON.stringify({ statement: 1, ...outcome })) as CliLine),
      ms,
    });
  }
  close();
  return answers;
}

function outcomeOf(answer: Answer, reference: Answer): Outcome {
  if ('error' in reference)
    return 'error' in answer ? 'fails where GoogleSQL fails' : 'answers where GoogleSQL fails';
  if ('error' in answer) return 'refuses, or fails';
  return isSameLoosely(answer, reference) ? 'same rows' : 'other rows';
}

function tableOf(): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const columns = [...programs.values()];
  const share = (outcome: Outcome) =>
    columns.map((answers) => {
      if (answers === undefined) return 'not installed';
      const count = answers.filter(
        ({ answer }, at) => outcomeOf(answer, judged[at]?.reference ?? answer) === outcome,
      ).length;
      return `${((100 * count) / judged.length).toFixed(1)} % (${count})`;
    });
  const time = (part: number) =>
    columns.map((answers) => {
      const sorted = answers?.map(({ ms }) => ms).sort((a, b) => a - b) ?? [];
      const ms = sorted[Math.floor(part * sorted.length)];
      return ms === undefined ? 'not installed' : `${ms.toFixed(1)} ms`;
    });
  return [
    line([`${judged.length} statements`, ...programs.keys()]),
    line(Array.from({ length: programs.size + 1 }, () => '---')),
    ...outcomes.map((outcome) => line([outcome, ...share(outcome)])),
    line(['until the answer, median', ...time(0.5)]),
    line(['until the answer, 99 of 100', ...time(0.99)]),
  ].join('\n');
}

function writeTable(text: string): void {
  const file = join(import.meta.dirname, '../../README.md');
  const readme = readFileSync(file, 'utf8');
  const [begin, end] = ['<!-- conformance/page/run.ts -->', '<!-- end -->'];
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Error('README.md has no place for the table');
  writeFileSync(file, `${readme.slice(0, from)}${begin}\n${text}\n${readme.slice(to)}`);
}
