/**
 * What queries of daily use cost, compiled and as a person would write them for DuckDB, measured in turns.
 *
 *     node packages/bigquery-sql/conformance/speed/run.ts [--rows 300000] [--rounds 5] [part of a name …]
 */
import { parseArgs } from 'node:util';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { openSession, storedTables } from '../../src/duckdb/open-session.ts';
import { compile } from '../../src/index.ts';
import { eventsTable, type Shape, shapes } from './shapes.ts';

const { values: options, positionals } = parseArgs({
  options: { rows: { type: 'string', default: '300000' }, rounds: { type: 'string', default: '5' } },
  allowPositionals: true,
});

const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
const connection = await instance.connect();
await connection.run(eventsTable.replace('$rows', String(Number(options.rows))));
const session = await openSession(connection);
const tables = await storedTables(connection);

console.log(`| shape, ${options.rows} rows | ours, ms | by hand, ms | ratio |\n| --- | --- | --- | --- |`);
const wanted = shapes.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
for (const shape of wanted) {
  const { ours, hand } = await measure(shape);
  const ratio = (ours / hand).toFixed(2);
  console.log(`| ${shape.name} | ${ours.toFixed(1)} | ${hand.toFixed(1)} | ${ratio} |`);
}
connection.closeSync();
instance.closeSync();

/** The least processor time of each side, in milliseconds: others may load the machine. */
async function measure({ name, sql, hand }: Shape): Promise<{ ours: number; hand: number }> {
  const outcome = await session.run(sql);
  if (!('rows' in outcome)) throw new Error(`${name}: ${JSON.stringify(outcome)}`);
  const compiled = compile(sql, { tables }).sql;
  const best = { ours: Number.POSITIVE_INFINITY, hand: Number.POSITIVE_INFINITY };
  for (let round = 0; round < Number(options.rounds); round += 1) {
    best.ours = Math.min(best.ours, await timeOf(connection, compiled));
    best.hand = Math.min(best.hand, await timeOf(connection, hand));
  }
  return best;
}

async function timeOf(on: DuckDBConnection, sql: string): Promise<number> {
  const start = process.cpuUsage();
  await on.run(sql);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
