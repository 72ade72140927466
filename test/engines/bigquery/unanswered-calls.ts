import { setTimeout as sleep } from 'node:timers/promises';
import { neverRespond } from '../../support/fake-bigquery.ts';
import { measureLoopTime } from '../../support/loop-time.ts';
import { openWithFake } from './open-with-fake.ts';

// A program of its own, started with --expose-gc: runs queries on a server that never responds, and prints the resources
// that remain in use.
const timeoutMs = 300;
const calls = 200;

const setup = await openWithFake({
  ENGINE_TIMEOUT_MS: String(timeoutMs),
  ENGINE_CONCURRENCY: '20',
});
setup.fake.respondWith(neverRespond);

const measure = async () => {
  // The sockets of the last calls close in later turns of the event loop, of which a pause of the process is one.
  for (let turn = 0; turn < 10; turn += 1) await sleep(10);
  globalThis.gc?.();
  const handles = process.getActiveResourcesInfo().filter((one) => one !== 'Timeout' && one !== 'Immediate');
  const timers = process.getActiveResourcesInfo().filter((one) => one === 'Timeout');
  return { handles: handles.length, timers: timers.length, heapBytes: process.memoryUsage().heapUsed };
};
const delaysMs: number[] = [];
const codes = new Set<unknown>();
const runQueries = async (count: number) => {
  for (let left = count; left > 0; left -= 20) {
    const failures = Array.from({ length: 20 }, async () => {
      const loopMs = measureLoopTime();
      const { code } = (await setup.runError()) as { code: string };
      codes.add(code);
      delaysMs.push(loopMs() - timeoutMs);
    });
    await Promise.all(failures);
    setup.fake.respondWith(neverRespond);
  }
};

await runQueries(40);
delaysMs.length = 0;
const before = await measure();
await runQueries(calls);
const after = await measure();
await setup.close();
process.stdout.write(
  JSON.stringify({ calls, codes: [...codes], latestMs: Math.round(Math.max(...delaysMs)), before, after }),
);
