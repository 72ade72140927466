import type { BoundQuery } from '../../src/catalog/binding/bind.ts';
import type { Clock } from '../../src/concurrency/clock.ts';
import type { Owner } from '../../src/concurrency/fair-share.ts';
import type { Cost, Engine, Rows } from '../../src/engine-contract/engine.ts';
import { callerDisconnected, GatewayError } from '../../src/errors.ts';

export interface FakeEngine extends Engine {
  /** How many runs were started. */
  runs: number;
  /** How many runs were aborted by their signal. */
  cancelled: number;
  /** How many runs are in progress, and the maximum so far. */
  running: number;
  most: number;
  failing: boolean;
  /** True if the rows are cut. */
  truncated: boolean;
  /** The labels of each run. */
  readonly labels: BoundQuery['labels'][];
  /** The key that each run was for. */
  readonly owners: Owner[];
  /** The error of failing runs. */
  fault: GatewayError;
}

export interface FakeEngineOptions {
  readonly clock: Clock;
  readonly queryMs?: number;
  /** The rows of the nth run. */
  readonly rows?: (bound: BoundQuery, run: number) => readonly string[];
  readonly cost?: Cost;
  readonly source?: string;
}

/** An engine that counts, delays and fails. */
export function fakeEngine({
  clock,
  queryMs = 100,
  rows = count,
  cost,
  source = 'fake',
}: FakeEngineOptions): FakeEngine {
  const engine: FakeEngine = {
    source,
    runs: 0,
    cancelled: 0,
    running: 0,
    most: 0,
    failing: false,
    truncated: false,
    labels: [],
    owners: [],
    fault: new GatewayError('ENGINE_FAILED', 'The query failed'),
    run(bound, { signal, owner }) {
      engine.runs += 1;
      engine.labels.push(bound.labels);
      engine.owners.push(owner);
      engine.running += 1;
      engine.most = Math.max(engine.most, engine.running);
      const run = engine.runs;
      return new Promise<Rows>((resolve, reject) => {
        const cancel = clock.after(queryMs, () => {
          if (engine.failing) reject(engine.fault);
          else resolve({ rows: rows(bound, run), truncated: engine.truncated, ...(cost && { cost }) });
        });
        signal.addEventListener('abort', () => {
          cancel();
          engine.cancelled += 1;
          reject(callerDisconnected());
        });
      }).finally(() => {
        engine.running -= 1;
      });
    },
    close: async () => {},
  };
  return engine;
}

function count(_bound: BoundQuery, run: number): readonly string[] {
  return [`{"x":${run}}`];
}
