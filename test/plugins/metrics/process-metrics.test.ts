import { expect, test } from 'vitest';
import { processMetrics } from '../../../src/plugins/metrics/process-metrics.ts';
import { eventually } from '../../support/eventually.ts';

/** The delays of the event loop, by their names. */
const delays = () =>
  new Map(
    processMetrics()
      .filter(({ name }) => /^nodejs_eventloop_lag_(?!seconds)/.test(name))
      .flatMap(({ name, samples }) => samples().map(({ value }) => [name, value] as const)),
  );

test('the delays of the event loop are the same for each of two scrapes, and none before the first', async () => {
  expect([...delays().values()].filter((value) => !(value >= 0 && value < 1_000))).toEqual([]);
  await eventually(() => expect(delays().size).toBe(7));
  const first = delays();
  expect(delays()).toEqual(first);
  expect([...first.values()].filter((value) => !(value >= 0 && value < 1_000))).toEqual([]);
});
