import type { Clock } from '../../src/concurrency/clock.ts';

export interface FakeClock extends Clock {
  /** Advances the time, and runs everything that is due in between. */
  pass(ms: number): Promise<void>;
  /** Time passes while the process does not run. */
  skip(ms: number): void;
  /** Sets the clock of the machine, forward or back: no time passes. */
  set(byMs: number): void;
  /** How many timers are pending. */
  timers(): number;
}

/** A clock that only `pass` and `set` change. */
export function fakeClock(start = '2026-03-10T12:00:00Z'): FakeClock {
  let elapsed = 0;
  let startedAt = new Date(start).getTime();
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => new Date(startedAt + elapsed),
    elapsedMs: () => elapsed,
    after: (ms, run) => {
      const timer = { at: elapsed + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    timers: () => timers.size,
    skip(ms) {
      elapsed += ms;
    },
    set(byMs) {
      startedAt += byMs;
    },
    async pass(ms) {
      const end = elapsed + ms;
      for (;;) {
        await settled();
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        elapsed = Math.max(elapsed, next.at);
        next.run();
      }
      elapsed = end;
      await settled();
    },
  };
}

/** Resolves when everything that takes no time has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
