import type { WindowEdge } from './window-edges.ts';
import type { Narrowed } from './narrow-window.ts';
import {
  boundsAfter,
  type Buckets,
  bucketsOf,
  type TimeRange,
  timesOf,
  wholeBuckets,
} from './time-ranges.ts';
import { axesOf, type Step, type TextOf, waysFromNow, waysFromTime } from './time-steps.ts';

/** The difference between a result and the one before it. Times are in microseconds since the epoch. */
export interface IncrementRun {
  /** The values of parameters that are texts. */
  readonly textOf: TextOf;
  /** The current time of the result before, and that of this run. */
  readonly before: number;
  readonly now: number;
  /** The times of the rows that have been added or removed since. */
  readonly changed: readonly TimeRange[];
  /** The buckets of the result before. */
  readonly buckets: readonly number[];
}

/** The part of the time that has to be read, so that the other buckets are those of the result before. */
export interface Increment {
  /** Rows before `until`, and from `from` on. */
  readonly read: { readonly until: number; readonly from: number };
  /** Where a bucket comes from: the run if it is before or after the kept ones. */
  sideOf(bucket: number): 'before' | 'kept' | 'after' | undefined;
}

/**
 * Plans a run that reads only what may have changed since the result before.
 *
 * @returns `unchanged` if a run would return the same rows; undefined if all has to be read
 */
export function planIncrement(
  { bucket, edges }: Pick<Narrowed, 'bucket' | 'edges'>,
  { textOf, before, now, changed, buckets }: IncrementRun,
): Increment | 'unchanged' | undefined {
  const made = onlyBuckets(waysFromTime(bucket.value, textOf));
  if (made === undefined) return undefined;
  const moved = edges.map((edge) => movedTimes(edge, textOf, before, now));
  const known = moved.filter((range) => range !== undefined);
  if (known.length < moved.length) return undefined;
  const ranges = [...known, ...changed].filter(({ from, until }) => from < until);
  if (ranges.length === 0) return 'unchanged';
  let oldest = known.reduce((least, { from }) => Math.min(least, from), now);
  for (const value of buckets)
    oldest = Math.min(oldest, timesOf(made, value)?.from ?? Number.NEGATIVE_INFINITY);
  // Rounding to buckets is not the same before the epoch.
  if (oldest < 0) return undefined;
  const kept = longestGap(ranges, { from: oldest, until: now });
  if (kept === undefined) return undefined;
  const read = {
    until: wholeBuckets(made, { from: 0, until: kept.from }).until,
    from: wholeBuckets(made, { from: kept.until, until: 0 }).from,
  };
  if (read.until >= read.from) return undefined;
  return { read, sideOf: (value) => sideOf(timesOf(made, value), kept) };
}

/** How far back the window of a query begins; undefined if it is not bounded, or not known. */
export function windowMicros(
  { edges }: Pick<Narrowed, 'edges'>,
  textOf: TextOf,
  now: number,
): number | undefined {
  const begins = edges.flatMap((edge) =>
    edge.operator === '>' || edge.operator === '>='
      ? endsOf(edge, textOf).map((way) => boundsAfter(way, now))
      : [],
  );
  const known = begins.flatMap((bounds) => bounds?.least ?? []);
  return known.length === 0 ? undefined : now - Math.max(...known);
}

function sideOf(times: TimeRange | undefined, kept: TimeRange): 'before' | 'kept' | 'after' | undefined {
  if (times === undefined) return undefined;
  const [isBefore, isAfter] = [times.from < kept.from, times.until > kept.until];
  if (isBefore && isAfter) return undefined;
  return isBefore ? 'before' : isAfter ? 'after' : 'kept';
}

const onlyBuckets = (ways: readonly (readonly Step[])[] | undefined): Buckets | undefined => {
  const [way, another] = ways ?? [];
  return way === undefined || another !== undefined ? undefined : bucketsOf(way);
};

/** The times of rows for which a comparison has another outcome than before; undefined if they are not known. */
function movedTimes(edge: WindowEdge, textOf: TextOf, before: number, now: number): TimeRange | undefined {
  const made = onlyBuckets(waysFromTime(edge.value, textOf));
  const [end, another] = endsOf(edge, textOf);
  if (made === undefined || end === undefined || another !== undefined) return undefined;
  const [old, fresh] = [boundsAfter(end, before), boundsAfter(end, now)];
  if (old === undefined || fresh === undefined) return undefined;
  const least = Math.min(old.least, fresh.least);
  const most = Math.max(old.most, fresh.most);
  if (least === most) return { from: least, until: least };
  const isAfter = edge.operator === '>' || edge.operator === '<=';
  const from = isAfter ? least + 1 : least;
  const until = isAfter || edge.operator === '=' ? most + 1 : most;
  const { unit } = made;
  const isTight = unit !== undefined && (edge.end === undefined || (least % unit === 0 && most % unit === 0));
  if (isTight) return { from: Math.ceil(from / unit) * unit, until: Math.ceil(until / unit) * unit };
  const [first, last] = [timesOf(made, from), timesOf(made, until)];
  return first && last && { from: first.from, until: last.until };
}

function endsOf({ edge, end }: WindowEdge, textOf: TextOf): readonly (readonly Step[])[] {
  const expressions = end === undefined ? [edge] : (axesOf(edge, textOf) ?? []).map((axis) => axis[end]);
  return expressions.flatMap((expression) => waysFromNow(expression, textOf) ?? []);
}

/** The longest stretch of time between ranges. */
function longestGap(ranges: readonly TimeRange[], within: TimeRange): TimeRange | undefined {
  let longest: TimeRange | undefined;
  let length = 0;
  let at = Number.NEGATIVE_INFINITY;
  for (const { from, until } of [
    ...ranges.toSorted((a, b) => a.from - b.from),
    { from: Infinity, until: Infinity },
  ]) {
    const shown = Math.min(from, within.until) - Math.max(at, within.from);
    if (shown > length) [longest, length] = [{ from: at, until: from }, shown];
    at = Math.max(at, until);
  }
  return longest;
}
