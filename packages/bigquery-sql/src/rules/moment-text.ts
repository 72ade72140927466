import type { Expression } from '../tree/nodes.ts';
import { describeType, isScalar, type ScalarName, type Type } from '../types.ts';
import { requireZoneOfText } from './time-zone.ts';
import { type Place, Unsupported } from './unsupported.ts';

/**
 * Refuses a literal text that is no date or time at all, as BigQuery does before it runs a query. What is left is converted when
 * the query runs.
 *
 * @throws Unsupported
 */
export function requireMoment(place: Place, text: string, type: Type): void {
  const isValid = isScalar(type, 'TIME')
    ? timePattern.test(text) && hasTime(text)
    : hasDay(text) && hasTime(text.replace(dayPattern, ''));
  if (!isValid) throw new Unsupported(place, `invalid ${describeType(type)} literal: ${text}`);
  if (isScalar(type, 'TIMESTAMP')) requireZoneOfText(place, text);
}

/** Whether a text is a moment in a form that both engines read alike. */
export const isSharedMoment = (type: ScalarName, text: string): boolean =>
  sharedForms[type]?.test(text) === true && hasDay(text) && hasTime(text.replace(dayPattern, ''));

const sharedForms: Readonly<Partial<Record<ScalarName, RegExp>>> = {
  DATE: /^(?!0000)\d{4}-\d\d-\d\d$/,
  DATETIME: /^(?!0000)\d{4}-\d\d-\d\d[ T](?!24)\d\d:\d\d:[0-5]\d(\.\d{1,6})?$/,
  TIMESTAMP: /^(?!0000)\d{4}-\d\d-\d\d[ T](?!24)\d\d:\d\d:[0-5]\d(\.\d{1,6})?(Z|[+]00(:00)?)?$/,
};

/** As `requireMoment`, for a value that is compared with one of a type. */
export function requireComparable(place: Place, value: Expression, type: Type): void {
  const isText =
    value.kind === 'literal' && isScalar(value.type, 'STRING') && typeof value.value === 'string';
  if (isText && isScalar(type, 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP'))
    requireMoment(place, String(value.value), type);
}

const dayPattern = /^\s*(?<year>\d{1,4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?!\d)[Tt]?/;
const timePattern = /^\s*(?<hours>\d{1,2}):(?<minutes>\d{1,2})(?::(?<seconds>\d{1,2}))?/;

/** Whether the text begins with a day of the calendar. */
function hasDay(text: string): boolean {
  const { year, month, day } = dayPattern.exec(text)?.groups ?? {};
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return Number(year) > 0 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** Whether the text begins with a time of day, or with something else, such as a zone. */
function hasTime(text: string): boolean {
  const { hours, minutes, seconds } = timePattern.exec(text)?.groups ?? {};
  return !(Number(hours) > 24 || Number(minutes) > 59 || Number(seconds) > 60);
}
