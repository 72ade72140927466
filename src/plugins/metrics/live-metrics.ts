import type { MetricFamily, PluginHost } from '../../gateway/plugin.ts';
import { plainFamily } from './metric-family.ts';

/** What clients follow. */
export const liveFamilies = (counters: PluginHost['live']): readonly MetricFamily[] => [
  plainFamily('gauge', 'querygate_live_streams', 'Streams of results that are open.', () => counters.open),
  plainFamily(
    'counter',
    'querygate_live_events_total',
    'Events with a result, a patch or an error, each client counted.',
    () => counters.events,
  ),
  plainFamily(
    'counter',
    'querygate_live_skipped_total',
    'Results that were replaced by newer ones before a client had read.',
    () => counters.skipped,
  ),
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
