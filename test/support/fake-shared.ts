import type { Clock } from '../../src/concurrency/clock.ts';
import { getOrAdd } from '../../src/get-or-add.ts';
import type { SharedCache } from '../../src/results/shared/shared-cache.ts';

/**
 * A shared cache that never fails, in this process.
 *
 * @param clock by which results expire; without it they are kept
 */
export function fakeShared(clock?: Clock): { open: (onConnected: () => void) => SharedCache } {
  const stored = new Map<string, never>();
  const leases = new Map<string, string>();
  const demand = new Map<string, number>();
  const listeners = new Map<string, Set<(begunAt: number) => void>>();
  let token = 0;
  const end = (key: string) => void leases.delete(key);
  const shared: SharedCache = {
    ready: Promise.resolve(),
    isUp: () => true,
    get: async (key) => stored.get(key),
    async acquire(key) {
      const current = leases.get(key);
      if (current !== undefined) return { role: 'follower', fencingToken: current };
      token += 1;
      leases.set(key, String(token));
      return { role: 'leader', fencingToken: String(token) };
    },
    renew: async () => false,
    async watch(key) {
      const current = leases.get(key);
      return current === undefined ? undefined : { state: 'working', fencingToken: current };
    },
    async publish(key, _token, document, keepMs) {
      stored.set(key, document as never);
      clock?.after(keepMs, () => {
        if (stored.get(key) === document) stored.delete(key);
      });
      end(key);
      setImmediate(() => {
        for (const onPublished of listeners.get(key) ?? []) onPublished(document.begunAt);
      });
      return true;
    },
    release: async (key) => end(key),
    listen(key, onPublished) {
      const ofKey = getOrAdd(listeners, key, () => new Set());
      ofKey.add(onPublished);
      return () => void ofKey.delete(onPublished);
    },
    async recordDemand(requestedAt) {
      for (const [key, at] of requestedAt) demand.set(key, at);
    },
    demandSince: async () => new Map(demand),
    close: async () => {},
  };
  return {
    open(onConnected) {
      setImmediate(onConnected);
      return shared;
    },
  };
}
