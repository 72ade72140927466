import { expect, test } from 'vitest';
import { watchUsage } from '../../../src/engines/duckdb/sandbox/watch-usage.ts';

test('memory that a text leaves is seen at its end, also if nobody has looked before', async () => {
  const memoryBytes = 1.5 * process.memoryUsage().rss;
  const watch = watchUsage(
    process.pid,
    0,
    { memoryBytes, processorMs: 60_000 },
    { onUse() {}, onExcess() {} },
  );
  // Longer than from one look to the next, which a busy event loop does not take.
  const endsAt = performance.now() + 100;
  while (performance.now() < endsAt);
  expect(await watch.end()).toBe(true);
});
