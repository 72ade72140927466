export interface RepeatOptions {
  readonly everyMs: number;
  readonly work: () => Promise<void>;
  /** Told of a failed turn; the next one comes all the same. */
  readonly onError: (error: unknown) => void;
}

/** Does some work again and again, never twice at once. `close` resolves when none runs and none will. */
export function openRepeat({ everyMs, work, onError }: RepeatOptions): { close(): Promise<void> } {
  let running: Promise<void> | undefined;
  let isClosed = false;
  const timer = setInterval(() => {
    running ??= work()
      .catch((error: unknown) => {
        if (!isClosed) onError(error);
      })
      .finally(() => {
        running = undefined;
      });
  }, everyMs).unref();
  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      await running;
    },
  };
}
