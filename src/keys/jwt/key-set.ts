import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type JWTVerifyGetKey,
} from 'jose';
import type { Logger } from 'pino';
import { openRepeat } from '../../concurrency/repeat.ts';
import { fetchKeySet } from './fetch-key-set.ts';

export interface KeySet {
  /** Grows when the keys change. */
  readonly generation: number;
  /** The key of a token. @throws jose's errors, also if no key set could be fetched yet */
  find(header: JWSHeaderParameters, token: FlattenedJWSInput): ReturnType<JWTVerifyGetKey>;
  close(): Promise<void>;
}

/** So long a key that its issuer has withdrawn still verifies tokens. */
const refreshEveryMs = 300_000;

/** Anybody can send tokens with unknown keys: they make the set be fetched no more often than this. */
const cooldownMs = 10_000;

/**
 * Follows the key set at a URL. While it cannot be fetched, the keys of the last one stay in use. The first one is fetched
 * at once, but not waited for: keys of the gateway's own work without it.
 */
export async function openKeySet(url: string, log: Logger): Promise<KeySet> {
  let generation = 0;
  let known: { readonly text: string; readonly find: ReturnType<typeof createLocalJWKSet> } | undefined;
  let fetching: Promise<void> | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  const ended = new AbortController();

  const fetchNow = async () => {
    try {
      const keySet = await fetchKeySet(url, ended.signal);
      const text = JSON.stringify(keySet);
      if (text !== known?.text) {
        known = { text, find: createLocalJWKSet(keySet) };
        generation += 1;
        log.info({ keys: keySet.keys.length }, 'keys of the key set loaded');
      }
      isFailing = false;
    } catch (error) {
      if (ended.signal.aborted) return;
      const problem = describeFailure(error);
      if (!isFailing) log.warn({ problem }, 'the key set cannot be fetched: known keys stay in use');
      isFailing = true;
    }
  };
  const refresh = () => {
    if (fetching === undefined) fetchedAt = performance.now();
    fetching ??= fetchNow().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  /** Waits for the fetch that is under way, or for a new one unless one has just ended. */
  const refreshIfDue = async () => {
    if (fetching !== undefined || performance.now() - fetchedAt >= cooldownMs) await refresh();
  };

  void refresh();
  const repeat = openRepeat({
    everyMs: refreshEveryMs,
    work: refresh,
    onError: (err) => log.error({ err }, 'a bug in the gateway'),
  });
  return {
    get generation() {
      return generation;
    },
    async find(header, token) {
      if (known !== undefined) {
        try {
          return await known.find(header, token);
        } catch (error) {
          if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        }
      }
      await refreshIfDue();
      if (known === undefined) throw new errors.JWKSNoMatchingKey('the key set could not be fetched yet');
      return known.find(header, token);
    },
    async close() {
      ended.abort();
      await repeat.close();
      await fetching;
    },
  };
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? `${error.message} (${cause.code})` : error.message;
}
