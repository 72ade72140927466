import { type ApartCalls, tooMuchText, tooSlow } from './apart-calls.ts';

/** How much of the main thread and its memory a statement may use for the functions that this process computes. */
export interface HostLimits {
  /** For the rows that DuckDB hands over together: nothing else happens meanwhile. */
  readonly chunkMs: number;
  /** Of text and BYTES in these rows: all are copied before the memory of any is free again. */
  readonly chunkBytes: number;
  readonly totalMs: number;
  /** For functions in JavaScript, from one turn of the event loop to the next: several chunks may come between them. */
  readonly turnMs: number;
}

/**
 * Only what would stop all requests fails, before a probe that waits for three seconds does. A chunk of usual text takes
 * some tens of milliseconds; groups of NUMERIC values, of which there are some hundreds of thousands in a chunk, longer.
 */
export const savedLimits: HostLimits = {
  chunkMs: 2_500,
  chunkBytes: Number.POSITIVE_INFINITY,
  totalMs: Number.POSITIVE_INFINITY,
  turnMs: 2_000,
};

/** Of a program that runs one statement after the other, and does nothing else meanwhile. */
export const sessionLimits: HostLimits = { ...savedLimits, turnMs: Number.POSITIVE_INFINITY };

/** Callers choose the text. Chunks may follow each other without a turn of the event loop between them. */
export const callerLimits: HostLimits = {
  chunkMs: 250,
  chunkBytes: 16_000_000,
  totalMs: 1_000,
  turnMs: 1_000,
};

/**
 * For functions in JavaScript of statements that can be run again: what takes longer is computed apart, and nothing else waits
 * for it.
 */
const apartTurnMs = 25;

/** When this thread began to wait for functions in JavaScript, if the event loop has had no turn since. */
let turnBeganAt: number | undefined;

/** One statement's use of the main thread. */
export class HostWork {
  readonly #limits: HostLimits;
  readonly #signal: AbortSignal | undefined;
  #usedMs = 0;
  #failure: Error | undefined;
  readonly #ends: (() => void)[] = [];
  readonly apart: ApartCalls | undefined;

  /** @param apart if given, calls of JavaScript that take long are left to it */
  constructor(limits: HostLimits, signal?: AbortSignal, apart?: ApartCalls) {
    this.#limits = limits;
    this.#signal = signal;
    this.apart = apart;
  }

  /**
   * As `wait`, for a statement that can be run again.
   *
   * @returns undefined if the time until the next turn of the event loop is not enough
   */
  tryWait<T>(compute: (timeoutMs: number) => T | undefined): T | undefined {
    this.requireEnough();
    this.#signal?.throwIfAborted();
    const leftMs = apartTurnMs - msSinceTurn();
    return leftMs > 0 ? compute(leftMs) : undefined;
  }

  /**
   * Computes the rows of a chunk one after the other.
   *
   * @param computeRow calls `take` with the length of each value that it has read
   * @throws Error when they take too long or are too long, or the signal is aborted; further chunks fail at once
   */
  run(rowCount: number, computeRow: (row: number, take: (bytes: number) => void) => void): void {
    this.requireEnough();
    this.#signal?.throwIfAborted();
    const { chunkMs, chunkBytes, totalMs } = this.#limits;
    const allowedMs = Math.min(chunkMs, totalMs - this.#usedMs);
    const startedAt = performance.now();
    const startedWith = process.threadCpuUsage();
    // Processor time is read only when it can be over: a thread that has to wait for a core has used less.
    const isOver = () =>
      performance.now() - startedAt > allowedMs && processorMsSince(startedWith) > allowedMs;
    let taken = 0;
    const take = (bytes: number) => {
      taken += bytes;
      if (taken > chunkBytes || isOver()) this.#failure = new Error(tooMuchText);
      this.requireEnough();
    };
    try {
      for (let row = 0; row < rowCount; row += 1) {
        take(0);
        computeRow(row, take);
      }
    } finally {
      this.#usedMs += processorMsSince(startedWith);
    }
  }

  /**
   * Computes a part of a chunk in another thread, for which this one waits.
   *
   * @param bytes of text and BYTES that are read
   * @param compute returns undefined when the time that it is given was not enough
   * @throws Error as `run`
   */
  wait<T>(bytes: number, compute: (timeoutMs: number) => T | undefined): T {
    this.requireEnough();
    this.#signal?.throwIfAborted();
    const { chunkMs, chunkBytes, totalMs, turnMs } = this.#limits;
    const startedAt = performance.now();
    const allowedMs = Math.min(chunkMs, totalMs - this.#usedMs, turnMs - msSinceTurn());
    if (bytes > chunkBytes) this.#fail(tooMuchText);
    const computed = allowedMs > 0 ? compute(allowedMs) : undefined;
    this.#usedMs += performance.now() - startedAt;
    return computed ?? this.#fail(tooSlow);
  }

  #fail(message: string): never {
    this.#failure = new Error(message);
    throw this.#failure;
  }

  /** Calls a function when the statement has ended. */
  onEnd(callback: () => void): void {
    this.#ends.push(callback);
  }

  end(): void {
    for (const callback of this.#ends.splice(0)) callback();
  }

  /** @throws Error if a chunk was too much, also where TRY has made NULL of the error */
  requireEnough(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** How long this thread has waited for JavaScript, without a turn of the event loop. */
function msSinceTurn(): number {
  const now = performance.now();
  if (turnBeganAt === undefined) setImmediate(endTurn);
  turnBeganAt ??= now;
  return now - turnBeganAt;
}

function endTurn(): void {
  turnBeganAt = undefined;
}

function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
