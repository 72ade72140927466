import { timeUnits } from '../config/time-units.ts';
import { parseTimestamp } from './timestamps.ts';

/** A number of seconds in the header of a saved query: `900s`. Without flags, for its JSON Schema. */
export const secondsPattern = /^[1-9][0-9]{0,7}s$/;

const pattern = /^(\d{1,6})([mhd])$/;

/** Parses a duration such as `90d`, `12h` or `30m`. @returns milliseconds; undefined if the text is invalid */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ''] = pattern.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (timeUnits[unit] ?? 0);
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
