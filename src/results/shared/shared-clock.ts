import type { Clock } from '../../concurrency/clock.ts';

/** A clock that all gateways of a shared cache have in common. */
export interface SharedClock extends Clock {
  /**
   * Takes notice of the time of the store, if it is one.
   *
   * @param moment milliseconds since the epoch
   * @param calledAt when the call began that has returned it, by `elapsedMs`
   */
  note(moment: number, calledAt: number): void;
}

/** Gateways may differ by so much. */
const rightMs = 1_000;

/** A clock that is wrong by more is not followed, whether it is ours or the store's: it is the current time of queries, too. */
const longestCorrectionMs = 600_000;

/** A slower answer says little. */
const longestCallMs = 500;

/** Shows the time of the store that gateways share in place of its own, if the two differ: one clock decides when waves begin. */
export function buildSharedClock(own: Clock): SharedClock {
  let aheadMs = 0;
  return {
    ...own,
    now: () => (aheadMs === 0 ? own.now() : new Date(own.now().getTime() + aheadMs)),
    note(moment, calledAt) {
      const callMs = own.elapsedMs() - calledAt;
      const measuredMs = Math.round(moment + callMs / 2 - own.now().getTime());
      if (!Number.isFinite(moment) || callMs > longestCallMs || Math.abs(measuredMs - aheadMs) <= rightMs)
        return;
      const isRight = Math.abs(measuredMs) <= rightMs || Math.abs(measuredMs) > longestCorrectionMs;
      aheadMs = isRight ? 0 : measuredMs;
    },
  };
}
