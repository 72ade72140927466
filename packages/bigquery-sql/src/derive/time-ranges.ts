import type { Step } from './time-steps.ts';

/** From `from` on, before `until`, in microseconds since the epoch. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

const hour = 3_600_000_000;

/**
 * How far the clocks of a zone may be from the rules that this process knows, and how much later its hours may come again:
 * nothing depends on the moment at which a zone changes its clocks.
 */
const slack = 3 * hour;

/** A change of more than that is one of the date: nothing is said of values around it. */
const longestJump = slack;

/** The clocks of a zone, and how far they are ahead of UTC in the hours that were looked at. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly offsets: Map<number, number>;
}

const zones = new Map<string, Zone | undefined>();

/** The hours of a zone that are kept: a formatted time costs microseconds, and a result may have as many buckets as rows. */
const maxHours = 20_000;

function zoneNamed(name: string): Zone | undefined {
  if (!zones.has(name)) {
    try {
      const format = new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        hourCycle: 'h23',
        ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
        ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
      });
      zones.set(name, { format, offsets: new Map() });
    } catch {
      zones.set(name, undefined);
    }
  }
  return zones.get(name);
}

/** By how much the clocks of a zone are ahead of UTC when an hour since the epoch begins. */
function offsetAt({ format, offsets }: Zone, hours: number): number | undefined {
  const known = offsets.get(hours);
  if (known !== undefined) return known;
  const read = readOffset(format, (hours * hour) / 1000);
  if (offsets.size >= maxHours) offsets.clear();
  if (read !== undefined) offsets.set(hours, read);
  return read;
}

function readOffset(format: Intl.DateTimeFormat, ms: number): number | undefined {
  if (!Number.isFinite(new Date(ms).getTime())) return undefined;
  const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return (Date.UTC(year, month - 1, day, hour, minute, second) - ms) * 1000;
}

/** The least and the greatest offset within a day and a half. */
function offsetsNear(name: string, micros: number): readonly [number, number] | undefined {
  const zone = zoneNamed(name);
  const at = Math.floor(micros / hour);
  const [before, here, after] = zone
    ? [offsetAt(zone, at - 36), offsetAt(zone, at), offsetAt(zone, at + 37)]
    : [];
  if (before === undefined || here === undefined || after === undefined) return undefined;
  const [least, most] = [Math.min(before, here, after), Math.max(before, here, after)];
  return most - least > longestJump ? undefined : [least - slack, most + slack];
}

/** Where the clock is that shows a value: a zone's, or that of time itself. */
type Clock = string | undefined;

const isUtc = (zone: string) => zone === 'UTC';

/** @returns the clock after a step, `unknown` if the value is then no time that is understood */
function clockAfter(clock: Clock, step: Step): Clock | 'unknown' {
  if (!('zone' in step) || isUtc(step.zone)) return clock;
  if (step.kind === 'civil') return clock === undefined ? step.zone : 'unknown';
  return clock === step.zone ? undefined : 'unknown';
}

const floor = (value: number, unit: number) => Math.floor(value / unit) * unit;

/** The range of a value, from that of the time that it is computed from. */
interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly clock: Clock;
}

/** @returns undefined if the steps are not understood */
export function boundsAfter(way: readonly Step[], time: number): Bounds | undefined {
  let bounds: Bounds = { least: time, most: time, clock: undefined };
  for (const step of way) {
    const clock = clockAfter(bounds.clock, step);
    if (clock === 'unknown') return undefined;
    const next = boundsOfStep(bounds, step, clock);
    if (next === undefined) return undefined;
    bounds = next;
  }
  return bounds;
}

function boundsOfStep({ least, most, clock: before }: Bounds, step: Step, clock: Clock): Bounds | undefined {
  switch (step.kind) {
    case 'add':
      return { least: least + step.least, most: most + step.most, clock };
    case 'floor':
      return { least: floor(least, step.unit), most: floor(most, step.unit), clock };
    case 'earlier':
      return { least: least - step.most, most, clock };
    case 'civil': {
      if (clock === before) return { least, most, clock };
      const [low, high] = [offsetsNear(step.zone, least), offsetsNear(step.zone, most)];
      return low && high && { least: least + low[0], most: most + high[1], clock };
    }
    case 'instant': {
      if (clock === before) return { least, most, clock };
      const [low, high] = [offsetsNear(step.zone, least), offsetsNear(step.zone, most)];
      return low && high && { least: least - low[1], most: most - high[0], clock };
    }
  }
}

/** How times are put into buckets. */
export interface Buckets {
  /** The clock whose time a value of a bucket is. */
  readonly clock: Clock;
  /** No bucket is longer. */
  readonly length: number;
  /** If buckets begin at its multiples since the epoch, in UTC. */
  readonly unit: number | undefined;
  /** Its values may be later than their times by this. */
  readonly slack: number;
}

/** @returns undefined if the steps make no buckets */
export function bucketsOf(way: readonly Step[]): Buckets | undefined {
  let clock: Clock;
  let length = 0;
  let unit: number | undefined = 1;
  let hasZone = false;
  for (const step of way) {
    const next = clockAfter(clock, step);
    if (next === 'unknown' || step.kind === 'add') return undefined;
    hasZone ||= next !== clock;
    clock = next;
    if (step.kind === 'earlier') {
      length += step.most;
      unit = undefined;
    } else if (step.kind === 'floor') {
      length += step.unit;
      unit = unit === undefined ? undefined : coarser(unit, step.unit);
    }
  }
  if (hasZone) return { clock, length, unit: undefined, slack };
  return { clock, length: unit ?? length, unit, slack: 0 };
}

const coarser = (one: number, other: number): number | undefined =>
  Math.max(one, other) % Math.min(one, other) === 0 ? Math.max(one, other) : undefined;

/** The times that a bucket may have; undefined if they are not known. */
export function timesOf({ clock, length, unit, slack }: Buckets, value: number): TimeRange | undefined {
  if (unit !== undefined) return { from: value, until: value + unit };
  if (clock === undefined) return { from: value - slack, until: value + length + slack };
  const [first, last] = [offsetsNear(clock, value), offsetsNear(clock, value + length)];
  if (!first || !last || Math.abs(first[0] - last[0]) > longestJump) return undefined;
  return { from: value - first[1], until: value + length - last[0] };
}

/** Each bucket that has a time of a range, and no other than these, has all of its times in the result. */
export function wholeBuckets({ length, unit, slack }: Buckets, { from, until }: TimeRange): TimeRange {
  if (unit !== undefined) return { from: floor(from, unit), until: Math.ceil(until / unit) * unit };
  // The two ends of a bucket may have different offsets.
  const widest = length + 4 * slack;
  return { from: from - widest, until: until + widest };
}
