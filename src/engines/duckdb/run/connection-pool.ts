import type { DuckDBConnection } from '@duckdb/node-api';
import type { HostWorks } from '@querygate/bigquery-sql/duckdb';
import { LRUCache } from 'lru-cache';
import { openLinkedAbort, untilAborted } from '../../../concurrency/abort.ts';
import { FairQueue } from '../../../concurrency/fair-queue.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { startStopwatch } from '../../../concurrency/stopwatch.ts';
import { queueFull } from '../../../engine-contract/engine-errors.ts';
import { type Claim, RunSlots } from './run-slots.ts';
import { openWorker, type Worker } from './worker.ts';

/** A query that takes longer is slow, on a machine that others do not load. */
const quickMs = 100;

/** A run that goes on for this long after it was interrupted leaves its place to a new worker. */
const interruptedMs = 1_000;

/** A run that goes on for this long after it was interrupted does not end by itself. */
const stuckMs = 6_000;

interface PoolOptions {
  /** How many slow queries may run at the same moment. */
  readonly maxSlow: number;
  /** How many more queries may wait for a worker, quick and slow ones together. */
  readonly queueLength: number;
  readonly database: {
    readonly hostWorks: HostWorks;
    connect(): Promise<DuckDBConnection>;
    disconnect(connection: DuckDBConnection): void;
  };
  /** Called once for a run that goes on though it was interrupted. @param what the name of its query */
  readonly onStuck: (what: string) => void;
}

/** One run of a query. */
interface Use {
  /** The same for queries that take about as long. */
  readonly key: string;
  /** The name of the query, for the log. */
  readonly name: string;
  /** Whose turn in the queue it takes. */
  readonly owner: Owner;
  readonly isCallerSql: boolean;
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
 * of them would end no sooner, but would leave no core and no worker for quick ones. DuckDB cannot interrupt every
 * step: a run that does not stop is left behind with its connection, and another one takes its place.
 */
export class ConnectionPool {
  readonly #idle: Worker[];
  readonly #size: number;
  readonly #slots: RunSlots;
  readonly #queueLength: number;
  readonly #database: PoolOptions['database'];
  readonly #onStuck: PoolOptions['onStuck'];
  readonly #queue = new FairQueue<Worker, Claim>();
  /** How long queries took, in ms, by their key; infinite after a restart. */
  readonly #durations = new LRUCache<string, number>({ max: 1_000 });
  /** Runs that have been left behind: at most as many as there are slots. */
  readonly #leftBehind = new Set<Promise<void>>();

  /** @param size how many queries may run at the same moment, each on a connection of its own */
  static async open(size: number, options: PoolOptions): Promise<ConnectionPool> {
    const connections: DuckDBConnection[] = [];
    for (let left = size; left > 0; left -= 1) connections.push(await options.database.connect());
    return new ConnectionPool(connections, options);
  }

  constructor(
    connections: readonly DuckDBConnection[],
    { maxSlow, queueLength, database, onStuck }: PoolOptions,
  ) {
    this.#onStuck = onStuck;
    this.#idle = connections.map((connection) => openWorker(connection, database.hostWorks));
    this.#size = connections.length;
    this.#slots = new RunSlots(this.#size, maxSlow);
    this.#queueLength = queueLength;
    this.#database = database;
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
    const { key, name, owner, isCallerSql, signal } = use;
    const claim: Claim = { owner, isCallerSql, isSlow: (this.#durations.get(key) ?? 0) > quickMs };
    const worker = await this.#acquire(claim, signal, queueLength);
    const abort = openLinkedAbort({ follow: [signal] });
    let restarts = false;
    const elapsed = startStopwatch();
    const judge = () => {
      if (claim.isSlow) return;
      const leftMs = quickMs - elapsed();
      if (leftMs > 0) {
        timer = setTimeout(judge, Math.ceil(leftMs)).unref();
        return;
      }
      // Also an aborted query counts as slow until it has ended: DuckDB stops only between blocks of rows.
      claim.isSlow = true;
      restarts = !this.#slots.mayHold(claim);
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
    });
    this.#releaseAfter(running, worker, claim, abort.signal, name);
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
      const claim = { owner: undefined, isCallerSql: false, isSlow: false };
      await this.#acquire(claim, signal, Number.POSITIVE_INFINITY);
    }
    await Promise.all(this.#leftBehind);
  }

  async #acquire(claim: Claim, signal: AbortSignal, queueLength: number): Promise<Worker> {
    signal.throwIfAborted();
    const worker = this.#take(claim);
    if (worker !== undefined) return worker;
    if (!this.#queue.hasRoom(claim.owner, queueLength)) throw queueFull();
    return this.#queue.wait(signal, claim, claim.owner);
  }

  #take(claim: Claim): Worker | undefined {
    if (!this.#slots.mayHold(claim)) return undefined;
    const worker = this.#idle.pop();
    if (worker !== undefined) this.#slots.take(claim);
    return worker;
  }

  #release(worker: Worker, claim: Claim): void {
    this.#idle.push(worker);
    this.#slots.giveBack(claim);
    while (this.#queue.serveNext((waiting) => this.#take(waiting)));
  }

  /** Releases the worker when its run has ended, or another one in its place when the run does not stop. */
  #releaseAfter(
    running: Promise<unknown>,
    worker: Worker,
    claim: Claim,
    signal: AbortSignal,
    name: string,
  ): void {
    let hasEnded = false;
    let isLeftBehind = false;
    let timer: NodeJS.Timeout | undefined;
    let stuckTimer: NodeJS.Timeout | undefined;
    const replaceLater = () => {
      stuckTimer ??= setTimeout(() => this.#onStuck(name), stuckMs).unref();
      timer = setTimeout(() => void replace(), interruptedMs).unref();
    };
    const replace = async () => {
      if (this.#leftBehind.size >= this.#size) return replaceLater();
      this.#leftBehind.add(ended);
      const other = await this.#database.connect().catch(() => undefined);
      if (hasEnded || other === undefined) {
        this.#leftBehind.delete(ended);
        if (other !== undefined) this.#database.disconnect(other);
        return;
      }
      isLeftBehind = true;
      this.#release(openWorker(other, this.#database.hostWorks), claim);
    };
    const end = () => {
      hasEnded = true;
      clearTimeout(timer);
      clearTimeout(stuckTimer);
      signal.removeEventListener('abort', replaceLater);
      if (!isLeftBehind) return this.#release(worker, claim);
      this.#leftBehind.delete(ended);
      worker.close();
      this.#database.disconnect(worker.connection);
    };
    const ended = running.then(end, end);
    if (signal.aborted) replaceLater();
    else signal.addEventListener('abort', replaceLater, { once: true });
  }
}
