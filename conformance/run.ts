import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { explanations, unusedExplanations } from './accepted-differences.ts';
import { type Case, loadCases } from './cases.ts';
import { judgeCompositions } from './compositions.ts';
import { completenessProblems, refusals } from './dialect.ts';
import { documentDialect } from './documentation.ts';
import { judgeAll, type Verdict } from './judge.ts';
import { loadShipped } from './load-shipped.ts';
import { loadTables } from './load-tables.ts';
import { openLocalEngine } from './local/engine.ts';
import { openEvaluator } from './reference/evaluator.ts';
import { describeDifferences, scoresOf, summarise } from './report.ts';
import { rowCases } from './rows.ts';

/**
 * Asks both engines every case, or those under the headings named; writes docs/dialect.md when all were asked.
 * Exit code 1 where an answer differs and nobody has explained why, or where a function has no cases.
 */
const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { differences: { type: 'string' } },
});

const shipped = loadShipped();
const tables = [...loadTables(join(import.meta.dirname, 'cases', 'tables.yaml')), ...shipped.tables];
const cases = [...loadCases(), ...shipped.cases].filter(
  ({ subject }) => wanted.length === 0 || wanted.includes(subject),
);

const verdicts = await verdictsOn(cases);
const scores = scoresOf(verdicts, [...explanations, ...refusals]);
const differences = describeDifferences(scores);
const incomplete =
  wanted.length === 0 ? [...completenessProblems(scores), ...idleExplanations(verdicts)] : [];

console.log(summarise(scores));
for (const problem of incomplete) console.log(problem);
if (options.differences === undefined) console.log(differences);
else writeFileSync(options.differences, differences);
if (wanted.length === 0) {
  const docs = join(import.meta.dirname, '../docs');
  mkdirSync(docs, { recursive: true });
  writeFileSync(join(docs, 'dialect.md'), documentDialect(scores));
}
process.exitCode = differences === '' && incomplete.length === 0 ? 0 : 1;

async function verdictsOn(cases: readonly Case[]): Promise<readonly Verdict[]> {
  const local = await openLocalEngine(tables);
  const evaluator = await openEvaluator(tables);
  try {
    const single = await judgeAll(cases, local, evaluator);
    // Some functions take constants only; then the reference, too, refuses them over rows.
    const overRows = await judgeAll(rowCases(single), local, evaluator);
    const composed = wanted.length === 0 ? await judgeCompositions(single, local, evaluator) : [];
    return [...single, ...overRows.filter(({ verdict }) => verdict !== 'invalid'), ...composed];
  } finally {
    await evaluator.close();
    await local.close();
  }
}

function idleExplanations(verdicts: readonly Verdict[]): readonly string[] {
  return unusedExplanations(verdicts).map(
    ({ subject, reason }) => `${subject}: nothing differs any longer by "${reason}"`,
  );
}
