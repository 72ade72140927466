import type { Cost, Engine } from '../engine/engine.ts';
import { GatewayError } from '../errors.ts';
import { Counts } from './counts.ts';
import { Histogram, Histograms } from './histogram.ts';
import { type MetricFamily, plainFamily } from './metric-family.ts';

export interface EngineMetrics {
  /** The engine, with every run counted and measured. */
  measure(engine: Engine): Engine;
  addCost(endpoint: string, cost: Cost): void;
  /** Drops the series of other endpoints than these. */
  keepEndpoints(kept: ReadonlySet<string>): void;
  readonly families: readonly MetricFamily[];
}

/** What the engine does: runs, the queue before them, and what they cost. */
export function buildEngineMetrics(): EngineMetrics {
  const runs = new Counts();
  const durations = new Histograms('endpoint');
  const queueTimes = new Histogram();
  const bytesProcessed = new Counts();
  const bytesBilled = new Counts();
  const slotSeconds = new Counts();
  let queued = 0;
  let running = 0;

  /** One run from its arrival in the queue. `start` may be called again: a run that turns out to be slow is restarted. */
  const openRun = (endpoint: string) => {
    const queuedAt = performance.now();
    let startedAt: number | undefined;
    queued += 1;
    return {
      start() {
        if (startedAt !== undefined) return;
        startedAt = performance.now();
        queued -= 1;
        running += 1;
        queueTimes.observe((startedAt - queuedAt) / 1000);
      },
      end(outcome: string) {
        runs.of({ endpoint, outcome }).value += 1;
        if (startedAt === undefined) {
          queued -= 1;
          return;
        }
        running -= 1;
        durations.of(endpoint).observe((performance.now() - startedAt) / 1000);
      },
    };
  };

  return {
    measure: (engine) => ({
      ...engine,
      async run(bound, options) {
        const run = openRun(bound.query.name);
        const onStart = () => {
          run.start();
          options.onStart?.();
        };
        try {
          const rows = await engine.run(bound, { ...options, onStart });
          run.end('ok');
          return rows;
        } catch (error) {
          run.end(error instanceof GatewayError ? error.code.toLowerCase() : 'internal');
          throw error;
        }
      },
    }),
    addCost(endpoint, cost) {
      bytesProcessed.of({ endpoint }).value += cost.bytesProcessed ?? 0;
      bytesBilled.of({ endpoint }).value += cost.bytesBilled ?? 0;
      slotSeconds.of({ endpoint }).value += (cost.slotMs ?? 0) / 1000;
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
