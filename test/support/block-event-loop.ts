/** Blocks the event loop of this process, as a long computation does. */
export function blockEventLoop(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
