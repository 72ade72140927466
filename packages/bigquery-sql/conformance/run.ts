import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { acceptedDifferences, unusedDifferences } from './accepted-differences.ts';
import { type Case, loadCases } from './cases.ts';
import { judgeCompositions } from './compositions.ts';
import { completenessProblems, unsupportedSubjects } from './dialect.ts';
import { documentDialect } from './documentation.ts';
import { emptyTableProblems } from './empty-tables.ts';
import { judgeAll, type Verdict } from './judge.ts';
import { loadShipped } from './load-shipped.ts';
import { loadTables } from './load-tables.ts';
import { openLocalEngine } from './local/engine.ts';
import { nullCases } from './null-arguments.ts';
import { openEvaluators } from './reference/evaluator.ts';
import { hasLibrary } from './reference/processes.ts';
import { describeDifferences, scoresOf, summarise } from './report.ts';
import { repeatedDraws } from './random-operands.ts';
import { rowCases } from './rows.ts';
import { lostStoredRows } from './stored-rows.ts';
import { inSubqueries, ofSubqueries } from './subqueries.ts';

/**
 * Runs every case, or those under the given headings, on both engines; writes docs/dialect.md after a complete run.
 * `--fixed` takes two cases of each line, and nothing that is generated from cases: NULL as each argument, rows,
 * subqueries and compositions.
 * Exit code 1 if an answer differs and the difference is not accepted, or if a function has no cases.
 */
const { values: options, positionals: subjects } = parseArgs({
  allowPositionals: true,
  options: { differences: { type: 'string' }, fixed: { type: 'boolean', default: false } },
});

const isComplete = subjects.length === 0 && !options.fixed;
if (isComplete && !hasLibrary())
  throw new Error(
    'a complete run needs the evaluator of 2025: install Java and Maven, and run .ci/install-evaluator',
  );
const shipped = loadShipped();
const tables = [...loadTables(join(import.meta.dirname, 'cases', 'tables.yaml')), ...shipped.tables];
const cases = [...loadCases(), ...shipped.cases].filter(
  ({ subject }) => subjects.length === 0 || subjects.includes(subject),
);

const { verdicts: all, problems } = await judgeCases(options.fixed ? someOfEachLine(cases, 2) : cases);
const verdicts = hasLibrary() ? all : all.filter(({ verdict }) => verdict !== 'unjudged');
if (verdicts.length < all.length)
  console.log(`${all.length - verdicts.length} cases are for the evaluator of 2025, which is not installed`);
const scores = scoresOf(verdicts, [...acceptedDifferences, ...unsupportedSubjects]);
const differences = describeDifferences(scores);
const incomplete = [
  ...problems,
  ...(isComplete ? [...completenessProblems(scores), ...unusedDifferenceProblems(verdicts)] : []),
];

console.log(summarise(scores));
for (const problem of incomplete) console.log(problem);
if (options.differences === undefined) console.log(differences);
else writeFileSync(options.differences, differences);
if (isComplete) {
  const docs = join(import.meta.dirname, '../../../docs');
  mkdirSync(docs, { recursive: true });
  writeFileSync(join(docs, 'dialect.md'), documentDialect(scores));
}
process.exitCode = differences === '' && incomplete.length === 0 ? 0 : 1;

/** Verdicts, and what is wrong besides. */
async function judgeCases(
  cases: readonly Case[],
): Promise<{ readonly verdicts: readonly Verdict[]; readonly problems: readonly string[] }> {
  const local = await openLocalEngine(tables);
  const evaluators = await openEvaluators(tables);
  try {
    const single = await judgeAll(cases, local, evaluators);
    if (options.fixed) return { verdicts: single, problems: [] };
    const nulls = await judgeAll(nullCases(single, tables), local, evaluators);
    // Some functions take constants only: for these the reference, too, rejects the query over rows.
    const rows = [rowCases(single), ...[inSubqueries, ofSubqueries].map((place) => rowCases(single, place))];
    const overRows = await judgeAll(rows.flat(), local, evaluators);
    const compositions = subjects.length === 0 ? await judgeCompositions(single, local, evaluators) : [];
    const generated = [...nulls, ...overRows].filter(({ verdict }) => verdict !== 'invalid');
    const problems = [
      ...(await repeatedDraws(single)),
      ...(await lostStoredRows(single, overRows)),
      ...(await emptyTableProblems(cases, tables)),
    ];
    return { verdicts: [...single, ...generated, ...compositions], problems };
  } finally {
    await evaluators.close();
    await local.close();
  }
}

/** The first and the last case of each line, and others at equal distances. */
function someOfEachLine(cases: readonly Case[], count: number): readonly Case[] {
  return [...Map.groupBy(cases, ({ template }) => template).values()].flatMap((group) => {
    const step = Math.max(1, (group.length - 1) / (count - 1));
    return group.filter((_, at) => at === Math.round(Math.round(at / step) * step));
  });
}

function unusedDifferenceProblems(verdicts: readonly Verdict[]): readonly string[] {
  return unusedDifferences(verdicts).map(
    ({ subject, reason }) => `${subject}: no difference matches "${reason}" any longer`,
  );
}
