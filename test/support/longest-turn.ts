/**
 * Measures how much processor time this thread takes between two turns of the event loop, which other processes do not
 * change as they change the clock's time.
 *
 * @returns ends the measurement, and gives the longest turn in ms
 */
export function measureLongestTurn(): () => number {
  let longestMs = 0;
  let last = process.threadCpuUsage();
  const note = () => {
    const now = process.threadCpuUsage();
    longestMs = Math.max(longestMs, (now.user + now.system - last.user - last.system) / 1_000);
    last = now;
  };
  const timer = setInterval(note, 2).unref();
  return () => {
    clearInterval(timer);
    note();
    return longestMs;
  };
}
