import { LoopTurns } from '../../src/concurrency/loop-turns.ts';
import type { SharedTime, SharedUse } from '../../src/results/shared/shared-cache.ts';

/**
 * The time of a gateway whose clock began with that of its machine, as in `runTime`. Both clocks are one, so that a test that
 * is interrupted between two readings sees no step.
 */
export function sharedTime(): SharedTime {
  return { elapsedMs: Date.now, elapsedAt: (moment) => moment, momentAt: (elapsedMs) => elapsedMs };
}

/** A gateway over some data. */
export const sharedUse = (source = 'fake'): SharedUse => ({ source, turns: new LoopTurns() });
