/**
 * What it costs to compile and plan functions and operators that are inside themselves, in processor time.
 *
 *     node packages/bigquery-sql/conformance/depth/run.ts [--depth 10] [--above 100] [part of a subject …]
 */
import { parseArgs } from 'node:util';
import { createTable, openDialectDatabase } from '../../test/support/dialect-database.ts';
import { flags, nestedCalls } from './nested-calls.ts';
import { servedTextOf } from './plans.ts';

const { values: options, positionals } = parseArgs({
  options: { depth: { type: 'string', default: '10' }, above: { type: 'string', default: '100' } },
  allowPositionals: true,
});

const { connection, close } = await openDialectDatabase({ threads: '1' });
await connection.run(createTable(flags));
const costs = [];
for (const { subject, shown, sql } of nestedCalls()) {
  if (positionals.length > 0 && !positionals.some((part) => subject.includes(part))) continue;
  const text = sql(Number(options.depth));
  // Another process may load the machine.
  const ms = Math.min(await timeOf(text), await timeOf(text));
  costs.push({ subject, shown, ms });
}
close();

costs.sort((a, b) => b.ms - a.ms);
const above = costs.filter(({ ms }) => ms > Number(options.above));
console.log(
  `${costs.length} calls ${options.depth} deep; ${above.length} take more than ${options.above} ms`,
);
console.log(`median ${costs[Math.floor(costs.length / 2)]?.ms.toFixed(1)} ms`);
console.log('| subject | call | ms |\n| --- | --- | --- |');
for (const { subject, shown, ms } of costs.slice(0, Math.max(20, above.length)))
  console.log(`| ${subject} | ${shown.replace(/\s+/g, ' ').slice(0, 90)} | ${ms.toFixed(1)} |`);

async function timeOf(sql: string): Promise<number> {
  const start = process.cpuUsage();
  const prepared = await connection.prepare(servedTextOf(sql));
  const { user, system } = process.cpuUsage(start);
  prepared.destroySync();
  return (user + system) / 1000;
}
