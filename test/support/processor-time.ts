/**
 * The processor time of this thread for some work, in ms: other processes do not add to it as they add to the clock's time.
 * The kernel counts it in ticks of up to four milliseconds.
 */
export function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  return since(before);
}

/** The same for work that waits, with all else that this thread does meanwhile. */
export async function processorMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  return since(before);
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
