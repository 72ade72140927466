/**
 * Preloaded into a gateway: measures how much processor time its main thread takes between two turns of the event loop,
 * which other processes do not change as they change the clock's time. The first SIGUSR2 begins, the second reports.
 */
let longestMs = 0;
let last = process.threadCpuUsage();
let isMeasuring = false;

setInterval(() => {
  const now = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (now.user + now.system - last.user - last.system) / 1_000);
  last = now;
}, 2).unref();

process.on('SIGUSR2', () => {
  if (isMeasuring) process.stderr.write(`longest turn of the event loop: ${Math.round(longestMs)} ms\n`);
  isMeasuring = true;
  longestMs = 0;
});
