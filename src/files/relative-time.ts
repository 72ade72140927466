/** A distance from now, as in `-1d`: what a default or a bound of a date or a moment may be. */
export interface RelativeTime {
  /** Negative for the past. */
  readonly ms: number;
  readonly unit: keyof typeof unitMs;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const unitMs = { m: minuteMs, h: 60 * minuteMs, d: dayMs, w: 7 * dayMs } as const;

const pattern = /^(?<sign>[+-]?)(?<count>\d{1,5})(?<unit>[mhdw])$/;

/** Parses `-90m`, `-12h`, `-1d`, `+2w`, `0d`. @returns undefined if the text is invalid */
export function parseRelativeTime(text: string): RelativeTime | undefined {
  const groups = pattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const unit = groups.unit as keyof typeof unitMs;
  const ms = Number(groups.count) * unitMs[unit];
  return { ms: groups.sign === '-' ? -ms : ms, unit };
}

/** How finely a relative date or moment is resolved. */
export type Resolution = { readonly stepMs: number };

/** A date is the same all day, in UTC. */
export const dateResolution: Resolution = { stepMs: dayMs };

/**
 * A moment is rounded down to whole minutes: otherwise every request would have a cache key of its own. Where results are
 * cached for longer, it is rounded down to multiples of that time, since a result may be that old anyway, but by no more
 * than a tenth of the distance.
 *
 * @param ttlSeconds how long results are cached; 0 if they are not
 */
export function momentResolution({ ms }: RelativeTime, ttlSeconds: number): Resolution {
  const longest = Math.min(ttlSeconds * 1000, Math.abs(ms) / 10);
  return { stepMs: Math.max(minuteMs, Math.floor(longest / minuteMs) * minuteMs) };
}

/** The moment, in milliseconds since the epoch, and until when it stays the same. */
export function resolveTime(
  { ms }: RelativeTime,
  now: number,
  { stepMs }: Resolution,
): { readonly at: number; readonly until: number } {
  const step = Math.floor(now / stepMs) * stepMs;
  return { at: step + ms, until: step + stepMs };
}
