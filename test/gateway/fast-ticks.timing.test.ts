import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const msOfTicks = (argument: string) =>
  Number(
    execFileSync(process.execPath, ['--expose-gc', 'test/gateway/tick-time.ts', argument], {
      encoding: 'utf8',
    }),
  );

test('ticks stay fast in a process with a gateway when garbage was collected, and not in another one', () => {
  // Measured: 8 to 14 ms against 60 ms. If this fails because Node has mended it, `fast-ticks.ts` can go.
  expect(msOfTicks('gateway')).toBeLessThan(msOfTicks('none') / 2);
});
