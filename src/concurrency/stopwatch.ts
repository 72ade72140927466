import { availableParallelism } from 'node:os';

/** The sources that a stopwatch reads. */
interface Readings {
  /** The clock, in ms. */
  now(): number;
  /** The processor time that this process has used on all cores together, in ms. */
  processorTime(): number;
  /** How many cores it would use if it had the machine for itself. */
  readonly cores: number;
}

const ofThisProcess: Readings = {
  now: () => performance.now(),
  processorTime() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  // Not all cores of a large machine: some steps of a query use only one.
  cores: Math.min(availableParallelism(), 2),
};

/** The least part of clock time that counts: also what only waits, for a disk perhaps, takes long at some point. */
const leastPart = 1 / 10;

/**
 * Measures how long something takes that uses the processor, as if the machine were this process's own: clock time in
 * which other programs had the cores does not count. On a busy machine, everything would seem to be slow.
 *
 * @returns gives the time since the start, in ms: at most clock time
 */
export function startStopwatch({ now, processorTime, cores }: Readings = ofThisProcess): () => number {
  const start = { clock: now(), processor: processorTime() };
  return () => {
    const clock = now() - start.clock;
    const own = (processorTime() - start.processor) / cores;
    return Math.max(Math.min(clock, own), clock * leastPart);
  };
}
