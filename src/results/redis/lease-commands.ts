import { type CallOptions, read } from '../../redis/reply-watch.ts';
import type { LeaderFailure } from '../shared/leader-failure.ts';
import { type Lease, leaseMs, type SharedCache, type SharedTime } from '../shared/shared-cache.ts';
import type { CacheCrypto } from './cache-crypto.ts';
import { buildLeaseTexts } from './lease-text.ts';
import * as scripts from './scripts.ts';

/** Runs a script in Redis; undefined if Redis does not respond, or the call has been passed over. */
export type RunScript = (
  script: string,
  keys: string[],
  args: readonly string[],
  options?: CallOptions<unknown>,
) => Promise<unknown>;

/** The leases of keys, as `SharedCache` has them. */
export interface LeaseCommands extends Pick<SharedCache, 'acquire' | 'renew' | 'watch'> {
  /** Releases a lease; with a failure, followers can read it instead. */
  release(key: string, fencingToken: string, failure: LeaderFailure | undefined): Promise<unknown>;
}

/**
 * How long a follower's mark lasts. A leader without callers of its own checks it twice a second. Followers renew it at
 * least ten times a second, but one whose event loop is blocked must not lose the result that it waits for.
 */
const awaitedMs = leaseMs;

/** How long followers can read why their leader failed; as long as the mark, for the same reason. */
const failureMs = leaseMs;

/** The longest that a lease, or what followers read instead of it, can have left. */
const maxLeaseMs = String(Math.max(leaseMs, failureMs));

/** How often a gateway tries to take a lease that others take at the same moment. */
const maxAttempts = 5;

export function buildLeaseCommands(run: RunScript, crypto: CacheCrypto, time: SharedTime): LeaseCommands {
  const leases = buildLeaseTexts(crypto);
  const leaseOf = (key: string) => crypto.nameOf('lease', key);
  const awaitedOf = (key: string) => crypto.nameOf('awaited', key);
  const awaitedMark = (key: string) => crypto.sign('awaited', key, '');

  const release: LeaseCommands['release'] = (key, fencingToken, failure) => {
    const end = failure === undefined ? '' : leases.failed(key, fencingToken, failure);
    const args = [leases.working(key, fencingToken), end, String(failureMs)];
    return run(scripts.release, [leaseOf(key)], args);
  };

  /** @returns undefined if Redis does not respond, and 'taken' if another gateway has been faster */
  const tryToAcquire = async (key: string, preempt: boolean): Promise<Lease | 'taken' | undefined> => {
    const calledAt = time.elapsedMs();
    const reply = await run(scripts.readLease, [leaseOf(key)], [maxLeaseMs], read);
    const [text, micros] = Array.isArray(reply) ? reply.map(String) : [];
    // Another server than Redis may reply anything.
    if (text === undefined || micros === undefined || !/^\d{1,20}$/.test(micros)) return undefined;
    time.note?.(Number(micros) / 1000, calledAt);
    const lease = leases.parse(key, text);
    if (lease?.state === 'working' && !preempt) return { role: 'follower', fencingToken: lease.fencingToken };
    const args = [text, leases.working(key, micros), String(leaseMs), maxLeaseMs];
    const taken = await run(scripts.takeLease, [leaseOf(key)], args, {
      // Our caller has gone on without it.
      onLate: (late) => late === 1 && release(key, micros, undefined),
    });
    if (taken === undefined) return undefined;
    return taken === 1 ? { role: 'leader', fencingToken: micros } : 'taken';
  };

  return {
    async acquire(key, { preempt }) {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const lease = await tryToAcquire(key, preempt);
        if (lease !== 'taken') return lease;
      }
      return undefined;
    },
    async renew(key, fencingToken) {
      const args = [leases.working(key, fencingToken), String(leaseMs), awaitedMark(key)];
      return (await run(scripts.renew, [leaseOf(key), awaitedOf(key)], args)) === 1;
    },
    async watch(key) {
      const args = [maxLeaseMs, awaitedMark(key), String(awaitedMs)];
      const reply = await run(scripts.readLease, [leaseOf(key), awaitedOf(key)], args, read);
      return Array.isArray(reply) ? leases.parse(key, reply[0]) : undefined;
    },
    release,
  };
}
