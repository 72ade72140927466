/**
 * Calls back at an interval of loop time: the time in which the event loop could read what arrived. `setInterval`
 * measures clock time: a turn of half a second counts as half a second, although nothing that arrived meanwhile could
 * be read. Here a turn counts as one tick at most, and everything that has arrived is read before its tick is counted.
 *
 * @returns stops the ticks
 */
export function openLoopTicks(everyMs: number, onTick: () => void): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const scheduleTick = () => {
    // Timers run before sockets are read, immediates after.
    timer = setTimeout(() => setImmediate(tick), everyMs);
  };
  const tick = () => {
    if (isStopped) return;
    scheduleTick();
    onTick();
  };
  scheduleTick();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
