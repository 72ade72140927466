import { hash } from 'node:crypto';
import type { Budget, BudgetLimit } from '../../../config/budget.ts';
import { getOrAdd } from '../../../get-or-add.ts';

/** A limit of one payer. */
export interface Limit extends BudgetLimit {
  /** Distinguishes it from all others. */
  readonly id: string;
  /** As messages name its budget. */
  readonly payer: 'gateway' | 'key' | 'query';
  /** The key or the endpoint; empty for the gateway. */
  readonly of: string;
  readonly isTracking: boolean;
}

/** A calendar day of a limit, in milliseconds since the epoch. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

const hourMs = 3_600_000;

/** Days begin within so much after midnight, each limit at its own time: not all gateways run everything at once. */
const spreadMs = hourMs;

const maxMidnights = 100;

/** The limits of a budget. @param name of the key or the endpoint */
export const limitsOf = (
  payer: Limit['payer'],
  name: string,
  { limits, isTracking }: Budget,
): readonly Limit[] =>
  limits.map((limit) => ({
    ...limit,
    payer,
    of: name,
    isTracking,
    id: JSON.stringify([payer, name, limit.name]),
  }));

const spreadOf = (id: string): number =>
  Number.parseInt(hash('sha256', id, 'hex').slice(0, 8), 16) % spreadMs;

/** Gives the day of a limit that a moment is in. Days of 23 and 25 hours are as long as clocks make them. */
export function buildPeriodOf(timeZone: string): (id: string, now: number) => Period {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    },
  });
  /** The time on a wall clock, as if it were UTC. */
  const wallOf = (at: number): number => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = (
      ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
    ).map((type) => parts.get(type));
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  /** The first moment of a day: where midnight is skipped, the first one after it. */
  const findMidnight = (day: number): number => {
    let [low, high] = [day - 16 * hourMs, day + 16 * hourMs];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (Math.floor(wallOf(middle) / (24 * hourMs)) * 24 * hourMs >= day) high = middle;
      else low = middle;
    }
    return high;
  };
  /** All limits have the same. */
  const midnights = new Map<number, number>();
  const midnight = (day: number): number => {
    if (midnights.size > maxMidnights) midnights.clear();
    return getOrAdd(midnights, day, () => findMidnight(day));
  };
  const known = new Map<string, Period>();
  return (id, now) => {
    const before = known.get(id);
    if (before !== undefined && now >= before.start && now < before.end) return before;
    const spread = spreadOf(id);
    const today = Math.floor(wallOf(now - spread) / (24 * hourMs)) * 24 * hourMs;
    const period = {
      start: midnight(today) + spread,
      end: midnight(today + 24 * hourMs) + spread,
    };
    if (known.size > 10_000) known.clear();
    known.set(id, period);
    return period;
  };
}
