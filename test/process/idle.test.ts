import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway-process.ts';

/** Units of the kernel's clock, which are 10 ms on every usual Linux. */
const tickMs = 10;

const measuredMs = 20_000;

test.skipIf(!existsSync('/proc/self/stat'))('the idle demo takes less than 1 % of a core', async () => {
  const gateway = await startGateway({ METRICS_PORT: '0' });
  const cpuMs = () => {
    const fields = readFileSync(`/proc/${gateway.child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  };
  // What the start has left to do: memory is given back, keys are read.
  await sleep(3_000);
  const before = cpuMs();
  await sleep(measuredMs);
  const share = (cpuMs() - before) / measuredMs;
  expect(await gateway.end()).toBe(0);
  expect(share).toBeLessThan(0.01);
});
