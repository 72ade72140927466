import type { Clock } from '../../src/concurrency/clock.ts';

export interface FakeClock extends Clock {
  /** Advances the time, and runs everything that is due in between. */
  pass(ms: number): Promise<void>;
  /** How many timers are pending. */
  timers(): number;
}

/** A clock that only `pass` advances. */
export function fakeClock(start = '2026-03-10T12:00:00Z'): FakeClock {
  let now = new Date(start).getTime();
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => new Date(now),
    after: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    timers: () => timers.size,
    async pass(ms) {
      const end = now + ms;
      for (;;) {
        await settled();
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
      await settled();
    },
  };
}

/** Resolves when everything that takes no time has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
