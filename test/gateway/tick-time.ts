import { setTimeout as sleep } from 'node:timers/promises';
import { apiKey } from '../../src/exports/keys.ts';
import { createGateway } from '../../src/index.ts';
import { queryText } from '../support/queries.ts';

// A program of its own, started with --expose-gc: collects garbage while nothing happens, and prints the processor time of
// 200,000 ticks, in ms. The argument `gateway` opens one first.
const count = 200_000;

const ticks = () =>
  new Promise<void>((resolve) => {
    let left = count;
    const next = () => {
      left -= 1;
      if (left > 0) process.nextTick(next);
      else resolve();
    };
    process.nextTick(next);
  });

// Until it is compiled.
await ticks();
if (process.argv[2] === 'gateway') {
  await createGateway({
    queries: { read: () => ({ 'one.sql': queryText({ columns: { n: 'integer' }, sql: 'select 1 as n' }) }) },
    engine: {
      name: 'none',
      sql: 'bigquery',
      open: async () => ({
        source: 'none',
        run: async () => ({ rows: [], truncated: false }),
        close: async () => {},
      }),
    },
    keys: apiKey('a-key'),
  });
}
for (let collections = 0; collections < 8; collections += 1) {
  await sleep(10);
  globalThis.gc?.();
}
await ticks();
const before = process.threadCpuUsage();
await ticks();
const { user, system } = process.threadCpuUsage(before);
process.stdout.write(`${(user + system) / 1_000}\n`);
process.exit();
