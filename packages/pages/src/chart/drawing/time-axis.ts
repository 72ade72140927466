import { type TimeInterval, utcMonth, utcTickInterval } from 'd3-time';
import { timestampText } from '../../timestamp.ts';
import { isFirstOfMonth } from '../data/buckets.ts';
import type { TimeData } from '../data/time-data.ts';

/** A place on the axis of time, with one or two lines of text. */
export interface TimeTick {
  /** Seconds since 1970. */
  readonly time: number;
  readonly label: string;
  /** The day of an hour, the year of a day: where it changes. */
  readonly second: string;
}

const day = 86_400;

const format = (options: Intl.DateTimeFormatOptions) => {
  const { format: formatDate } = new Intl.DateTimeFormat('en', { ...options, timeZone: 'UTC' });
  return (seconds: number) => formatDate(seconds * 1000);
};

const yearText = format({ year: 'numeric' });
const monthText = format({ month: 'short' });
const dayNumber = format({ day: 'numeric' });
const dayText = (seconds: number) => `${dayNumber(seconds)} ${monthText(seconds)}`;

/**
 * Ticks at whole hours, days, months or years, and never between two buckets: at `1 Jul`, `1 Aug` and `1 Sep` for months.
 *
 * @param most as many as there is room for
 */
export function timeTicks({ times, unit }: TimeData, most: number): readonly TimeTick[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const chosen = times.length <= most && unit !== undefined ? times : regularTicks(first, last, most);
  const places = chosen.length > 0 ? chosen : [first];
  let before = '';
  return places.map((time) => {
    const [label, second] = labelOf(time, places, unit);
    const shown = second === before ? '' : second;
    before = second;
    return { time, label, second: shown };
  });
}

function regularTicks(first: number, last: number, most: number): readonly number[] {
  const range = [new Date(first * 1000), new Date(last * 1000 + 1)] as const;
  const ticksOf = (interval: Pick<TimeInterval, 'range'> | null) =>
    (interval?.range(...range) ?? []).map((date) => date.getTime() / 1000);
  const isFitting = ({ length }: readonly number[]) => length > 0 && length <= most;
  if (last - first > 62 * day) {
    for (const months of [1, 2, 3, 4, 6]) {
      const ticks = ticksOf(utcMonth.every(months));
      if (isFitting(ticks)) return ticks;
    }
  }
  // The interval is the one that is nearest to the count, so that there may be more.
  for (let count = Math.max(most, 1); count >= 1; count -= 1) {
    const ticks = ticksOf(utcTickInterval(...range, count));
    if (isFitting(ticks)) return ticks;
  }
  return [];
}

function labelOf(
  time: number,
  places: readonly number[],
  unit: TimeData['unit'],
): readonly [label: string, second: string] {
  if (unit === 'month' || places.every((one) => isFirstOfMonth(one) && places.length > 1)) {
    const isYearly = places.length > 1 && places.every((one) => new Date(one * 1000).getUTCMonth() === 0);
    return isYearly ? [yearText(time), ''] : [monthText(time), yearText(time)];
  }
  if (places.every((one) => one % day === 0)) return [dayText(time), yearText(time)];
  const [, clock = ''] = new Date(time * 1000).toISOString().split('T');
  const length = places.every((one) => one % 60 === 0) ? 5 : places.every(Number.isInteger) ? 8 : 12;
  return [clock.slice(0, length), dayText(time)];
}

/** A time as it is read off a chart: a month, a day, or a moment; of a DATETIME, whose zone only its author knows, without UTC. */
export function momentText({ unit, isByDay, time }: TimeData, seconds: number): string {
  if (unit === 'month') return `${monthText(seconds)} ${yearText(seconds)}`;
  if (isByDay) return `${dayText(seconds)} ${yearText(seconds)}`;
  return `${timestampText(Math.round(seconds * 1e6))}${time.type === 'timestamp' ? ' UTC' : ''}`;
}
