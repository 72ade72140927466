import { fuzzSql } from './sql.ts';

// `npx node test/fuzz/run-sql.ts`, `npx node test/fuzz/run-sql.ts <texts> <seed>`: the same seed makes the same texts.
const [texts = '100000', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
const started = performance.now();
const { outcomes, exits, deadly, longestTurnMs, peakMb } = await fuzzSql(Number(texts), Number(seed));

const counts = Object.entries(outcomes).map(([outcome, count]) => `${outcome}: ${count}`);
process.stdout.write(`
${texts} texts in ${Math.round((performance.now() - started) / 1000)} s, seed ${seed}
outcomes       ${counts.join(', ')}
exits          ${exits}
longest turn   ${Math.round(longestTurnMs)} ms of processor time
memory         ${peakMb} MB at most
`);
for (const { sql, end } of deadly) process.stdout.write(`\n${end}: ${sql}\n`);
if (exits > 0) process.exitCode = 1;
