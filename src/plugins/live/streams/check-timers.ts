import { openRepeat } from '../../../concurrency/repeat.ts';
import type { PluginHost } from '../../../gateway/plugin.ts';
import { checkEveryMs } from '../subscribers.ts';
import { beatEveryMs } from '../delivery.ts';
import type { StepQueue } from '../step-queue.ts';

interface CheckTimersOptions {
  /** The steps of a check. */
  readonly check: () => Generator<void>;
  readonly beat: () => void;
  readonly steps: StepQueue;
  readonly clock: PluginHost['clock'];
  readonly onBug: (error: unknown) => void;
}

/** Checks the callers and bindings of streams, and writes signs of life, again and again while there are streams. */
export class CheckTimers {
  readonly #options: CheckTimersOptions;
  #timers: readonly ReturnType<typeof openRepeat>[] = [];
  /** The steps of a check may take longer than the time between two checks. */
  #check: 'idle' | 'running' = 'idle';

  constructor(options: CheckTimersOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#timers.length > 0) return;
    const { steps, beat } = this.#options;
    this.#timers = [
      this.#every(checkEveryMs, () => {
        if (this.#check === 'running') return;
        this.#check = 'running';
        steps.add(this.#checkAll(), true);
      }),
      this.#every(beatEveryMs, beat),
    ];
  }

  stop(): void {
    for (const timer of this.#timers) void timer.close();
    this.#timers = [];
  }

  #every(everyMs: number, work: () => void) {
    const { clock, onBug } = this.#options;
    return openRepeat({ clock, everyMs, work: async () => work(), onError: onBug });
  }

  *#checkAll(): Generator<void> {
    try {
      yield* this.#options.check();
    } finally {
      this.#check = 'idle';
    }
  }
}
