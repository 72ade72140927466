/**
 * Measures how long the event loop is blocked, in CPU time of this thread: a machine that other processes load makes every
 * block longer by the clock, but none of them costs more. A chain of immediates runs once in every turn of the loop, so the
 * CPU time between two of them is what one turn costs, garbage collection on this thread included. The kernel counts it in
 * ticks, so that a figure may be off by four milliseconds.
 */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isRunning = true;
  let last = process.threadCpuUsage();
  const tick = () => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, user + system);
    last = process.threadCpuUsage();
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    await work();
    // The turn in which the last bytes arrived is measured too.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  } finally {
    isRunning = false;
  }
  return longest / 1_000;
}
