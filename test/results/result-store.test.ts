import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { zeroCounters } from '../../src/results/counters.ts';
import { openResultStore } from '../../src/results/result-store.ts';
import { buildDocument } from '../../src/results/result-document.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { isNightly } from '../support/nightly.ts';
import { runTime } from '../support/run-time.ts';

/** Finalizers free memory one turn of the event loop after the collection. */
const used = async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    collectGarbage();
    await sleep(10);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

describe('results in memory', () => {
  const limit = 32_000_000;
  /** The memory that compiled code and compression take. */
  const noise = 3_000_000;

  test.each([
    ['small', 100, 100_000],
    ['large', 40_000, isNightly ? 5_000 : 2_500],
  ])(
    '%s ones stay under the limit, and so does the memory that they really take',
    async (_, size, keys) => {
      const counters = zeroCounters();
      const memory = openResultStore(limit, counters);
      // Compression is used once before: its own memory is not counted.
      await buildDocument({ rows: [JSON.stringify('x'.repeat(40_000))], truncated: false }, runTime(0));
      const before = await used();
      for (let key = 0; key < keys; key += 1) {
        const row = JSON.stringify({ x: randomBytes(size / 2).toString('hex') });
        await memory.put(
          `a key that is as long as keys are ${key}`,
          await buildDocument({ rows: [row], truncated: false }, runTime(0)),
        );
        if (key % 1_000 === 0) expect(counters.bytes).toBeLessThanOrEqual(limit);
      }
      expect(counters.entries + counters.evictions).toBe(keys);
      expect(counters.evictions).toBeGreaterThan(0);
      expect(counters.bytes).toBeGreaterThan(limit * 0.9);
      expect((await used()) - before).toBeLessThan(limit + noise);
      expect(await memory.get(`a key that is as long as keys are ${keys - 1}`)).toBeDefined();
    },
    120_000,
  );

  test('an older result does not replace a newer one', async () => {
    const memory = openResultStore(limit, zeroCounters());
    const at = (computedAt: number) => buildDocument({ rows: ['{}'], truncated: false }, runTime(computedAt));
    await memory.put('key', await at(2));
    await memory.put('key', await at(1));
    expect((await memory.get('key'))?.computedAt).toBe(2);
  });

  test('a result that is larger than the limit is not stored', async () => {
    const counters = zeroCounters();
    const memory = openResultStore(10_000, counters);
    const row = JSON.stringify({ x: 'x'.repeat(20_000) });
    await memory.put('key', await buildDocument({ rows: [row], truncated: false }, runTime(0)));
    expect(await memory.get('key')).toBeUndefined();
    expect(counters.entries).toBe(0);
  });
});

test('of a large result that was evicted it is known which one was the newest', async () => {
  const memory = openResultStore(10_000_000, zeroCounters());
  const built = (begunAt: number) =>
    buildDocument({ rows: [JSON.stringify('x'.repeat(6_000_000))], truncated: false }, runTime(begunAt));
  const [first, second, other] = [await built(1), await built(2), await built(3)];
  await memory.put('key', second);
  expect(memory.isNewest('key', second.id)).toBe(true);
  await memory.put('other', other);
  expect(await memory.get('key')).toBeUndefined();
  expect(memory.isNewest('key', second.id)).toBe(true);
  await memory.put('key', first);
  expect(await memory.get('key')).toBeUndefined();
  expect([first, second].map(({ id }) => memory.isNewest('key', id))).toEqual([false, true]);
  const third = await built(4);
  await memory.put('key', third);
  expect([second, third].map(({ id }) => memory.isNewest('key', id))).toEqual([false, true]);
});
