import type { Clock } from '../../src/concurrency/clock.ts';
import { getOrAdd } from '../../src/get-or-add.ts';
import type { ResultDocument } from '../../src/results/result-document.ts';
import type { OpenSharedCache, SharedCache } from '../../src/results/shared/shared-cache.ts';

/**
 * A shared cache that never fails, in this process.
 *
 * @param clock its own, by which results expire, and which gateways read; without it they are kept
 */
export function fakeShared(clock?: Clock): { open: OpenSharedCache } {
  const stored = new Map<string, ResultDocument>();
  const leases = new Map<string, string>();
  const demand = new Map<string, number>();
  const listeners = new Map<string, Set<(begunAt: number) => void>>();
  let token = 0;
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
    async publish(key, _token, document, keepMs, announcedAs = key) {
      stored.set(key, document);
      clock?.after(keepMs, () => {
        if (stored.get(key) === document) stored.delete(key);
      });
      setImmediate(() => {
        for (const onPublished of listeners.get(announcedAs) ?? []) onPublished(document.begunAt);
      });
      return true;
    },
    release: async (key) => void leases.delete(key),
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
    open(onConnected, time) {
      setImmediate(onConnected);
      const note = () => clock && time.note?.(clock.now().getTime(), time.elapsedMs());
      return {
        ...shared,
        async get(key) {
          const document = stored.get(key);
          const begunAt = document && time.elapsedAt(document.computedAt);
          const isFuture = begunAt !== undefined && begunAt > time.elapsedMs() + 5_000;
          return document === undefined || begunAt === undefined || isFuture
            ? undefined
            : { ...document, begunAt };
        },
        acquire(key, options) {
          note();
          return shared.acquire(key, options);
        },
      };
    },
  };
}
