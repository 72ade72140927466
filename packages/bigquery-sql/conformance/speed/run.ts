/**
 * What queries of daily use cost, compiled and as a person would write them for DuckDB, measured in random turns.
 *
 *     node packages/bigquery-sql/conformance/speed/run.ts [--rows 1000000] [--rounds 7] [part of a name …]
 */
import { parseArgs } from 'node:util';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { openSession, storedTables } from '../../src/duckdb/open-session.ts';
import { compile } from '../../src/index.ts';
import { queryShapes } from './query-shapes.ts';
import { functionShapes, type Shape, tables as createTables } from './shapes.ts';

const { values: options, positionals } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '7' } },
  allowPositionals: true,
});

const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const connection = await instance.connect();
await connection.run(createTables.replace('$rows', String(Number(options.rows))));
const session = await openSession(connection);
const tables = await storedTables(connection);

console.log(
  `| shape, ${options.rows} rows | ours, ms | by hand, ms | ratio | same answer |\n| --- | --- | --- | --- | --- |`,
);
const chosen = [...functionShapes, ...queryShapes].filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
let within = 0;
for (const shape of chosen) {
  const { ours, hand, isSame } = await measure(shape);
  const ratio = (ours / hand).toFixed(2);
  if (Number(ratio) <= 1.5) within += 1;
  const answer = isSame ? 'yes' : `no: ${shape.differs ?? 'UNEXPECTED'}`;
  console.log(`| ${shape.name} | ${ours.toFixed(1)} | ${hand.toFixed(1)} | ${ratio} | ${answer} |`);
}
console.log(`${within} of ${chosen.length} take at most 1.5 times what they take by hand`);
connection.closeSync();
instance.closeSync();

/** The median processor time of each side, in milliseconds. */
async function measure({ name, sql, hand }: Shape) {
  const outcome = await session.run(sql);
  if (!('rows' in outcome)) throw new Error(`${name}: ${JSON.stringify(outcome)}`);
  const sides = { ours: compile(sql, { tables }).sql, hand };
  const answers = { ours: await answerOf(sides.ours), hand: await answerOf(sides.hand) };
  const times: Record<keyof typeof sides, number[]> = { ours: [], hand: [] };
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const turns = Math.random() < 0.5 ? (['ours', 'hand'] as const) : (['hand', 'ours'] as const);
    for (const side of turns) times[side].push(await timeOf(connection, sides[side]));
  }
  return {
    ours: median(times.ours),
    hand: median(times.hand),
    isSame: isSameAnswer(answers.ours, answers.hand),
  };
}

async function answerOf(sql: string): Promise<unknown> {
  return (await connection.runAndReadAll(sql)).getRowsJson()[0]?.[0];
}

/** True if answers are equal, or numbers but for the order of a sum, or for the digits that DuckDB writes. */
function isSameAnswer(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || Math.abs(Number(one) / Number(other) - 1) < 1e-9;
}

async function timeOf(on: DuckDBConnection, sql: string): Promise<number> {
  const start = process.cpuUsage();
  await on.run(sql);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
