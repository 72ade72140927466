import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCases } from './cases.ts';
import { judgeCompositions } from './compositions.ts';
import { judgeAll } from './judge.ts';
import { openLocalEngine } from './local/engine.ts';
import { openEvaluator } from './reference/evaluator.ts';
import { describeDifferences, scoresOf, summarise } from './report.ts';
import { rowCases } from './rows.ts';
import { loadShipped } from './shipped.ts';
import { loadTables } from './tables.ts';

/** Asks both engines every case; exit code 1 where an answer differs and nobody has explained why. */
const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { differences: { type: 'string' } },
});

const shipped = loadShipped();
const cases = [...loadCases(), ...shipped.cases].filter(
  ({ subject }) => wanted.length === 0 || wanted.includes(subject),
);
const tables = [...loadTables(join(import.meta.dirname, 'cases', 'tables.yaml')), ...shipped.tables];
const local = await openLocalEngine(tables);
const evaluator = await openEvaluator(tables);
const verdicts = await judgeAll(cases, local, evaluator);
const overRows = await judgeAll(rowCases(verdicts), local, evaluator);
const composed = wanted.length === 0 ? await judgeCompositions(verdicts, local, evaluator) : [];
const scores = scoresOf([
  ...verdicts,
  ...overRows.filter(({ verdict }) => verdict !== 'invalid'),
  ...composed,
]);
await evaluator.close();
await local.close();

console.log(summarise(scores));
const differences = describeDifferences(scores);
if (options.differences === undefined) console.log(differences);
else writeFileSync(options.differences, differences);
process.exitCode = differences === '' ? 0 : 1;
