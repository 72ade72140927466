import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway-process.ts';
import { processorMsOfProcess } from '../support/processor-time.ts';

const measuredMs = 20_000;

test.skipIf(!existsSync('/proc/self/stat'))('the idle demo takes less than 1 % of a core', async () => {
  const gateway = await startGateway({ METRICS_PORT: '0' });
  const cpuMs = () => processorMsOfProcess(gateway.child.pid);
  // What the start has left to do: memory is given back, keys are read.
  await sleep(3_000);
  const before = cpuMs();
  await sleep(measuredMs);
  const share = (cpuMs() - before) / measuredMs;
  expect(await gateway.end()).toBe(0);
  expect(share).toBeLessThan(0.01);
});
