import { ApartCalls, HostWork, nextStatement, savedLimits, tooSlow } from '@querygate/bigquery-sql/duckdb';
import { untilAborted } from '../../../concurrency/abort.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { ProcessorSlots } from '../../../concurrency/processor/processor-slots.ts';
import { queueFull } from '../../../engine-contract/engine-errors.ts';
import { GatewayError } from '../../../errors.ts';
import { JavascriptProcess } from './javascript-process.ts';

interface Use {
  readonly owner: Owner;
  readonly signal: AbortSignal;
}

/** Runs statements that may call functions in JavaScript. */
export interface RunWithJavascript {
  /**
   * @param attempt a run of the statement, which begins with `beginWork`; it may be run again
   * @throws Error as the statement does
   */
  run<T>(use: Use, attempt: (work: HostWork) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Computes all functions while the engine waits: where no processes can be started. */
export const javascriptInPlace: RunWithJavascript = {
  run: ({ signal }, attempt) => attempt(new HostWork(savedLimits, signal)),
  async close() {},
};

/** How much processor time a part of the calls of one statement may take, and how long it may take in any case. */
const partMs = 2_000;
const maxPartMs = 30_000;

/** How long all calls of a function that keeps something may take, with the start of its process. */
const maxSlotMs = 30_000;

/** How many processes compute at the same moment; those of one owner in half of them. */
const maxProcesses = 2;

/** Functions of functions take a round each; arguments that are random are never those of the round before. */
const maxRounds = 8;

/**
 * Runs statements again whose functions in JavaScript take long. They are computed in processes of their own, in which owners
 * take turns, while the statement has no slot in the engine and nothing of the engine waits.
 */
export class JavascriptApart implements RunWithJavascript {
  readonly #slots: ProcessorSlots;
  readonly #processes = new Set<JavascriptProcess>();
  /** Waits for the next statement: to start one takes longer than most calls. */
  #idle: JavascriptProcess | undefined;

  constructor(queueLength: number) {
    // A part of the calls cannot be paused.
    const sliceMs = Number.POSITIVE_INFINITY;
    this.#slots = new ProcessorSlots({ size: maxProcesses, sliceMs, queueLength, overflow: queueFull });
  }

  async run<T>({ owner, signal }: Use, attempt: (work: HostWork) => Promise<T>): Promise<T> {
    const apart = new ApartCalls();
    const work = new HostWork(savedLimits, signal, apart);
    for (let round = 0; round < maxRounds; round += 1) {
      try {
        const result = await attempt(work);
        if (!apart.isWaiting) return result;
      } catch (error) {
        // It waits since the run before if a full queue has refused this one.
        if (error instanceof GatewayError || !apart.isWaiting || signal.aborted) throw error;
        work.requireEnough();
      }
      await this.#compute(apart, { owner, signal });
    }
    return attempt(new HostWork(savedLimits, signal));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes].map((one) => one.end()));
  }

  async #compute(apart: ApartCalls, { owner, signal }: Use): Promise<void> {
    const id = nextStatement();
    for (const compute of apart.missing()) {
      const slot = await this.#slots.enter(owner, signal);
      const startedAt = performance.now();
      try {
        const process = this.#take();
        const computing = compute((definition, rows) => {
          signal.throwIfAborted();
          if (performance.now() - startedAt > maxSlotMs) throw new Error(tooSlow);
          return process.compute(
            { id, definition, rows: `[${rows.join(',')}]`, timeoutMs: maxPartMs },
            partMs,
          );
        });
        await untilAborted(computing, signal).finally(() => this.#giveBack(process, id));
      } finally {
        slot.used(performance.now() - startedAt);
        slot.leave();
      }
    }
  }

  #take(): JavascriptProcess {
    const idle = this.#idle;
    this.#idle = undefined;
    if (idle?.isIdle) return idle;
    const started = new JavascriptProcess();
    this.#processes.add(started);
    return started;
  }

  async #giveBack(process: JavascriptProcess, id: number): Promise<void> {
    if (this.#idle === undefined && process.isIdle) {
      process.forget(id);
      this.#idle = process;
      return;
    }
    this.#processes.delete(process);
    await process.end();
  }
}
