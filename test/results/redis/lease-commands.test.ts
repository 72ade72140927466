import { expect, test } from 'vitest';
import { buildCacheCrypto } from '../../../src/results/redis/cache-crypto.ts';
import { buildLeaseCommands, type RunScript } from '../../../src/results/redis/lease-commands.ts';
import * as scripts from '../../../src/results/redis/scripts.ts';
import { sharedTime } from '../../support/shared-time.ts';

test.each([
  ['that was taken late is released', 1, 1],
  ['that another gateway took first is left', 0, 0],
])('a lease %s', async (_title, reply, releases) => {
  const released: string[][] = [];
  let replyLate = () => {};
  const run: RunScript = async (script, keys, _args, options) => {
    if (script === scripts.readLease) return ['', '1000000'];
    if (script === scripts.release) released.push(keys);
    if (script === scripts.takeLease) replyLate = () => options?.onLate?.(reply);
    return undefined;
  };
  const leases = buildLeaseCommands(run, buildCacheCrypto('a secret of the gateways, 32 long'), sharedTime());
  expect(await leases.acquire('key', { preempt: false })).toBeUndefined();
  replyLate();
  expect(released).toHaveLength(releases);
});
