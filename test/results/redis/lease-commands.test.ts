import { createClient } from '@keyv/redis';
import { expect, test } from 'vitest';
import { buildCacheCrypto } from '../../../src/results/redis/cache-crypto.ts';
import { buildFencedKeyv } from '../../../src/results/redis/fenced-keyv.ts';
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

test('no lease is taken, and no result read, from a server that replies with neither', async () => {
  const run: RunScript = async (script) => (script === scripts.readLease ? ['', 'abc'] : 1);
  const leases = buildLeaseCommands(run, buildCacheCrypto(undefined), sharedTime());
  expect(await leases.acquire('key', { preempt: false })).toBeUndefined();
  const client = createClient({ url: 'redis://127.0.0.1:1' });
  const results = buildFencedKeyv(
    Object.assign(client, { withTypeMapping: () => ({ getRange: async () => 5 }) }) as never,
  );
  expect(await results.get('key')).toBeUndefined();
});
