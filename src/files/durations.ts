import { parseTimestamp } from './timestamps.ts';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const duration = /^(?<count>\d{1,6})(?<unit>[mhd])$/;

/** A length of time as people write it: `90d`, `12h`, `30m`. @returns milliseconds; undefined where it is none */
export function parseDuration(text: string): number | undefined {
  const groups = duration.exec(text)?.groups;
  if (groups === undefined) return undefined;
  return Number(groups.count) * unitMs[groups.unit as keyof typeof unitMs];
}

/** A moment as people write it: ISO 8601, or the time until then. @returns undefined where it is none */
export function parseMoment(text: string, now: Date): Date | undefined {
  const ms = parseDuration(text);
  if (ms !== undefined) return new Date(now.getTime() + ms);
  const iso = parseTimestamp(text);
  return iso === undefined ? undefined : new Date(iso);
}

/** As files and people have it: to the second. */
export function momentText(moment: Date): string {
  return moment.toISOString().replace(/\.\d+Z$/, 'Z');
}
