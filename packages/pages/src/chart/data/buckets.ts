/** The times of rows, with the missing ones between them. */
export interface Buckets {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  /** The start of each bucket without rows, and how many seconds it is wide. */
  readonly empty: readonly { readonly time: number; readonly width: number }[];
  readonly count: number;
  /** Seconds of the bucket at the last time; undefined: times are single moments. */
  readonly lastWidth: number | undefined;
  /** undefined: times are single moments. */
  readonly unit: 'month' | 'second' | undefined;
}

/** With more empty buckets than this, and a smaller share with rows, times are single moments instead of buckets. */
const maxSparseBuckets = 2_000;
const leastShare = 0.02;
const maxBuckets = 20_000;

/**
 * Adds the buckets without rows, if the times are those of buckets: multiples of their least distance, in months if
 * they are first days of months.
 *
 * @param times ascending, all different
 */
export function fillBuckets(times: readonly number[]): Buckets {
  const [start, end] = [times[0], times.at(-1)];
  const isMonthly = times.every(isFirstOfMonth);
  const moments = { times, empty: [], count: times.length, lastWidth: undefined, unit: undefined };
  if (start === undefined || end === undefined || times.length < 2) return moments;
  const expected = isMonthly ? months(times) : multiples(times, start, end);
  if (expected === undefined) return moments;
  const present = new Set(times);
  const empty = expected.filter(({ time }) => !present.has(time));
  const all = [...times, ...empty.map(({ time }) => time)].sort((a, b) => a - b);
  return {
    times: all,
    empty,
    count: expected.length,
    lastWidth: expected.at(-1)?.width,
    unit: isMonthly ? 'month' : 'second',
  };
}

function multiples(times: readonly number[], start: number, end: number) {
  const step = leastDistance(times);
  const count = Math.round((end - start) / step) + 1;
  const isSparse = count > maxSparseBuckets && times.length / count < leastShare;
  if (!Number.isFinite(step) || count > maxBuckets || isSparse) return undefined;
  // The times themselves are taken where there are some: a multiple of a fraction is not exact.
  const places = new Map(times.map((time) => [Math.round((time - start) / step), time]));
  const isRegular = [...places].every(([place, time]) => Math.abs(start + place * step - time) < step / 1000);
  if (!isRegular || places.size < times.length) return undefined;
  return Array.from({ length: count }, (_, place) => ({
    time: places.get(place) ?? start + place * step,
    width: step,
  }));
}

const day = 86_400;

export const isFirstOfMonth = (time: number) => time % day === 0 && new Date(time * 1000).getUTCDate() === 1;

/** Buckets of a month, a quarter, a year: of the least distance, in months, of which the others are multiples. */
function months(times: readonly number[]) {
  const places = times.map(monthOf);
  const [first = 0, last = 0] = [places[0], places.at(-1)];
  const step = leastDistance(places);
  const isRegular = places.every((place) => (place - first) % step === 0);
  if (!isRegular || (last - first) / step >= maxSparseBuckets) return undefined;
  return Array.from({ length: (last - first) / step + 1 }, (_, bucket) => {
    const place = first + bucket * step;
    return { time: startOfMonth(place), width: startOfMonth(place + step) - startOfMonth(place) };
  });
}

/** Months since the year 0. */
function monthOf(time: number): number {
  const date = new Date(time * 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** `Date.UTC` takes the years before 100 for those of the 20th century. */
const startOfMonth = (place: number) =>
  new Date(0).setUTCFullYear(Math.floor(place / 12), place % 12, 1) / 1000;

function leastDistance(ascending: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < ascending.length; at += 1)
    least = Math.min(least, (ascending[at] ?? 0) - (ascending[at - 1] ?? 0));
  return least;
}
