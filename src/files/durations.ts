import { parseTimestamp } from './timestamps.ts';

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A number of seconds in the header of a saved query: `900s`. Without flags, for its JSON Schema. */
export const secondsPattern = /^[1-9][0-9]{0,7}s$/;

const pattern = /^(?<count>\d{1,6})(?<unit>[mhd])$/;

/** Parses a duration such as `90d`, `12h` or `30m`. @returns milliseconds; undefined if the text is invalid */
export function parseDuration(text: string): number | undefined {
  const groups = pattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  return Number(groups.count) * unitMs[groups.unit as keyof typeof unitMs];
}

/** Parses an ISO 8601 timestamp, or a duration from now on. @returns undefined if the text is invalid */
export function parseInstant(text: string, now: Date): Date | undefined {
  const ms = parseDuration(text);
  if (ms !== undefined) return new Date(now.getTime() + ms);
  const iso = parseTimestamp(text);
  return iso === undefined ? undefined : new Date(iso);
}

/** ISO 8601 without fractions of a second. */
export function formatInstant(instant: Date): string {
  return instant.toISOString().replace(/\.\d+Z$/, 'Z');
}
