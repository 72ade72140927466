// ISO 8601 in the extended form: a calendar date with an optional time. Also RFC 3339's lowercase t and z, and its space
// instead of the T, which BigQuery and PostgreSQL print.
const pattern =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,18}))?)?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses an ISO 8601 timestamp to canonical text, `YYYY-MM-DDTHH:MM:SS.ffffffZ`: in UTC, with microseconds. A
 * timestamp without a time zone is UTC. Digits after the microseconds are truncated, which changes the result of
 * neither `>` nor `<=` against timestamps with microseconds.
 *
 * @returns undefined if the text is invalid or outside the years 1 to 9999
 */
export function parseTimestamp(text: string): string | undefined {
  const groups = pattern.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const date = dateOf(groups);
  const offset = offsetMinutes(groups.zone ?? 'Z');
  if (date === undefined || offset === undefined) return undefined;

  const utc = date.getTime() - offset * 60_000;
  if (utc < earliest || utc > latest) return undefined;
  return `${new Date(utc).toISOString().slice(0, 19)}.${microsOf(groups)}Z`;
}

/**
 * Parses a date and time without a zone, in the spellings of `parseTimestamp`, to `YYYY-MM-DDTHH:MM:SS.ffffff`.
 *
 * @returns undefined if the text is invalid, has a zone, or is outside the years 1 to 9999
 */
export function parseDatetime(text: string): string | undefined {
  const groups = pattern.exec(text)?.groups;
  return groups === undefined || groups.zone !== undefined ? undefined : parseTimestamp(text)?.slice(0, -1);
}

/** True for a text that `parseTimestamp` or `parseDatetime` truncates to an earlier time. */
export const isTruncated = (text: string): boolean => /[.,]\d{6}0*[1-9]/.test(text);

/** @returns the text if it is a calendar date of the years 1 to 9999, `YYYY-MM-DD` */
export function parseDate(text: string): string | undefined {
  return text.length === 10 && parseTimestamp(text) !== undefined ? text : undefined;
}

type Groups = Readonly<Record<string, string | undefined>>;

/** The parts of the text as if they were UTC; undefined if there is no such date or time of day. */
function dateOf(groups: Groups): Date | undefined {
  const part = (name: string) => Number(groups[name] ?? 0);
  const date = new Date(0);
  date.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  date.setUTCHours(part('hour'), part('minute'), part('second'));
  const rolledOver =
    date.getUTCMonth() !== part('month') - 1 ||
    date.getUTCDate() !== part('day') ||
    date.getUTCHours() !== part('hour') ||
    date.getUTCMinutes() !== part('minute') ||
    date.getUTCSeconds() !== part('second');
  return rolledOver ? undefined : date;
}

const microsOf = ({ fraction = '' }: Groups): string => fraction.padEnd(6, '0').slice(0, 6);

function offsetMinutes(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * A timestamp as `parseTimestamp` writes it.
 *
 * @param micros since the epoch, a safe integer
 */
export function isoText(micros: number): string {
  const fraction = ((micros % 1_000_000) + 1_000_000) % 1_000_000;
  const seconds = new Date((micros - fraction) / 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}

/** The same of the digits of a cell, which are beyond 2^53 before the year 1684 and after 2255. */
export function cellTimestamp(digits: string): string {
  const micros = Number(digits);
  return Number.isSafeInteger(micros) ? isoText(micros) : timestampText(BigInt(digits));
}

/** Microseconds since the epoch as `parseTimestamp` writes them. */
export function timestampText(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}
