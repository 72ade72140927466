/** Keeps the event loop of this process from turning, as a long computation does. */
export function blockEventLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
