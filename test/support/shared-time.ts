import { buildTimeline } from '../../src/concurrency/clock.ts';
import type { SharedTime } from '../../src/results/shared/shared-cache.ts';

/** The time of a gateway whose clock began with that of its machine, as in `runTime`. */
export function sharedTime(elapsedMs = Date.now): SharedTime {
  return { elapsedMs, ...buildTimeline({ now: () => new Date(elapsedMs()), elapsedMs }) };
}
