import { readFileSync } from 'node:fs';

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

/** Units of the kernel's clock, which are 10 ms on every usual Linux. */
const tickMs = 10;

/** The processor time of another process so far, of all its threads, in ms. Linux only. */
export function processorMsOfProcess(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
