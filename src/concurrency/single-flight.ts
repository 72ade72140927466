import { callerDisconnected } from '../errors.ts';
import { type Clock, sleep } from './clock.ts';

/** The facts about its callers that a run needs. */
export interface RunContext {
  /** Aborted when no caller waits any longer, in this process or elsewhere. */
  readonly signal: AbortSignal;
  /** How many callers wait in this process. A run begun by `start` may have none. */
  readonly callers: () => number;
  /** Resolves when the next one begins to wait. */
  readonly called: () => Promise<void>;
  /** Set by a run whose result callers of other processes may wait for; called before the run is aborted. */
  isAwaitedElsewhere: (() => Promise<boolean>) | undefined;
}

/**
 * Work that is done once for all waiting callers. undefined: another process does it, and no caller waits in this one.
 */
export type Run<T> = (context: RunContext) => Promise<T | undefined>;

interface Flight<T> {
  readonly context: RunContext;
  readonly outcome: Promise<T | undefined>;
  readonly controller: AbortController;
  /** Callers, and the one that started the run without being a caller. */
  waiters: number;
  callers: number;
  onCalled: (() => void) | undefined;
  isEnding: boolean;
}

/** How often a run without waiters in this process checks whether callers of other processes still wait. */
const checkElsewhereMs = 500;

/** At most one run per key at a time in this process. The first caller starts it; it is aborted when the last one leaves. */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits for the run of a key, and starts it unless one is running.
   *
   * @param isOfOther true for errors that do not concern this caller: after one of a run that was joined, another run is begun
   * @returns `joined`: the run had been started before
   * @throws GatewayError CANCELLED when the signal is aborted first, and what the run throws
   */
  async wait(
    key: string,
    signal: AbortSignal,
    run: Run<T>,
    isOfOther: (error: unknown) => boolean = () => false,
  ): Promise<{ readonly outcome: T; readonly joined: boolean }> {
    // The signal of an HTTP server's request may not report that it is already aborted; one derived from it does.
    const derived = AbortSignal.any([signal]);
    for (;;) {
      if (derived.aborted) throw callerDisconnected();
      const running = this.#flights.get(key);
      const joining = this.#join(key, running ?? this.#begin(key, run), derived, true);
      const outcome = await joining.catch((error: unknown) => {
        if (running === undefined || !isOfOther(error)) throw error;
        return undefined;
      });
      if (outcome !== undefined) return { outcome, joined: running !== undefined };
    }
  }

  /**
   * Starts a run that no caller waits for. @returns undefined when one is running already, or another process does the
   * work
   */
  async start(key: string, signal: AbortSignal, run: Run<T>): Promise<T | undefined> {
    if (this.#flights.has(key) || signal.aborted) return undefined;
    return this.#join(key, this.#begin(key, run), signal, false);
  }

  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /** How many runs have callers that wait for them. */
  runsWithCallers(): number {
    return [...this.#flights.values()].filter(({ callers }) => callers > 0).length;
  }

  #begin(key: string, run: Run<T>): Flight<T> {
    const controller = new AbortController();
    const context: RunContext = {
      signal: controller.signal,
      callers: () => flight.callers,
      called: () =>
        new Promise((resolve) => {
          flight.onCalled = resolve;
        }),
      isAwaitedElsewhere: undefined,
    };
    // The run starts one microtask later: its context refers to the complete flight.
    const outcome = Promise.resolve()
      .then(() => run(context))
      .finally(() => this.#remove(key, flight));
    const counts = { waiters: 0, callers: 0, isEnding: false };
    const flight: Flight<T> = { context, outcome, controller, onCalled: undefined, ...counts };
    this.#flights.set(key, flight);
    return flight;
  }

  #remove(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }

  #join(key: string, flight: Flight<T>, signal: AbortSignal, isCaller: boolean): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        signal.removeEventListener('abort', abandon);
        flight.waiters -= 1;
        if (isCaller) flight.callers -= 1;
      };
      const abandon = () => {
        leave();
        reject(callerDisconnected());
        this.#endUnlessAwaited(key, flight);
      };
      flight.waiters += 1;
      if (isCaller) {
        flight.callers += 1;
        flight.onCalled?.();
      }
      signal.addEventListener('abort', abandon, { once: true });
      const leaveUnlessAbandoned = () => {
        if (!signal.aborted) leave();
      };
      flight.outcome.finally(leaveUnlessAbandoned).then(resolve, reject);
    });
  }

  /** Aborts a run without waiters, unless a caller waits in another process, or one joins in the meantime. */
  async #endUnlessAwaited(key: string, flight: Flight<T>): Promise<void> {
    if (flight.waiters > 0 || flight.isEnding) return;
    flight.isEnding = true;
    const isCurrent = () => flight.waiters === 0 && this.#flights.get(key) === flight;
    while (isCurrent() && (await flight.context.isAwaitedElsewhere?.()))
      await sleep(this.#clock, checkElsewhereMs);
    flight.isEnding = false;
    if (flight.waiters > 0) return;
    // Removed first: later callers must not join a run that is being aborted.
    this.#remove(key, flight);
    flight.controller.abort();
  }
}
