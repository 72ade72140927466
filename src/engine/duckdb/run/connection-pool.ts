import type { DuckDBConnection } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { queueFull } from '../../engine-errors.ts';
import { openWorker, type Worker } from './worker.ts';

/** A query that runs this long is no quick one. */
const quickMs = 100;

export interface PoolOptions {
  /** How many queries that are not quick may run at the same moment. */
  readonly slowAtOnce: number;
  /** How many more may wait for their turn: so many of those that are quick, and so many of the others. */
  readonly queueLength: number;
}

interface Waiting {
  readonly isQuick: boolean;
  take(worker: Worker): void;
}

/**
 * A fixed set of workers, handed out first come, first served. Of queries that are not quick only some run at once, each
 * on all cores: more of them would end no sooner, but would leave quick ones, however many wait, no core and no worker.
 */
export class ConnectionPool {
  readonly #idle: Worker[];
  readonly #size: number;
  readonly #slowAtOnce: number;
  readonly #queueLength: number;
  readonly #waiting: Waiting[] = [];
  /** How long queries took, in ms, by a name for them and their like. */
  readonly #took = new LRUCache<string, number>({ max: 1_000 });
  #slow = 0;

  constructor(connections: readonly DuckDBConnection[], { slowAtOnce, queueLength }: PoolOptions) {
    this.#idle = connections.map(openWorker);
    this.#size = connections.length;
    // One worker is always left for quick ones, where there are several.
    this.#slowAtOnce = Math.max(1, Math.min(slowAtOnce, this.#size - 1));
    this.#queueLength = queueLength;
  }

  /**
   * Runs a query; one that turns out not to be quick, when as many run as may, is stopped and begun again in its turn.
   *
   * @param like a name for queries that take about as long
   * @param work stops when its signal is aborted
   * @throws GatewayError ENGINE_BUSY where too many wait; the signal's reason where it is aborted before a worker is
   * free: nothing is held then
   */
  use<T>(
    like: string,
    signal: AbortSignal,
    work: (worker: Worker, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.#use(like, signal, work, this.#queueLength);
  }

  async #use<T>(
    like: string,
    signal: AbortSignal,
    work: (worker: Worker, signal: AbortSignal) => Promise<T>,
    queueLength: number,
  ): Promise<T> {
    let isQuick = (this.#took.get(like) ?? 0) <= quickMs;
    const worker = await this.#acquire(signal, isQuick, queueLength);
    const stopper = stopperOf(signal);
    let isLate = false;
    const timer = setTimeout(() => {
      if (!isQuick) return;
      isLate = this.#slow >= this.#slowAtOnce;
      // It counts as slow until it has ended, which it does at the end of a block of rows.
      isQuick = false;
      this.#slow += 1;
      if (isLate) stopper.abort();
    }, quickMs).unref();
    const start = performance.now();
    const working = work(worker, stopper.signal).finally(() => {
      clearTimeout(timer);
      stopper.end();
      this.#release(worker, isQuick);
    });
    try {
      const result = await orStopped(working, stopper.signal);
      this.#took.set(like, performance.now() - start);
      return result;
    } catch (error) {
      if (!isLate || signal.aborted) throw error;
      this.#took.set(like, Number.POSITIVE_INFINITY);
    }
    // It was let in once already.
    return this.#use(like, signal, work, this.#queueLength + this.#size);
  }

  /** Takes every worker out of service, each when its work is done. */
  async close(): Promise<void> {
    const patient = new AbortController().signal;
    for (let left = this.#size; left > 0; left -= 1) {
      await this.#acquire(patient, true, Number.POSITIVE_INFINITY);
    }
  }

  async #acquire(signal: AbortSignal, isQuick: boolean, queueLength: number): Promise<Worker> {
    signal.throwIfAborted();
    const worker = this.#take(isQuick);
    if (worker !== undefined) return worker;
    const before = this.#waiting.filter((one) => one.isQuick === isQuick).length;
    if (before >= queueLength) throw queueFull();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isQuick,
        take(freed) {
          signal.removeEventListener('abort', leave);
          resolve(freed);
        },
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
    });
  }

  #take(isQuick: boolean): Worker | undefined {
    if (!isQuick && this.#slow >= this.#slowAtOnce) return undefined;
    const worker = this.#idle.pop();
    if (worker !== undefined && !isQuick) this.#slow += 1;
    return worker;
  }

  #release(worker: Worker, wasQuick: boolean): void {
    this.#idle.push(worker);
    if (!wasQuick) this.#slow -= 1;
    for (const [at, { isQuick, take }] of this.#waiting.entries()) {
      const freed = this.#take(isQuick);
      if (freed === undefined) continue;
      this.#waiting.splice(at, 1);
      take(freed);
      return;
    }
  }
}

/** A signal that follows another one. `AbortSignal.any` over one that is made by `any` is never freed (Node 24). */
function stopperOf(signal: AbortSignal) {
  const controller = new AbortController();
  const follow = () => controller.abort(signal.reason);
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: () => controller.abort(),
    end: () => signal.removeEventListener('abort', follow),
  };
}

/** Work whose caller does not wait longer than its signal says: DuckDB stops only between blocks of rows. */
function orStopped<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopped = () => reject(signal.reason);
    signal.addEventListener('abort', stopped, { once: true });
    working.then(resolve, reject).finally(() => signal.removeEventListener('abort', stopped));
  });
}
