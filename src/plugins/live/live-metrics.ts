import type { MetricFamily } from '../../gateway/plugin.ts';
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

/** The counts of a gateway that has just been opened. */
export const zeroLiveCounters = (): LiveCounters => ({
  open: 0,
  events: 0,
  skipped: 0,
  ends: { KEY_REVOKED: 0, TOKEN_EXPIRED: 0, QUERY_CHANGED: 0, SHUTTING_DOWN: 0, CLIENT: 0, SLOW_READER: 0 },
});

/** The counts as metrics. */
export const liveFamilies = (counters: LiveCounters): readonly MetricFamily[] => [
  {
    name: 'querygate_live_streams',
    help: 'Streams of results that are open.',
    type: 'gauge',
    samples: () => [{ labels: {}, value: counters.open }],
  },
  {
    name: 'querygate_live_events_total',
    help: 'Events with a result, a patch or an error, each client counted.',
    type: 'counter',
    samples: () => [{ labels: {}, value: counters.events }],
  },
  {
    name: 'querygate_live_skipped_total',
    help: 'Results that were replaced by newer ones before a client had read.',
    type: 'counter',
    samples: () => [{ labels: {}, value: counters.skipped }],
  },
  {
    name: 'querygate_live_ended_total',
    help: 'Streams that have ended, by reason.',
    type: 'counter',
    samples: () =>
      Object.entries(counters.ends).map(([reason, value]) => ({
        labels: { reason: reason.toLowerCase() },
        value,
      })),
  },
];
