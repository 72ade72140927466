/** What `<input type="datetime-local">` takes: no zone, at most milliseconds. */
const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)$/;

const withZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * A moment as a date field shows it, in UTC.
 *
 * @returns undefined if the field cannot show it: another spelling, microseconds, a relative moment
 */
export function toDateField(text: string): string | undefined {
  const [, day, time] = local.exec(text) ?? [];
  if (day !== undefined && time !== undefined) return `${day}T${time}`;
  if (!withZone.test(text)) return undefined;
  const ms = Date.parse(text.replace(' ', 'T'));
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().replace(/(?:\.000)?Z$/, '');
}

/** The value of a date field as the gateway takes it: with seconds, and in UTC if it is a moment. */
export function fromDateField(value: string, isMoment: boolean): string {
  if (value === '') return '';
  const withSeconds = value.length === 'yyyy-mm-ddThh:mm'.length ? `${value}:00` : value;
  return isMoment ? `${withSeconds}Z` : withSeconds;
}
