/** The texts that `<input type="datetime-local">` takes: no zone, at most milliseconds. */
const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)$/;

const withZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * A moment as a date field shows it, in UTC.
 *
 * @param isMoment whether the type has a zone
 * @returns undefined if the field cannot show it: another spelling, microseconds, a relative moment
 */
export function toDateField(text: string, isMoment: boolean): string | undefined {
  const [, day, time] = local.exec(text) ?? [];
  if (day !== undefined && time !== undefined) return `${day}T${time}`;
  if (!isMoment || !withZone.test(text)) return undefined;
  const ms = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(/(?:\.000)?Z$/, '');
}

/** The value of a date field as the gateway takes it: with seconds, and in UTC if it is a moment. */
export function fromDateField(value: string, isMoment: boolean): string {
  if (value === '') return '';
  const withSeconds = value.length === 'yyyy-mm-ddThh:mm'.length ? `${value}:00` : value;
  return isMoment ? `${withSeconds}Z` : withSeconds;
}

/** Seconds and a zone may be absent; a zone may have no minutes. */
const moment =
  /^(?<day>\d{4}-\d\d-\d\d)(?:[T ](?<time>\d\d:\d\d)(?<seconds>:\d\d)?(?:[.,](?<fraction>\d+))?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * A moment as the gateway binds it: with microseconds, and in UTC if it is one with a zone. Any other text as it is.
 *
 * @param isMoment whether the type has a zone
 */
export function canonicalMoment(text: string, isMoment: boolean): string {
  const found = moment.exec(text)?.groups;
  // A DATETIME with a zone is refused.
  if (found === undefined || (!isMoment && found.zone !== undefined)) return text;
  const { day, time = '00:00', seconds = ':00', fraction = '', zone = 'Z' } = found;
  const offset = zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  const ms = Date.parse(`${day}T${time}${seconds}${offset.toUpperCase()}`);
  if (Number.isNaN(ms)) return text;
  return `${new Date(ms).toISOString().slice(0, -'000Z'.length)}${fraction.slice(0, 6).padEnd(6, '0')}${isMoment ? 'Z' : ''}`;
}
