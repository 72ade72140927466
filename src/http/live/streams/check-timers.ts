import type { Clock } from '../../../concurrency/clock.ts';
import { openRepeat } from '../../../concurrency/repeat.ts';
import { checkEveryMs } from '../callers.ts';
import { beatEveryMs } from '../delivery.ts';
import type { StepQueue } from '../step-queue.ts';

interface CheckTimersOptions {
  /** The steps of a check. */
  readonly check: () => Generator<void>;
  readonly beat: () => void;
  readonly steps: StepQueue;
  readonly clock: Clock;
  readonly onBug: (error: unknown) => void;
}

/** Checks the callers and bindings of streams, and writes signs of life, again and again while there are streams. */
export class CheckTimers {
  readonly #options: CheckTimersOptions;
  #timers: readonly { close(): Promise<void> }[] = [];
  /** The steps of a check may take longer than the time between two checks. */
  #check: 'idle' | 'running' = 'idle';

  constructor(options: CheckTimersOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#timers.length > 0) return;
    const { clock, onBug, steps, beat } = this.#options;
    const every = (everyMs: number, work: () => void) =>
      openRepeat({ clock, everyMs, work: async () => work(), onError: onBug });
    this.#timers = [
      every(checkEveryMs, () => {
        if (this.#check === 'running') return;
        this.#check = 'running';
        steps.add(this.#checkAll(), true);
      }),
      every(beatEveryMs, beat),
    ];
  }

  stop(): void {
    for (const timer of this.#timers) void timer.close();
    this.#timers = [];
  }

  *#checkAll(): Generator<void> {
    try {
      yield* this.#options.check();
    } finally {
      this.#check = 'idle';
    }
  }
}
