import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BoundQuery } from '../../catalog/binding/bind.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import { openLinkedAbort, untilAborted } from '../../concurrency/abort.ts';
import { callerDisconnected, GatewayError, StartError } from '../../errors.ts';
import { once } from '../../memoize.ts';
import type { CatalogUpdates, Engine, Rows, RunOptions, TableChanges, TimedTable } from '../engine.ts';
import { deadlineExceeded, engineClosing } from '../engine-errors.ts';
import type { EngineHost } from '../engine-factory.ts';
import { EngineProcess, ProcessEnded, type RemoteOptions } from './engine-process.ts';
import type { EventMessage } from './messages.ts';

/** How often the process may end while it opens for the first time: an import goes on where it was. */
const maxFirstAttempts = 5;

/** After so many attempts to open it again, the operator has to know. */
const maxAttempts = 10;

/** The longest wait between two attempts, in milliseconds. The first one is made at once. */
const maxPauseMs = 5_000;

/** How long a run waits for a process that is being started, before older results are the better answer. */
const restartWaitMs = 5_000;

/** How long closing the engine may take. */
const closeMs = 5_000;

/**
 * An engine in a process of its own: what happens to that process, or has to be done to it, ends no other work. If it ends,
 * or has to be ended, another one is started, and what it was running is run once more there, unless it may have crashed in
 * it.
 *
 * @throws StartError as the engine does when it is opened
 */
export async function openRemote(host: EngineHost, options: RemoteOptions): Promise<Engine> {
  const remote = new RemoteEngine(host, options);
  await remote.open();
  return {
    source: remote.source,
    updates: remote.updates(),
    dataVersionOf: (query) => remote.dataVersionOf(query),
    run: (bound, runOptions) => remote.run(bound, runOptions),
    changes: (tables, since, signal) => remote.changes(tables, since, signal),
    close: once(() => remote.close()),
  };
}

class RemoteEngine {
  readonly #host: EngineHost;
  readonly #options: RemoteOptions;
  readonly #closing = new AbortController();
  /** The process that runs queries; undefined while none does. */
  #process: EngineProcess | undefined;
  #next = Promise.withResolvers<EngineProcess>();
  /** The process that was started last. */
  #latest: EngineProcess | undefined;
  /** The process that was opened last: until the next one is, its versions of the data are the latest known. */
  #opened: EngineProcess | undefined;
  /** Attempts since a process has run a query. */
  #attempts = 0;
  #catalog: Catalog;
  /** Other versions whose queries may still be run. */
  readonly #earlier = new Set<Catalog>();
  source = '';

  constructor(host: EngineHost, options: RemoteOptions) {
    this.#host = host;
    this.#options = options;
    this.#catalog = host.catalog;
    // Every running or waiting query listens to it.
    setMaxListeners(0, this.#closing.signal);
  }

  async open(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#start();
      } catch (error) {
        if (!(error instanceof ProcessEnded)) throw error;
        if (attempt === maxFirstAttempts)
          throw new StartError('The engine cannot be opened', [
            { message: `${error.message}, ${attempt} times` },
          ]);
        this.#host.events.problem(`${error.message} while it opened; it is started again`);
      }
    }
  }

  async run(bound: BoundQuery, options: RunOptions): Promise<Rows> {
    const { timeoutMs } = this.#host.limits;
    const { signal, release } = openLinkedAbort({
      follow: [this.#closing.signal, options.signal],
      timeout: { ms: timeoutMs, reason: () => deadlineExceeded(timeoutMs) },
    });
    try {
      signal.throwIfAborted();
      return await this.#onProcess(signal, (process) => {
        // A process that was started again has none of the earlier versions.
        if (!process.has(bound.query)) throw unavailable();
        return process.run(bound, { ...options, signal });
      });
    } catch (error) {
      if (signal.aborted)
        throw signal.reason instanceof GatewayError ? signal.reason : callerDisconnected(error);
      throw error instanceof ProcessEnded ? unavailable(error) : error;
    } finally {
      release();
    }
  }

  dataVersionOf(query: SavedQuery): string | undefined {
    return this.#opened?.dataVersionOf(query);
  }

  changes(
    tables: readonly TimedTable[],
    since: string | undefined,
    signal: AbortSignal,
  ): Promise<TableChanges> {
    return this.#onProcess(signal, (process) => process.changes(tables, since));
  }

  updates(): CatalogUpdates {
    const { signal } = this.#closing;
    const others = () => [this.#catalog, ...this.#earlier];
    return {
      check: (catalog) => this.#onProcess(signal, (process) => process.check(catalog, others())),
      replace: async (catalog) => {
        const replaced = await this.#onProcess(signal, async (process) => {
          // It may have been checked by a process that has ended.
          if (!process.knows(catalog)) await process.check(catalog, others());
          return { process, request: await process.replace(catalog, others()) };
        });
        const previous = this.#catalog;
        this.#catalog = catalog;
        this.#earlier.add(previous);
        return async () => {
          this.#earlier.delete(previous);
          if (replaced.process !== this.#process) return;
          await replaced.process.release(replaced.request).catch(ignoreEnd);
        };
      },
    };
  }

  async close(): Promise<void> {
    this.#closing.abort(engineClosing());
    await this.#latest?.close(closeMs);
  }

  /** Does something once more on another process if the process that does it ends, unless it may have crashed it. */
  async #onProcess<T>(signal: AbortSignal, work: (process: EngineProcess) => Promise<T>): Promise<T> {
    try {
      return await work(this.#process ?? (await this.#started(signal)));
    } catch (error) {
      if (!(error instanceof ProcessEnded) || error.isCrash) throw error;
      return work(this.#process ?? (await this.#started(signal)));
    }
  }

  /** @throws GatewayError ENGINE_UNAVAILABLE if it takes long */
  #started(signal: AbortSignal): Promise<EngineProcess> {
    const { promise, reject, resolve } = Promise.withResolvers<EngineProcess>();
    const timer = setTimeout(() => reject(unavailable()), restartWaitMs);
    this.#next.promise.then(resolve, reject);
    return untilAborted(promise, signal).finally(() => clearTimeout(timer));
  }

  /** @throws ProcessEnded; as the engine does */
  async #start(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    const started: EngineProcess = new EngineProcess(this.#host, this.#options, {
      onEvent: (event) => this.#pass(event, started),
      onEnd: (how) => void this.#restartAfter(started, how),
    });
    this.#latest = started;
    try {
      this.source = await started.open(this.#catalog);
    } catch (error) {
      started.kill('could not open the engine');
      await started.ended;
      throw error;
    }
    this.#process = started;
    this.#opened = started;
    this.#next.resolve(started);
  }

  async #restartAfter(ended: EngineProcess, how: string): Promise<void> {
    if (this.#process !== ended) return;
    this.#process = undefined;
    this.#next = Promise.withResolvers();
    if (this.#closing.signal.aborted) return;
    const { events } = this.#host;
    events.problem(`The process of the engine ${how}; it is started again`);
    if (ended.hasWorked) this.#attempts = 0;
    const endedAt = performance.now();
    try {
      while (this.#process === undefined) await this.#tryAgain();
      events.news(`The engine runs again after ${Math.round(performance.now() - endedAt)} ms`);
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error;
    }
  }

  async #tryAgain(): Promise<void> {
    const { events } = this.#host;
    const pauseMs = this.#attempts === 0 ? 0 : Math.min(maxPauseMs, 50 * 2 ** this.#attempts);
    await sleep(pauseMs, undefined, { signal: this.#closing.signal });
    this.#attempts += 1;
    try {
      await this.#start();
    } catch (error) {
      this.#closing.signal.throwIfAborted();
      const message = `The engine cannot be opened again: ${error instanceof Error ? error.message : error}`;
      events.problem(message);
      if (this.#attempts === maxAttempts) events.unusable?.(new Error(message, { cause: error }));
    }
  }

  #pass(event: EventMessage, process: EngineProcess): void {
    const { events } = this.#host;
    if (event.type === 'imported') events.imported?.(event.report);
    else if (event.type === 'sqlStopped') events.sqlStopped?.(event.stopped);
    else if (event.type === 'dataVersions') events.dataChanged?.();
    else if (event.type === 'problem') events.problem(event.text);
    else if (event.type === 'news') events.news(event.text);
    else if (event.type !== 'progress') process.kill(`was ended, because ${event.text}`);
    else if (this.source === '') events.progress?.(event.text);
  }
}

const unavailable = (cause?: unknown): GatewayError =>
  new GatewayError('ENGINE_UNAVAILABLE', 'The engine is being started again; try again in a moment', {
    retryAfterSeconds: 1,
    cause,
  });

function ignoreEnd(error: unknown): void {
  if (!(error instanceof ProcessEnded)) throw error;
}
