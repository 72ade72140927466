import { existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway-process.ts';

test.skipIf(!existsSync('/dev/full'))(
  'a log that cannot be written stops neither requests nor the exit',
  async () => {
    const gateway = await startGateway({ DATA_DIR: 'test' }, openSync('/dev/full', 'w'));
    for (let round = 0; round < 3; round += 1) {
      expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200);
      // Longer than a line waits to be written.
      await sleep(200);
    }
    expect(await gateway.end()).toBe(0);
  },
);
