import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Cost } from '../../engine-contract/engine.ts';
import { GatewayError } from '../../errors.ts';
import type { MetricFamily, RunObserver } from '../../gateway/plugin.ts';
import { Counts } from '../../gateway/metrics/counts.ts';
import { Histogram, Histograms } from './histogram.ts';
import { plainFamily } from './metric-family.ts';

export interface EngineMetrics {
  /** Counts and measures a run, from its arrival in the queue. */
  openRun(bound: BoundQuery): RunObserver;
  /** Drops the series of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void;
  readonly families: readonly MetricFamily[];
}

/** Metrics of the engine: runs, the queue before them, and their cost. */
export function buildEngineMetrics(): EngineMetrics {
  const runs = new Counts();
  const durations = new Histograms('endpoint');
  const queueTimes = new Histogram();
  const bytesProcessed = new Counts();
  const bytesBilled = new Counts();
  const slotSeconds = new Counts();
  let queued = 0;
  let running = 0;

  const addCost = (endpoint: string, cost: Cost) => {
    bytesProcessed.of({ endpoint }).value += cost.bytesProcessed ?? 0;
    bytesBilled.of({ endpoint }).value += cost.bytesBilled ?? 0;
    slotSeconds.of({ endpoint }).value += (cost.slotMs ?? 0) / 1000;
  };

  return {
    openRun({ query: { name: endpoint } }) {
      const queuedAt = performance.now();
      let startedAt: number | undefined;
      queued += 1;
      return {
        onStart() {
          // A run that turns out to be slow is restarted.
          if (startedAt !== undefined) return;
          startedAt = performance.now();
          queued -= 1;
          running += 1;
          queueTimes.observe((startedAt - queuedAt) / 1000);
        },
        onEnd(rows, error) {
          runs.of({ endpoint, outcome: rows === undefined ? outcomeOf(error) : 'ok' }).value += 1;
          if (rows?.cost !== undefined) addCost(endpoint, rows.cost);
          if (startedAt === undefined) {
            queued -= 1;
            return;
          }
          running -= 1;
          durations.of(endpoint).observe((performance.now() - startedAt) / 1000);
        },
      };
    },
    keepEndpoints(kept) {
      for (const counts of [runs, bytesProcessed, bytesBilled, slotSeconds]) counts.keepEndpoints(kept);
      durations.keep(kept);
    },
    families: [
      runs.family(
        'querygate_engine_runs_total',
        'Runs of the engine that have ended: ok, or the code of their error; cancelled runs have lost their callers.',
      ),
      plainFamily('gauge', 'querygate_engine_queued', 'Runs that wait for their turn.', () => queued),
      plainFamily('gauge', 'querygate_engine_running', 'Runs that the engine works on.', () => running),
      {
        name: 'querygate_engine_queue_duration_seconds',
        help: 'How long runs waited for their turn.',
        type: 'histogram',
        samples: () => queueTimes.samples('querygate_engine_queue_duration_seconds', {}),
      },
      durations.family(
        'querygate_engine_run_duration_seconds',
        'How long runs took, without the time in the queue.',
      ),
      bytesProcessed.family(
        'querygate_engine_processed_bytes_total',
        'Bytes that runs have read, as far as the engine reports it.',
      ),
      bytesBilled.family(
        'querygate_engine_billed_bytes_total',
        'Bytes that runs have cost, as far as the engine bills them.',
      ),
      slotSeconds.family(
        'querygate_engine_slot_seconds_total',
        'Time of slots that runs have used, as far as the engine reports it.',
      ),
    ],
  };
}

const outcomeOf = (error: unknown) => (error instanceof GatewayError ? error.code.toLowerCase() : 'internal');
