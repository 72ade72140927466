import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { type Case, cases } from './cases.ts';
import { summary, type Times, timed } from './measure.ts';
import { endTelling, ms, printTable, ratio, tell } from './print.ts';
import { openProduct, type Product } from './product.ts';

const mostRatio = 3;
const scans = 4;
const asks = 100;
const pauseMs = 20;

/** A light question alone, then beside four callers who scan everything without end; one engine, as it starts by default. */
export async function benchLight(bench: Bench): Promise<void> {
  const set = bench.sets.at(-1);
  const light = cases.find(({ label }) => label === '1hr, all functions, small');
  if (set === undefined || light === undefined) throw new Error('There is nothing to ask');
  tell(`${set.name}: opening`);
  const product = await openProduct({ ...set, ...bench });
  let alone: Times;
  let beside: Times;
  let scansDone = 0;
  let stopped = false;
  const scan = async () => {
    while (!stopped) {
      await product.ask('bench.heavy', { pattern: 'no-such-(thing|word)' });
      scansDone += 1;
    }
  };
  let scanning: Promise<unknown> = Promise.resolve();
  try {
    tell(`${set.name}: a light question alone`);
    await askOften(product, light);
    alone = await askOften(product, light);
    tell(`${set.name}: a light question beside ${scans} scans`);
    scanning = Promise.all(Array.from({ length: scans }, scan)).catch((error: unknown) => {
      // What still runs when the engine closes is cancelled.
      if (!stopped) throw error;
    });
    await Promise.race([pause(500), scanning]);
    beside = await Promise.race([
      askOften(product, light),
      scanning.then(() => Promise.reject(new Error('The scans ended'))),
    ]);
  } finally {
    stopped = true;
    await product.close();
  }
  await scanning;
  endTelling();
  printTable(
    `A light question (${light.endpoint}: ${light.label}) over ${set.name} rows, alone and beside ${scans} scans (${scansDone} ended meanwhile), ms`,
    ['', 'alone', `beside ${scans} scans`, 'ratio', 'goal'],
    [
      ['p50', ms(alone.median), ms(beside.median), ratio(beside.median / alone.median), ''],
      ['p95', ms(alone.p95), ms(beside.p95), ratio(beside.p95 / alone.p95), `at most ${mostRatio}`],
    ],
  );
}

async function askOften(product: Product, { endpoint, parameters }: Case): Promise<Times> {
  const times: number[] = [];
  for (let left = asks; left > 0; left -= 1) {
    times.push(await timed(() => product.ask(endpoint, parameters)));
    await pause(pauseMs);
  }
  return summary(times);
}
