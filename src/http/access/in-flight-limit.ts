import { GatewayError } from '../../errors.ts';

/**
 * How many requests may be under way in one process. A thousand dashboards that ask the same cold question at once wait
 * for one run, and all get its answer; each that waits costs some 20 KB, and one that has yet to send a body up to 256 KB.
 */
export const maxInFlight = 2_000;

/** Who is being answered at this moment. */
export interface InFlightLimit {
  /** Counts a request until its answer is there, or its caller has gone. */
  count<T>(answer: () => Promise<T>): Promise<T>;
  /** @throws GatewayError OVERLOADED where too many are under way */
  refuse(): void;
}

export function buildInFlightLimit(most = maxInFlight): InFlightLimit {
  let inside = 0;
  return {
    async count(answer) {
      inside += 1;
      try {
        return await answer();
      } finally {
        inside -= 1;
      }
    },
    refuse() {
      if (inside <= most) return;
      throw new GatewayError(
        'OVERLOADED',
        `${most} requests are under way, and no more are taken; try again in a moment`,
        {
          retryAfterSeconds: 1,
        },
      );
    },
  };
}
