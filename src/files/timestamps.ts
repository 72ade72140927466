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
  const offset = offsetMinutes(groups.zone ?? 'Z');
  if (rolledOver || offset === undefined) return undefined;

  const utc = date.getTime() - offset * 60_000;
  if (utc < earliest || utc > latest) return undefined;
  const micros = (groups.fraction ?? '').padEnd(6, '0').slice(0, 6);
  return `${new Date(utc).toISOString().slice(0, 19)}.${micros}Z`;
}

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
 * @param micros since the epoch
 */
export function isoText(micros: number): string {
  const fraction = ((micros % 1_000_000) + 1_000_000) % 1_000_000;
  const seconds = new Date((micros - fraction) / 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}
