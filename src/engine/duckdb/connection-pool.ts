import type { DuckDBConnection } from '@duckdb/node-api';
import { openWorker, type Worker } from './worker.ts';

/** A query that runs this long is no quick one. */
const quickMs = 100;

interface Waiting {
  /** Whether the last worker, which is kept for quick queries, will do. */
  readonly isQuick: boolean;
  take(worker: Worker): void;
}

/**
 * A fixed set of workers, handed out first come, first served. Where there are several, the last free one is kept for
 * queries that are quick as far as is known: slow ones, however many, never make those wait for long.
 */
export class ConnectionPool {
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[];
  readonly #waiting: Waiting[] = [];
  /** How long queries took, in ms, by a name for them and their like. */
  readonly #took = new Map<string, number>();

  constructor(connections: readonly DuckDBConnection[]) {
    this.#workers = connections.map(openWorker);
    this.#idle = [...this.#workers];
  }

  /**
   * Runs a query; one that turns out to be slow on the worker that is kept for quick ones is stopped there, and begun
   * again on another.
   *
   * @param like a name for queries that take about as long
   * @param work stops when its signal is aborted
   * @throws the signal's reason where it is aborted before a worker is free; nothing is held then
   */
  async use<T>(
    like: string,
    signal: AbortSignal,
    work: (worker: Worker, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const isQuick = (this.#took.get(like) ?? 0) <= quickMs;
    const worker = await this.#acquire(signal, isQuick);
    const isKept = this.#workers.length > 1 && this.#idle.length === 0;
    const patience = isKept ? AbortSignal.timeout(quickMs) : undefined;
    const start = performance.now();
    try {
      const result = await work(worker, patience ? AbortSignal.any([signal, patience]) : signal);
      this.#took.set(like, performance.now() - start);
      return result;
    } catch (error) {
      if (!patience?.aborted || signal.aborted) throw error;
      this.#took.set(like, Number.POSITIVE_INFINITY);
    } finally {
      this.#release(worker);
    }
    return this.use(like, signal, work);
  }

  /** Takes every worker out of service, each when its work is done. */
  async close(): Promise<void> {
    const patient = new AbortController().signal;
    for (const _ of this.#workers) await this.#acquire(patient, true);
  }

  #acquire(signal: AbortSignal, isQuick: boolean): Promise<Worker> {
    signal.throwIfAborted();
    const worker = this.#mayTake(isQuick) ? this.#idle.pop() : undefined;
    if (worker !== undefined) return Promise.resolve(worker);
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

  #mayTake(isQuick: boolean): boolean {
    const kept = isQuick || this.#workers.length === 1 ? 0 : 1;
    return this.#idle.length > kept;
  }

  #release(worker: Worker): void {
    this.#idle.push(worker);
    const next = this.#waiting.findIndex(({ isQuick }) => this.#mayTake(isQuick));
    if (next < 0) return;
    const [waiting] = this.#waiting.splice(next, 1);
    const freed = this.#idle.pop();
    if (waiting && freed) waiting.take(freed);
  }
}
