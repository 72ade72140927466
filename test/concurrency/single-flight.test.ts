import { expect, test } from 'vitest';
import { type Run, SingleFlight } from '../../src/concurrency/single-flight.ts';
import { fakeClock, settled } from '../support/fake-clock.ts';

const clock = fakeClock();
const neverAborted = () => new AbortController().signal;

/** A run that ends when the test says so, or with its signal. */
function controlledRun() {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const runs: Parameters<Run<string>>[0][] = [];
  const run: Run<string> = (context) => {
    runs.push(context);
    context.signal.addEventListener('abort', () => reject(new Error('aborted')));
    return promise;
  };
  return { run, runs, resolve };
}

test('callers of a key wait for one run, which knows how many they are', async () => {
  const flights = new SingleFlight<string>(clock);
  const { run, runs, resolve } = controlledRun();
  const outcomes = Promise.all([1, 2, 3].map(() => flights.wait('key', neverAborted(), run)));
  await settled();
  expect(runs).toHaveLength(1);
  expect(runs[0]?.callers()).toBe(3);
  expect(flights.runsWithCallers()).toBe(1);
  resolve('done');
  expect((await outcomes).map(({ joined }) => joined)).toEqual([false, true, true]);
  expect(flights.has('key')).toBe(false);
});

test('a run that was started without callers can be joined, and is not started twice', async () => {
  const flights = new SingleFlight<string>(clock);
  const { run, runs, resolve } = controlledRun();
  const started = flights.start('key', neverAborted(), run);
  await settled();
  expect(runs[0]?.callers()).toBe(0);
  expect(flights.runsWithCallers()).toBe(0);
  expect(await flights.start('key', neverAborted(), run)).toBeUndefined();
  const waiting = flights.wait('key', neverAborted(), run);
  resolve('done');
  expect(await started).toBe('done');
  expect(await waiting).toEqual({ outcome: 'done', joined: true });
});

test('a caller that joined a run without an outcome starts its own', async () => {
  const flights = new SingleFlight<string>(clock);
  const { run, resolve } = controlledRun();
  const started = flights.start('key', neverAborted(), run);
  const waiting = flights.wait('key', neverAborted(), async () => 'own');
  resolve(undefined);
  expect(await started).toBeUndefined();
  expect(await waiting).toEqual({ outcome: 'own', joined: false });
});

test('a run whose last caller disconnects goes on while it is awaited elsewhere', async () => {
  const flights = new SingleFlight<string>(clock);
  const { run, runs } = controlledRun();
  const caller = new AbortController();
  const waiting = flights.wait('key', caller.signal, run);
  await settled();
  let isAwaited = true;
  const [context] = runs;
  if (context !== undefined) context.isAwaitedElsewhere = async () => isAwaited;
  caller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
  await clock.pass(5_000);
  expect(context?.signal.aborted).toBe(false);
  isAwaited = false;
  await clock.pass(1_000);
  expect(context?.signal.aborted).toBe(true);
  expect(flights.has('key')).toBe(false);
});
