import { hostFunction } from '../host-function.ts';
import { categoryOf, dayNames, type FormatPart, monthNames, parseFormat } from './elements.ts';

const [secondMicros, dayMicros] = [1_000_000n, 86_400_000_000n];

const pad = (value: number | bigint, width: number) => String(value).padStart(width, '0');

/** The output has the case of the element: of its first letter, and of its second if the first is a capital. */
function inCaseOf(element: string, output: string): string {
  const [first = '', second = ''] = element;
  if (first === first.toLowerCase()) return output.toLowerCase();
  return second === second.toUpperCase() ? output.toUpperCase() : output;
}

/**
 * A date or time in a format of CAST.
 *
 * @param micros of the civil time since 1970-01-01
 * @param offsetMicros of the time zone
 */
function formatTime(micros: bigint, offsetMicros: bigint, type: string, format: string): string {
  const timeOfDay = ((micros % dayMicros) + dayMicros) % dayMicros;
  const date = new Date(Number((micros - timeOfDay) / 1000n));
  const seconds = Number(timeOfDay / secondMicros);
  const fraction = pad(timeOfDay % secondMicros, 6).padEnd(9, '0');
  const hour = Math.floor(seconds / 3600);
  const year = pad(date.getUTCFullYear(), 4);
  const offset = Number(offsetMicros / 60_000_000n);
  const values: Readonly<Record<string, () => string>> = {
    YYYY: () => year,
    RRRR: () => year,
    YYY: () => year.slice(-3),
    YY: () => year.slice(-2),
    RR: () => year.slice(-2),
    Y: () => year.slice(-1),
    MM: () => pad(date.getUTCMonth() + 1, 2),
    MON: () => (monthNames[date.getUTCMonth()] ?? '').slice(0, 3),
    MONTH: () => monthNames[date.getUTCMonth()] ?? '',
    D: () => String(date.getUTCDay() + 1),
    DD: () => pad(date.getUTCDate(), 2),
    DDD: () => pad((date.getTime() - Date.parse(`${year}-01-01T00:00:00Z`)) / 86_400_000 + 1, 3),
    DY: () => (dayNames[date.getUTCDay()] ?? '').slice(0, 3),
    DAY: () => dayNames[date.getUTCDay()] ?? '',
    HH: () => pad(hour % 12 || 12, 2),
    HH12: () => pad(hour % 12 || 12, 2),
    HH24: () => pad(hour, 2),
    MI: () => pad(Math.floor(seconds / 60) % 60, 2),
    SS: () => pad(seconds % 60, 2),
    SSSSS: () => pad(seconds, 5),
    TZH: () => `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 60), 2)}`,
    TZM: () => pad(Math.abs(offset) % 60, 2),
  };
  return parseFormat(format)
    .map(({ element, text }) => {
      if (element === undefined) return text;
      const category = categoryOf(element, type);
      if (category === 'fraction') return fraction.slice(0, Number(element.slice(2)));
      if (category === 'meridian') {
        const letter = hour < 12 ? 'A' : 'P';
        const meridian = element.includes('.') ? `${letter}.M.` : `${letter}M`;
        return text.startsWith(text[0]?.toUpperCase() ?? '') ? meridian : meridian.toLowerCase();
      }
      const value = values[element];
      if (value === undefined) throw new Error(`Unsupported format element '${element}'`);
      return inCaseOf(text, value());
    })
    .join('');
}

/** The fields read so far; undefined ones take their defaults. */
interface Fields {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  second?: number;
  micros?: number;
  isAfternoon?: boolean;
  zoneSign?: number;
  zoneHours?: number;
  zoneMinutes?: number;
}

/** The digits of numeric elements. */
const digitCounts: Readonly<Record<string, number>> = {
  ...{ YYYY: 5, RRRR: 5, YYY: 3, YY: 2, RR: 2, Y: 1 },
  ...{ MM: 2, DD: 2, HH: 2, HH12: 2, HH24: 2, MI: 2, SS: 2, SSSSS: 5, TZM: 2 },
};

/** True if an element begins with a digit in the text. */
const isNumeric = ({ element = '' }: FormatPart) => element in digitCounts || /^(FF|Y,YYY)/.test(element);

const only = (parts: readonly FormatPart[], pattern: RegExp) =>
  parts.filter(({ element }) => element !== undefined && pattern.test(element));

function checkModel(parts: readonly FormatPart[], type: string): void {
  const seen = new Set<string>();
  const categories = new Set<string>();
  for (const { element } of parts) {
    if (element === undefined) continue;
    if (/^(D|DDD|DAY|DY|AM|PM)$/.test(element))
      throw new Error(`Format element '${element}' is not supported for parsing`);
    const category = element === 'Y,YYY' ? 'year' : categoryOf(element, type);
    const isOnce = ['year', 'month', 'day', 'hour', 'meridian'].includes(category);
    if (seen.has(element) || (isOnce && categories.has(category)))
      throw new Error(`Format element '${element}' appears more than once in the format string`);
    seen.add(element);
    categories.add(category);
  }
  const [twelve, twentyFour] = [seen.has('HH') || seen.has('HH12'), seen.has('HH24')];
  if (twelve !== categories.has('meridian') || (twentyFour && categories.has('meridian')))
    throw new Error('Format elements HH and HH12 require A.M. or P.M., which no other hour takes');
  const inDay = twelve || twentyFour || seen.has('MI') || seen.has('SS') || categories.has('meridian');
  if (seen.has('SSSSS') && inDay) throw new Error('SSSSS cannot be combined with other parts of the time');
}

/**
 * A text in a format of CAST: microseconds of the civil time since 1970-01-01, or of the instant, followed by Z, if the
 * format has the offset.
 */
function parseTime(text: string, type: string, format: string): string {
  const parts = parseFormat(format);
  checkModel(parts, type);
  const now = new Date();
  const fields: Fields = {};
  const input = text.trim();
  let at = 0;
  const fail = (element: string): never => {
    throw new Error(`Failed to parse input timestamp string at ${at} with format element '${element}'`);
  };
  const read = (pattern: RegExp, element: string): string => {
    const sticky = new RegExp(pattern.source, 'iyu');
    sticky.lastIndex = at;
    const match = sticky.exec(input);
    if (match === null) return fail(element);
    at = sticky.lastIndex;
    return match[0];
  };
  for (const [index, part] of parts.entries()) {
    const { element, text: literal } = part;
    const next = parts[index + 1];
    const isExact = next !== undefined && isNumeric(next);
    if (element !== undefined) readElement(element, isExact, fields, read, now, fail);
    else if (literal.trim() === '' && literal !== '') {
      if (parts[index - 1]?.element === undefined && parts[index - 1]?.text === ' ') continue;
      read(/\s+/, ' ');
    } else if (input.startsWith(literal, at)) at += literal.length;
    else fail(literal);
  }
  if (at < input.length)
    throw new Error(`Illegal non-space trailing data '${input.slice(at, at + 1)}' in timestamp string`);
  return microsOf(fields, type, now, only(parts, /^TZ/).length > 0);
}

/** Numeric elements that are a field as they are: its digits, and its bounds. */
const plainFields: Readonly<
  Record<string, readonly [field: PlainField, digits: number, low: number, high: number]>
> = {
  MM: ['month', 2, 1, 12],
  DD: ['day', 2, 1, 31],
  HH24: ['hour', 2, 0, 23],
  MI: ['minute', 2, 0, 59],
  SS: ['second', 2, 0, 59],
  SSSSS: ['second', 5, 0, 86_399],
  TZM: ['zoneMinutes', 2, 0, 59],
};

type PlainField = 'month' | 'day' | 'hour' | 'minute' | 'second' | 'zoneMinutes';

function readElement(
  element: string,
  isExact: boolean,
  fields: Fields,
  read: (pattern: RegExp, element: string) => string,
  now: Date,
  fail: (element: string) => never,
): void {
  const digits = (most: number) =>
    Number(read(isExact ? new RegExp(`\\d{${most}}`) : new RegExp(`\\d{1,${most}}`), element));
  const within = (value: number, low: number, high: number) =>
    value >= low && value <= high ? value : fail(element);
  const thisYear = now.getUTCFullYear();
  const plain = plainFields[element];
  if (plain !== undefined) {
    const [field, most, low, high] = plain;
    fields[field] = within(digits(most), low, high);
    return;
  }
  switch (element) {
    case 'YYYY':
    case 'RRRR':
      fields.year = within(digits(isExact ? 4 : 5), 1, 9999);
      return;
    case 'Y,YYY':
      fields.year = within(Number(read(/\d{1,2},\d{3}/, element).replace(',', '')), 1, 9999);
      return;
    case 'YYY':
    case 'YY':
    case 'Y': {
      const unit = 10 ** element.length;
      fields.year = Math.floor(thisYear / unit) * unit + digits(element.length);
      return;
    }
    case 'RR': {
      const year = digits(2);
      const century = Math.floor(thisYear / 100);
      const shift = (year < 50 ? 0 : -1) + (thisYear % 100 < 50 ? 0 : 1);
      fields.year = (century + shift) * 100 + year;
      return;
    }
    case 'MON':
    case 'MONTH': {
      const names = monthNames.map((name) => (element === 'MON' ? name.slice(0, 3) : name));
      const name = read(new RegExp(names.join('|')), element).toLowerCase();
      fields.month = names.findIndex((candidate) => candidate.toLowerCase() === name) + 1;
      return;
    }
    case 'HH':
    case 'HH12':
      fields.hour = within(digits(2), 1, 12) % 12;
      return;
    case 'A.M.':
    case 'P.M.':
      fields.isAfternoon = /^p/i.test(read(/[ap]\.m\./, element));
      return;
    case 'TZH': {
      const [sign, ...size] = read(isExact ? /[+\- ]\d{2}/ : /[+\- ]\d{1,2}/, element);
      fields.zoneSign = sign === '-' ? -1 : 1;
      fields.zoneHours = within(Number(size.join('')), 0, 14);
      return;
    }
    default: {
      const count = Number(element.slice(2));
      const fraction = read(isExact ? new RegExp(`\\d{${count}}`) : new RegExp(`\\d{1,${count}}`), element);
      // Microseconds are the precision of BigQuery.
      fields.micros = Number(fraction.padEnd(6, '0').slice(0, 6));
    }
  }
}

function microsOf(fields: Fields, type: string, now: Date, hasZone: boolean): string {
  const { month = now.getUTCMonth() + 1, day = 1, minute = 0, second = 0, micros = 0 } = fields;
  const { year = now.getUTCFullYear(), zoneSign = 1, zoneHours = 0, zoneMinutes = 0 } = fields;
  const hour = (fields.hour ?? 0) + (fields.isAfternoon ? 12 : 0);
  const date = new Date(0);
  if (type !== 'TIME') date.setUTCFullYear(year, month - 1, day);
  if (type !== 'TIME' && date.getUTCDate() !== day) throw new Error(`Invalid date: ${year}-${month}-${day}`);
  if (zoneHours * 60 + zoneMinutes > 14 * 60)
    throw new Error(`Invalid time zone: ${zoneHours}:${zoneMinutes}`);
  const seconds = BigInt(
    hour * 3600 + minute * 60 + second - zoneSign * (zoneHours * 3600 + zoneMinutes * 60),
  );
  const total = BigInt(date.getTime()) * 1000n + seconds * secondMicros + BigInt(micros);
  return `${total}${hasZone ? 'Z' : ''}`;
}

/** CAST between texts and dates or times by a format. */
export const timeFormatFunctions = [
  hostFunction('host_format_time', ['BIGINT', 'BIGINT', 'VARCHAR', 'VARCHAR'], 'VARCHAR', formatTime),
  hostFunction('host_parse_time', ['VARCHAR', 'VARCHAR', 'VARCHAR'], 'VARCHAR', parseTime),
];
