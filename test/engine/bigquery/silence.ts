import { setTimeout as sleep } from 'node:timers/promises';
import { silence } from '../../support/fake-bigquery.ts';
import { openOnFake } from './open-fake.ts';

// A program of its own, started with --expose-gc: asks a server that never answers, again and again, and prints what is
// left of it.
const timeoutMs = 300;
const calls = 200;

const on = await openOnFake({
  ENGINE_TIMEOUT_MS: String(timeoutMs),
  ENGINE_CONCURRENCY: '20',
  ENGINE_QUEUE_LENGTH: '20',
});
on.fake.plays(silence);

const look = async () => {
  // What the last calls left behind closes in its own time.
  await sleep(100);
  globalThis.gc?.();
  const handles = process.getActiveResourcesInfo().filter((one) => one !== 'Timeout' && one !== 'Immediate');
  const timers = process.getActiveResourcesInfo().filter((one) => one === 'Timeout');
  return { handles: handles.length, timers: timers.length, heapBytes: process.memoryUsage().heapUsed };
};
const latenesses: number[] = [];
const codes = new Set<unknown>();
const ask = async (count: number) => {
  for (let left = count; left > 0; left -= 20) {
    const started = performance.now();
    const refusals = Array.from({ length: 20 }, async () => {
      const { code } = (await on.refusal()) as { code: string };
      codes.add(code);
      latenesses.push(performance.now() - started - timeoutMs);
    });
    await Promise.all(refusals);
    on.fake.plays(silence);
  }
};

await ask(40);
latenesses.length = 0;
const before = await look();
await ask(calls);
const after = await look();
await on.close();
process.stdout.write(
  JSON.stringify({ calls, codes: [...codes], latestMs: Math.round(Math.max(...latenesses)), before, after }),
);
