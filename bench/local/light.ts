import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from './bench.ts';
import { type Case, cases } from './cases.ts';
import { summary, type Times, timed } from './measure.ts';
import { endProgress, ms, printTable, ratio, showProgress } from './print.ts';
import { openProduct, type Product } from './product.ts';

const mostRatio = 2;
const scans = 4;
const samples = 100;
const pauseMs = 20;

/** A light query alone, then while four callers scan everything without pause; one engine with default settings. */
export async function benchLight(bench: Bench): Promise<void> {
  const set = bench.sets.at(-1);
  const light = cases.find(({ label }) => label === '1hr, all functions, small');
  if (set === undefined || light === undefined) throw new Error('There is no light query, or no set');
  showProgress(`${set.name}: opening`);
  const product = await openProduct({ ...set, ...bench });
  let alone: Times;
  let beside: Times;
  let scansDone = 0;
  let stopped = false;
  const scan = async () => {
    while (!stopped) {
      await product.run('bench.heavy', { pattern: 'no-such-(thing|word)' });
      scansDone += 1;
    }
  };
  let scanning: Promise<unknown> = Promise.resolve();
  try {
    showProgress(`${set.name}: a light query alone`);
    await runOften(product, light);
    alone = await runOften(product, light);
    showProgress(`${set.name}: a light query beside ${scans} scans`);
    scanning = Promise.all(Array.from({ length: scans }, scan)).catch((error: unknown) => {
      // A scan that is running when the engine closes is cancelled.
      if (!stopped) throw error;
    });
    await Promise.race([pause(500), scanning]);
    beside = await Promise.race([
      runOften(product, light),
      scanning.then(() => Promise.reject(new Error('The scans ended'))),
    ]);
  } finally {
    stopped = true;
    await product.close();
  }
  await scanning;
  endProgress();
  printTable(
    `A light query (${light.endpoint}: ${light.label}) over ${set.name} rows, alone and beside ${scans} scans (${scansDone} ended meanwhile), ms`,
    ['', 'alone', `beside ${scans} scans`, 'ratio', 'goal'],
    [
      ['p50', ms(alone.median), ms(beside.median), ratio(beside.median / alone.median), ''],
      ['p95', ms(alone.p95), ms(beside.p95), ratio(beside.p95 / alone.p95), `at most ${mostRatio}`],
    ],
  );
}

async function runOften(product: Product, { endpoint, parameters }: Case): Promise<Times> {
  const times: number[] = [];
  for (let left = samples; left > 0; left -= 1) {
    times.push(await timed(() => product.run(endpoint, parameters)));
    await pause(pauseMs);
  }
  return summary(times);
}
