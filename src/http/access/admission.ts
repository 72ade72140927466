import { GatewayError } from '../../errors.ts';
import type { Schedule } from '../../keys/concurrency-limiter.ts';
import type { Principal } from '../../keys/principal.ts';
import { asksForNew } from '../cache-headers.ts';
import type { RequestHead } from '../head.ts';

/** One request of a caller who is known. */
export interface Admission {
  readonly holder: Principal;
  /** True where only a run that begins now will do. */
  readonly forced: boolean;
  /** Every question of the request goes through it. */
  readonly inTurn: Schedule;
  /** What every answer to the request tells, a refusal too. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why the request goes no further, where it does not. */
  readonly refusal: GatewayError | undefined;
}

const freely: Schedule = (work) => work();
const nothing = {};

/** Counts the request, and tells where its caller stands. A caller who may not have new runs is not refused: no cache must obey. */
export function admit(holder: Principal, { header }: RequestHead, now: () => Date): Admission {
  const { rateLimiter: budget, concurrencyLimiter: slots, permissions } = holder;
  const forced = permissions.has('fresh') && asksForNew(header('cache-control'));
  const inTurn = slots?.forRequest() ?? freely;
  if (budget === undefined) return { holder, forced, inTurn, headers: nothing, refusal: undefined };

  const { perMinute } = budget;
  const { isWithin, remaining, fullInSeconds, nextInSeconds } = budget.take(now().getTime());
  return {
    holder,
    forced,
    inTurn,
    headers: {
      'ratelimit-policy': `"default";q=${perMinute};w=60`,
      ratelimit: `"default";r=${remaining};t=${fullInSeconds}`,
    },
    refusal: isWithin
      ? undefined
      : new GatewayError('RATE_LIMITED', `This key may ask ${perMinute} times a minute; ask again later`, {
          retryAfterSeconds: nextInSeconds,
        }),
  };
}
