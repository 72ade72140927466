import { type Clock, systemClock } from './clock.ts';

export interface RepeatOptions {
  readonly everyMs: number;
  readonly work: () => Promise<void>;
  /** Receives the error of a failed repetition; the work is repeated nevertheless. */
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

/** Repeats some work at intervals, never twice at once. `close` resolves when the last repetition has ended. */
export function openRepeat({ everyMs, work, onError, clock = systemClock }: RepeatOptions): {
  close(): Promise<void>;
} {
  let running: Promise<void> | undefined;
  let isClosed = false;
  const repeat = () => {
    cancel = clock.after(everyMs, repeat);
    running ??= work()
      .catch((error: unknown) => {
        if (!isClosed) onError(error);
      })
      .finally(() => {
        running = undefined;
      });
  };
  let cancel = clock.after(everyMs, repeat);
  return {
    async close() {
      isClosed = true;
      cancel();
      await running;
    },
  };
}
