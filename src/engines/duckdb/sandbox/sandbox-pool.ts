import { GatewayError } from '../../../errors.ts';
import { once } from '../../../memoize.ts';
import { SandboxEnded, type SandboxProcess } from './sandbox-process.ts';

interface SandboxPoolOptions {
  /** @throws Error if the system has no room for another one */
  readonly start: () => SandboxProcess;
  readonly onProblem: (message: string) => void;
}

/** A process of the pool. One that is idle may not be ready yet; one that is ending is given no text any more. */
export interface PooledSandbox {
  readonly sandbox: SandboxProcess;
  state: 'idle' | 'running' | 'ending';
  /** How many it has run. */
  texts: number;
}

/** A process that has not been used for this long is ended, unless it is the last one. */
const idleMs = 60_000;

/** Traces of texts in a process grow slowly: macros, and memory that the allocator does not give back. */
const maxTexts = 1_000;

/** A new spare process would take processor time from the text that took the last one. */
const spareDelayMs = 250;

/** After a process that could not start. */
const retryMs = 2_000;

/** The processes of sandboxes: those that run a text, and at least one that waits for the next. */
export class SandboxPool {
  readonly #options: SandboxPoolOptions;
  /** In the order of their last use. */
  readonly #all = new Set<PooledSandbox>();
  #state: 'open' | 'closed' = 'open';
  /** Of the last process that was started. */
  #lastStart: 'succeeded' | 'failed' = 'succeeded';
  #spareTimer: NodeJS.Timeout | undefined;

  constructor(options: SandboxPoolOptions) {
    this.#options = options;
  }

  get state(): 'open' | 'closed' {
    return this.#state;
  }

  /**
   * The process that was used last, whose code is compiled; otherwise a new one.
   *
   * @throws GatewayError ENGINE_UNAVAILABLE
   */
  take(): PooledSandbox {
    const one = this.#idle().findLast(({ sandbox }) => !sandbox.hasEnded) ?? this.#startOrRefuse();
    one.state = 'running';
    this.startSpareLater(spareDelayMs);
    return one;
  }

  putBack(one: PooledSandbox): void {
    one.texts += 1;
    if (one.sandbox.hasEnded || one.texts >= maxTexts || this.#state === 'closed') {
      this.#end(one);
      return;
    }
    one.state = 'idle';
    this.#all.delete(one);
    this.#all.add(one);
    const { texts } = one;
    setTimeout(() => {
      if (one.state === 'idle' && one.texts === texts && this.#idle().length > 1) this.#end(one);
    }, idleMs).unref();
  }

  startSpareLater(delayMs: number): void {
    if (this.#spareTimer !== undefined || this.#state === 'closed') return;
    this.#spareTimer = setTimeout(() => void this.#startSpare(), delayMs).unref();
  }

  readonly close = once(async () => {
    this.#state = 'closed';
    clearTimeout(this.#spareTimer);
    const all = [...this.#all];
    for (const one of all) this.#end(one);
    await Promise.all(all.map(({ sandbox }) => sandbox.ended));
  });

  #end(one: PooledSandbox): void {
    one.state = 'ending';
    one.sandbox.kill();
  }

  #idle(): readonly PooledSandbox[] {
    return [...this.#all].filter(({ state }) => state === 'idle');
  }

  #start(): PooledSandbox {
    const one: PooledSandbox = { sandbox: this.#options.start(), state: 'idle', texts: 0 };
    this.#all.add(one);
    void one.sandbox.ended.then(() => {
      one.state = 'ending';
      this.#all.delete(one);
      this.startSpareLater(this.#lastStart === 'succeeded' ? 0 : retryMs);
    });
    return one;
  }

  async #startSpare(): Promise<void> {
    this.#spareTimer = undefined;
    if (this.#state === 'closed' || this.#idle().length > 0) return;
    try {
      const one = this.#start();
      await one.sandbox.ready;
      this.#lastStart = 'succeeded';
      // A text that has waited for the process goes first.
      if (one.state === 'idle') one.sandbox.warmUp();
    } catch (error) {
      const wasKilled = error instanceof SandboxEnded && error.wasKilled;
      if (this.#state === 'open' && !wasKilled) this.#noteFailure(error);
    }
  }

  #startOrRefuse(): PooledSandbox {
    try {
      return this.#start();
    } catch (cause) {
      this.#noteFailure(cause);
      throw new GatewayError(
        'ENGINE_UNAVAILABLE',
        'sql: no process can be started for it; try again in a moment',
        { retryAfterSeconds: retryMs / 1_000, cause },
      );
    }
  }

  #noteFailure(error: unknown): void {
    if (this.#lastStart === 'succeeded')
      this.#options.onProblem(`SQL of callers cannot run: its process does not start: ${String(error)}`);
    this.#lastStart = 'failed';
    this.startSpareLater(retryMs);
  }
}
