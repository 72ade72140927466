import type { DuckDBConnection } from '@duckdb/node-api';
import { openWorker, type Worker } from './worker.ts';

/** A fixed set of workers, handed out first come, first served. */
export class ConnectionPool {
  readonly #size: number;
  readonly #idle: Worker[];
  readonly #waiting: ((worker: Worker) => void)[] = [];

  constructor(connections: readonly DuckDBConnection[]) {
    this.#size = connections.length;
    this.#idle = connections.map(openWorker);
  }

  /** @throws the signal's reason where it is aborted before a worker is free; nothing is held then */
  async use<T>(signal: AbortSignal, work: (worker: Worker) => Promise<T>): Promise<T> {
    const worker = await this.#acquire(signal);
    try {
      return await work(worker);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(worker);
      else next(worker);
    }
  }

  /** Takes every worker out of service, each when its work is done. */
  async close(): Promise<void> {
    const patient = new AbortController().signal;
    for (let left = this.#size; left > 0; left -= 1) await this.#acquire(patient);
  }

  #acquire(signal: AbortSignal): Promise<Worker> {
    signal.throwIfAborted();
    const worker = this.#idle.pop();
    if (worker !== undefined) return Promise.resolve(worker);
    return new Promise((resolve, reject) => {
      const take = (freed: Worker) => {
        signal.removeEventListener('abort', leave);
        resolve(freed);
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(take), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(take);
    });
  }
}
