import type { DuckDBConnection } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { openLinkedAbort, untilAborted } from '../../../concurrency/abort.ts';
import { FairQueue } from '../../../concurrency/fair-queue.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { startStopwatch } from '../../../concurrency/stopwatch.ts';
import { queueFull } from '../../engine-errors.ts';
import type { HostWorks } from '../wire/host-functions.ts';
import { openWorker, type Worker } from './worker.ts';

/** A query that takes longer is slow, on a machine that others do not load. */
const quickMs = 100;

interface PoolOptions {
  /** How many slow queries may run at the same moment. */
  readonly maxSlow: number;
  /** How many more queries may wait for a worker, quick and slow ones together. */
  readonly queueLength: number;
  readonly hostWorks: HostWorks;
}

type Speed = 'quick' | 'slow';

/** One run of a query. */
interface Use {
  /** The same for queries that take about as long. */
  readonly key: string;
  /** Whose turn in the queue it takes. */
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

/**
 * Runs on one worker; stops when the signal is aborted.
 *
 * @param onResult called when the query has run: reading its rows, for which others may have to be waited for, says nothing
 * about its speed
 */
type Task<T> = (worker: Worker, signal: AbortSignal, onResult: () => void) => Promise<T>;

/**
 * A fixed set of workers, for which owners take turns. Only some slow queries run at once, each on all cores: more
 * of them would end no sooner, but would leave no core and no worker for quick ones.
 */
export class ConnectionPool {
  readonly #idle: Worker[];
  readonly #size: number;
  readonly #maxSlow: number;
  readonly #queueLength: number;
  readonly #queue = new FairQueue<Worker, Speed>();
  /** How long queries took, in ms, by their key; infinite after a restart. */
  readonly #durations = new LRUCache<string, number>({ max: 1_000 });
  /** How many slow queries are running. */
  #slow = 0;

  constructor(connections: readonly DuckDBConnection[], { maxSlow, queueLength, hostWorks }: PoolOptions) {
    this.#idle = connections.map((connection) => openWorker(connection, hostWorks));
    this.#size = connections.length;
    // One worker is always left for quick queries, unless there is only one.
    this.#maxSlow = Math.max(1, Math.min(maxSlow, this.#size - 1));
    this.#queueLength = queueLength;
  }

  /**
   * Runs a task. One that is expected to be quick and turns out to be slow while the maximum of slow ones is running is
   * aborted, and restarted as a slow one when its turn comes.
   *
   * @throws GatewayError ENGINE_BUSY when the queue, or the owner's share of it, is full; the signal's reason when it is aborted
   */
  use<T>(use: Use, task: Task<T>): Promise<T> {
    return this.#use(use, task, this.#queueLength);
  }

  async #use<T>(use: Use, task: Task<T>, queueLength: number): Promise<T> {
    const { key, signal } = use;
    let speed: Speed = (this.#durations.get(key) ?? 0) <= quickMs ? 'quick' : 'slow';
    const worker = await this.#acquire(use, speed, queueLength);
    const abort = openLinkedAbort({ follow: [signal] });
    let restarts = false;
    const elapsed = startStopwatch();
    const judge = () => {
      if (speed === 'slow') return;
      const leftMs = quickMs - elapsed();
      if (leftMs > 0) {
        timer = setTimeout(judge, Math.ceil(leftMs)).unref();
        return;
      }
      restarts = this.#slow >= this.#maxSlow;
      // Also an aborted query counts as slow until it has ended: DuckDB stops only between blocks of rows.
      speed = 'slow';
      this.#slow += 1;
      if (restarts) abort.abort();
    };
    let timer = setTimeout(judge, quickMs).unref();
    const onResult = () => {
      clearTimeout(timer);
      this.#durations.set(key, elapsed());
    };
    const running = task(worker, abort.signal, onResult).finally(() => {
      clearTimeout(timer);
      abort.release();
      this.#release(worker, speed);
    });
    try {
      return await untilAborted(running, abort.signal);
    } catch (error) {
      if (!restarts || signal.aborted) throw error;
      this.#durations.set(key, Number.POSITIVE_INFINITY);
    }
    // It has been admitted already, so that a full queue does not refuse it now.
    return this.#use(use, task, Number.POSITIVE_INFINITY);
  }

  /** Takes every worker out of service, each when its task has ended. */
  async close(): Promise<void> {
    const { signal } = new AbortController();
    for (let left = this.#size; left > 0; left -= 1) {
      await this.#acquire({ signal, owner: undefined }, 'quick', Number.POSITIVE_INFINITY);
    }
  }

  async #acquire({ signal, owner }: Omit<Use, 'key'>, speed: Speed, queueLength: number): Promise<Worker> {
    signal.throwIfAborted();
    const worker = this.#take(speed);
    if (worker !== undefined) return worker;
    if (!this.#queue.hasRoom(owner, queueLength)) throw queueFull();
    return this.#queue.wait(signal, speed, owner);
  }

  #take(speed: Speed): Worker | undefined {
    if (speed === 'slow' && this.#slow >= this.#maxSlow) return undefined;
    const worker = this.#idle.pop();
    if (worker !== undefined && speed === 'slow') this.#slow += 1;
    return worker;
  }

  #release(worker: Worker, speed: Speed): void {
    this.#idle.push(worker);
    if (speed === 'slow') this.#slow -= 1;
    this.#queue.serveNext((waiting) => this.#take(waiting));
  }
}
