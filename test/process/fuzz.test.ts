import { expect, test } from 'vitest';
import { fuzz } from '../fuzz/fuzz.ts';

// `npm run fuzz` sends a hundred thousand, others each time.
test('three thousand requests that may be anything: no 5xx, no secret in the log, and it ends well', async () => {
  const { statuses, failed, exitCode, leaked } = await fuzz(3_000, 20_261_121);
  expect(failed).toEqual([]);
  expect(exitCode).toBe(0);
  expect(leaked).toEqual([]);
  // Some get through, by far not all.
  expect(statuses[200]).toBeGreaterThan(300);
  expect(statuses[400]).toBeGreaterThan(1_000);
});
