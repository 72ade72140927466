import type { EndReason } from './stream.ts';

/** Counts of streams since the start; all but the first only rise. */
export interface LiveCounters {
  /** Streams that are open now. */
  open: number;
  /** Events with a result, a patch or an error, each client counted. */
  events: number;
  /** Results that were replaced by newer ones before a client took them. */
  skipped: number;
  /** Streams that have ended, by reason. */
  readonly ends: Record<EndReason, number>;
}

export const zeroLiveCounters = (): LiveCounters => ({
  open: 0,
  events: 0,
  skipped: 0,
  ends: { KEY_REVOKED: 0, TOKEN_EXPIRED: 0, QUERY_CHANGED: 0, SHUTTING_DOWN: 0, CLIENT: 0, SLOW_READER: 0 },
});
