import { parseDate, parseDatetime, parseTimestamp } from '../../files/timestamps.ts';
import type { Column, Parameter, PlainParameter, ValueType } from '../model/saved-query.ts';
import { boundsProblem, describeBounds } from './check-bounds.ts';
import { type Checked, checkPattern } from './patterns/check-pattern.ts';
import { decimalOf } from '@querygate/bigquery-sql/types';
import { didYouMean, listShort, parseDecimal } from '@querygate/text';
import { isRelative } from './times.ts';

/**
 * Checks one value of a parameter: its type, and its bounds. A value with several spellings (timestamps, numbers, enums)
 * becomes canonical.
 *
 * @param now what relative bounds count from, in milliseconds since the epoch
 */
export function checkValue(parameter: Parameter, text: string, now: number): Checked {
  if (parameter.type === 'enum') {
    const listed = parameter.values.find(({ value, also }) => value === text || also.includes(text));
    return listed === undefined ? { wrong: oneOf(parameter.values) } : { value: listed.value };
  }
  const checked = checkPlain(parameter, text);
  if ('wrong' in checked) {
    const wrong = withDeclaredBounds(parameter, checked.wrong, now);
    const advice = lostPlusAdvice(parameter.type, text);
    return { wrong: `${wrong}${advice ?? ''}`, hasLostPlus: advice !== undefined };
  }
  const wrong = boundsProblem(parameter, checked.value, now);
  return wrong === undefined ? checked : { wrong };
}

/** Says why a text is not a value of its type, and adds the declared bounds. */
function withDeclaredBounds(parameter: Parameter, wrong: string, now: number): string {
  const bounds = describeBounds(parameter, now);
  if (bounds === undefined) return wrong;
  // The bounds of the type itself are of no use beside narrower ones.
  return parameter.type === 'integer' ? `must be an integer ${bounds}` : `${wrong}, ${bounds}`;
}

export const oneOf = (values: readonly { readonly value: string }[]): string =>
  `one of ${listShort(values.map(({ value }) => value))}`;

/** More values are not compared with a wrong one. */
const maxCompared = 500;

/** The end of a message about a value that an enum does not have: the one that is near, if there is one. */
export function nearValue(parameter: Parameter, text: string): string {
  if (parameter.type !== 'enum' || parameter.values.length > maxCompared) return '';
  return didYouMean(
    text,
    parameter.values.map(({ value }) => value),
  );
}

/** As `checkValue`, of the type alone. */
export function checkPlain({ type, bind }: PlainType, text: string): Checked {
  const decimal = decimalOf(bind);
  if (decimal === undefined || type !== 'float') return checks[type](text);
  const value = parseDecimal(text, decimal);
  if (value !== undefined) return { value };
  const { whole, fraction } = decimal;
  return {
    wrong: `must be a number of at most ${whole} digits before the point and ${fraction} after it, as in 0.5`,
  };
}

/** The text as values are compared with it; as it is if it is relative, or wrong. */
export function canonicalText({ type, bind }: ValueType, text: string): string {
  if (type === 'enum' || isRelative({ type }, text)) return text;
  const checked = checkPlain({ type, bind }, text);
  return 'value' in checked ? checked.value : text;
}

/** Of any type but an enum. */
type PlainType = ValueType & Pick<PlainParameter, 'type'>;

const checks: Record<PlainParameter['type'], (text: string) => Checked> = {
  string: (value) => ({ value }),
  pattern: checkPattern,
  date: (text) => {
    const value = parseDate(text);
    return value === undefined ? { wrong: 'must be a date, as in 2026-01-31' } : { value };
  },
  datetime: (text) => {
    const value = parseDatetime(text);
    return value === undefined
      ? { wrong: 'must be a date and time without a time zone, as in 2026-01-31T12:00:00' }
      : { value };
  },
  timestamp: checkTimestamp,
  integer: checkInteger,
  float: (text) =>
    /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
      ? { value: String(Number(text)) }
      : { wrong: 'must be a number, as in 0.5' },
  boolean: (text) =>
    /^(true|false)$/i.test(text) ? { value: text.toLowerCase() } : { wrong: 'must be true or false' },
};

function checkTimestamp(text: string): Checked {
  const value = parseTimestamp(text);
  if (value !== undefined) return { value };
  return { wrong: 'must be an ISO 8601 timestamp, as in 2026-01-31T12:00:00Z' };
}

/** A plus sign that is not encoded in a URL is a space. undefined if a number or a timestamp has lost none; others have none. */
export const lostPlusAdvice = (type: Column['type'] | Parameter['type'], text: string): string | undefined =>
  lostPluses.find(([of, pattern]) => of.test(type) && pattern.test(text))?.[2];

const lostPluses: readonly (readonly [of: RegExp, pattern: RegExp, advice: string])[] = [
  [/^timestamp$/, /^[\d-]+[T ][\d:.,]+ \d\d(:?\d\d)?$/i, ''],
  [
    /^timestamp$/,
    /^[\d-]+[T ][\d:.,]+ +[ +]\d\d(:?\d\d)?$/i,
    '; write no space before an offset, as in 2026-01-31T12:00:00+02:00',
  ],
  [
    /^timestamp$/,
    /^\d{4}-\d\d-\d\d[ +]\d\d(:?\d\d)?$/,
    '; before an offset, write the time of day, as in 2026-01-31T12:00:00+02:00',
  ],
  [/^(?:integer|float|numeric)$/, /^ [\d.]+(e[ +-]?\d+)?$/i, '; write no space before it'],
  [/^(?:integer|float|numeric)$/, /^[+-]?[\d.]+e \d+$/i, ''],
  [/^bytes$/, /^(?=.* )[a-z\d+/ ]+={0,2}$/i, ''],
];

function checkInteger(text: string): Checked {
  const wrong = 'must be an integer between -9223372036854775808 and 9223372036854775807';
  if (!/^[+-]?\d{1,20}$/.test(text)) return { wrong };
  const value = BigInt(text.replace(/^\+/, ''));
  return BigInt.asIntN(64, value) === value ? { value: String(value) } : { wrong };
}
