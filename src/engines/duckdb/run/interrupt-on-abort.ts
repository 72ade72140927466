import type { Worker } from './worker.ts';

const interruptEveryMs = 20;

/**
 * Interrupts a worker once the signal is aborted, and again until the work has ended: an interrupt does not stop a
 * statement that begins just then.
 *
 * @returns ends it
 */
export function interruptOnAbort(signal: AbortSignal, { connection }: Worker): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setTimeout(interrupt, interruptEveryMs).unref();
  };
  signal.addEventListener('abort', interrupt, { once: true });
  return () => {
    signal.removeEventListener('abort', interrupt);
    clearTimeout(timer);
  };
}
