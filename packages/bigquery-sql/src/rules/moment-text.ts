import { didYouMean } from '@querygate/text';
import { childrenOf } from '../syntax/walk.ts';
import { someNode } from '../tree/map.ts';
import type { Expression } from '../tree/nodes.ts';
import { describeType, isScalar, type ScalarName, type Type } from '../types.ts';
import { constantText } from './expressions/constant-values.ts';
import { isNode, type Place, Unsupported, WrongLiteral } from './unsupported.ts';

/**
 * Refuses a literal text that is not a date or time at all, as BigQuery does before it runs a query. Other texts are
 * converted when the query runs.
 *
 * @param otherwise the end of the message, about a text that is meant for something else
 * @throws Unsupported
 */
export function requireMoment(place: Place, text: string, type: Type, otherwise = ''): void {
  const isValid = isScalar(type, 'TIME')
    ? timePattern.test(text) && hasTime(text)
    : hasDay(text) &&
      mayFollowDay.test(text.replace(dayPattern, '')) &&
      hasTime(text.replace(dayPattern, ''));
  if (!isValid) {
    const form = type.kind === 'scalar' ? forms[type.name] : undefined;
    throw new Unsupported(
      place,
      `invalid ${describeType(type)} literal: ${text}${form === undefined ? '' : `; write it as in '${form}'`}${otherwise}`,
    );
  }
  if (isScalar(type, 'TIMESTAMP')) requireZoneOfText(place, text);
}

const forms: Readonly<Partial<Record<ScalarName, string>>> = {
  DATE: '2026-01-31',
  TIME: '12:00:00',
  DATETIME: '2026-01-31 12:00:00',
  TIMESTAMP: '2026-01-31 12:00:00+00',
};

/** True if a text is a moment in a form that both engines read alike. */
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

const dayPattern = /^\s*(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})(?!\d)[Tt]?/;
/** A time, a zone by its offset, or a blank and more. */
const mayFollowDay = /^(?:$|[\s\dzZ+-])/;
const timePattern = /^\s*(?<hours>\d{1,2}):(?<minutes>\d{1,2})(?::(?<seconds>\d{1,2}))?/;

/** True if the text begins with a day of the calendar. */
function hasDay(text: string): boolean {
  const { year, month, day } = dayPattern.exec(text)?.groups ?? {};
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return Number(year) > 0 && date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** True unless the text begins with a time of day that is out of range. */
function hasTime(text: string): boolean {
  const { hours, minutes, seconds } = timePattern.exec(text)?.groups ?? {};
  return !(Number(hours) > 24 || Number(minutes) > 59 || Number(seconds) > 60);
}

/** A literal time zone that does not exist. */
export class UnknownZone extends WrongLiteral {
  constructor(place: Place, zone: string) {
    super(place, unknownZone(zone), { hint: () => zoneHint(zone) });
  }
}

/**
 * Refuses a literal that is not a time zone: BigQuery would fail when it runs the query.
 *
 * @param place the call that it is an argument of
 * @throws UnknownZone
 */
export function requireZone(place: Place, zone: Expression | undefined): void {
  if (!zone || !isWritten(zone)) return;
  const text = constantText(zone);
  if (typeof text !== 'string' || isZone(text)) return;
  const written = isNode(place)
    ? childrenOf(place).find((part) => part.kind === 'StringLiteral' && part.value === text)
    : undefined;
  throw new UnknownZone(written ?? place, text);
}

/** True unless a part is the value of a name, for which the call may never run. */
const isWritten = (zone: Expression): boolean =>
  !someNode(zone, (part) => part.kind === 'literal' && part.hasFixedType === true);

/** As `requireZone`, for the name after a day and a time. */
export function requireZoneOfText(place: Place, text: string): void {
  const [, zone] = /\d\s+([A-Za-z][\w/+-]+)\s*$/.exec(text) ?? [];
  if (zone !== undefined && !isZone(zone)) throw new UnknownZone(place, zone);
}

/** Why a text is not a time zone; undefined if it is one. */
export const zoneProblem = (zone: string): string | undefined =>
  isZone(zone) ? undefined : unknownZone(zone) + zoneHint(zone);

const unknownZone = (zone: string): string => `there is no time zone ${zone.trim() || "''"}`;

const zoneHint = (zone: string): string => nearestZone(zone) || '; write one as Europe/Berlin, or as +05:30';

/** `+5:30` and `UTC-3`. */
const offset = /^(?:UTC)?[+-](?:(?:0?\d|1[0-3])(?::[0-5]?\d)?|(?:0\d|1[0-3])[0-5]\d|14(?::?0?0)?)$/;

/** Abbreviations that this runtime knows, and BigQuery does not. */
const abbreviation =
  /^(?:A[CEGRS]T|B[ES]T|C[ANST]T|CTT|E[AC]T|I[ES]T|JST|MIT|N[ES]T|P[LNRS]T|SST|VST|Z|GMT[+-][1-9].*)$/;

/** Names in use that this runtime knows, but does not list. */
const others =
  'UTC US/Eastern US/Central US/Mountain US/Pacific Asia/Kolkata Asia/Kathmandu Asia/Ho_Chi_Minh Europe/Kyiv';

/** Names by their lower-case form: BigQuery distinguishes case. */
const names: ReadonlyMap<string, string> = new Map(
  [...Intl.supportedValuesOf('timeZone'), ...others.split(' ')].map((name) => [name.toLowerCase(), name]),
);

function isZone(text: string): boolean {
  if (offset.test(text)) return true;
  if (!/^[A-Z][\w+-]*(?:\/[A-Z][\w+-]*)*$/.test(text) || abbreviation.test(text)) return false;
  const known = names.get(text.toLowerCase());
  return known === undefined ? hasOtherName(text) : known === text;
}

/** True if a text is an older name of a zone. */
function hasOtherName(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}

/** The nearest name, or that of a city. */
function nearestZone(text: string): string {
  const city = `/${text.toLowerCase().replaceAll(' ', '_')}`;
  const ofCity = [...names].find(([key]) => key.endsWith(city))?.[1];
  return ofCity === undefined ? didYouMean(text, names.values()) : `; did you mean ${ofCity}?`;
}
