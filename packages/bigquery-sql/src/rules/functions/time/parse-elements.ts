import {
  call,
  caseWhen,
  castTo,
  compareWith,
  integerLiteral,
  operation,
  textLiteral,
} from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { scalar } from '../../../types.ts';

/** The fields that a format reads, over the groups of its pattern; the last element of a kind wins. */
export interface Fields {
  year: Expression;
  month: Expression;
  day: Expression;
  dayOfYear?: DayOfYear;
  /** The start of a week, of which elements behind it replace the month and the day. */
  week?: Week;
  hour: Expression;
  twelveHours: boolean;
  /** The hours to add: 12 after noon. */
  afternoon: Expression;
  minute: Expression;
  second: Expression;
  microsecond: Expression;
  epoch?: Expression;
  offset?: Expression;
  zone?: Expression;
}

/** A day of a year, of which elements behind it replace the month and the day. */
interface DayOfYear {
  readonly number: Expression;
  hasMonth: boolean;
  hasDay: boolean;
}

/** A week of a year, counted from the first one that starts with a day: 0 for Sunday, 1 for Monday. */
interface Week {
  readonly number: Expression;
  readonly firstDay: 0 | 1;
  hasMonth: boolean;
  hasDay: boolean;
}

/** A part of what an element of a format reads. */
export interface Step {
  /** Pattern before the digits, such as optional spaces. */
  readonly prefix?: string;
  /** The maximum number of digits. Matching is greedy. */
  readonly digits?: number;
  /** First digits behind which no more is read, as the number would be too large. */
  readonly alone?: string;
  /** A pattern for elements that are not numbers; `(` begins the group. */
  readonly pattern?: string;
  readonly set?: (fields: Fields, group: Expression) => void;
}

const [int64, string] = [scalar('INT64'), scalar('STRING')];

const parsedNumber = (group: Expression, low: number, high: number): Expression =>
  call('bq.parsed_number', [group, integerLiteral(low), integerLiteral(high)], int64);

/**
 * A number between two bounds.
 *
 * @param digits at most
 * @param alsoSet what the element means for other fields
 */
const number = (
  field: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second',
  digits: number,
  low: number,
  high: number,
  alsoSet: (fields: Fields) => void = () => {},
): Step => ({
  digits,
  set: (fields, group) => {
    fields[field] = parsedNumber(group, low, high);
    alsoSet(fields);
  },
});

const replaceMonth = ({ dayOfYear, week }: Fields) => {
  for (const start of [dayOfYear, week]) if (start) start.hasMonth = true;
};
const replaceDay = ({ dayOfYear, week }: Fields) => {
  for (const start of [dayOfYear, week]) if (start) start.hasDay = true;
};
const hoursAreTwelve = (twelveHours: boolean) => (fields: Fields) => {
  fields.twelveHours = twelveHours;
};

const year = (digits: number) => number('year', digits, 0, 10000);
const month = number('month', 2, 1, 12, replaceMonth);
const day = number('day', 2, 1, 31, replaceDay);
const week = (firstDay: 0 | 1): Step => ({
  digits: 2,
  set: (fields, group) => {
    fields.week = { number: parsedNumber(group, 0, 53), firstDay, hasMonth: false, hasDay: false };
  },
});
const dayOfYear: Step = {
  digits: 3,
  set: (fields, group) => {
    fields.dayOfYear = { number: parsedNumber(group, 1, 366), hasMonth: false, hasDay: false };
  },
};
const hour = number('hour', 2, 0, 23, hoursAreTwelve(false));
const twelveHours: Step = { prefix: '\\s*', ...number('hour', 2, 1, 12, hoursAreTwelve(true)) };
const minute = number('minute', 2, 0, 59);
const second = number('second', 2, 0, 60);
const fraction = (digits: string): Step => ({
  pattern: `(?:\\.(\\d${digits}))?`,
  set: (fields, group) => {
    const six = integerLiteral(6);
    const digits = call(
      'rpad',
      [call('left', [group, six], string), castTo(six, int64, 'INTEGER'), textLiteral('0')],
      string,
    );
    fields.microsecond = castTo(digits, int64);
  },
});
const monthName: Step = {
  pattern:
    '((?i:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec))',
  set: (fields, group) => {
    fields.month = call('bq.parsed_month', [group], int64);
    replaceMonth(fields);
  },
};
/** The day of the week is read and ignored. */
const dayName: Step = {
  pattern: '(?i:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun)',
};
const afternoon: Step = {
  pattern: '([AaPp][Mm])',
  set: (fields, group) => {
    const isAfternoon = compareWith('=', call('lower', [group], string), textLiteral('pm'));
    fields.afternoon = caseWhen(isAfternoon, integerLiteral(12), integerLiteral(0));
  },
};
const offset = (pattern: string): Step => ({
  pattern,
  set: (fields, group) => {
    fields.offset = group;
    delete fields.zone;
  },
});
export const spaces: Step = { pattern: '\\s*' };
const text = (character: string): Step => ({ pattern: character.replace(/[\\^$.|?*+()[\]{}]/, '\\$&') });
/** Composite elements are read by the C library, which allows spaces before numbers. */
const allowSpaces = (steps: readonly Step[]): readonly Step[] =>
  steps.map((step) => (step.digits ? { prefix: ' *', ...step } : step));

const ymd = allowSpaces([year(4), text('-'), month, text('-'), day]);
const shortYear: Step = {
  digits: 2,
  set: (fields, group) => {
    fields.year = call('bq.parsed_short_year', [group], int64);
  },
};
const mdy = allowSpaces([month, text('/'), day, text('/'), shortYear]);
const hm = allowSpaces([hour, text(':'), minute]);
const hms = [...hm, ...allowSpaces([text(':'), second])];

const elements: Readonly<Record<string, readonly Step[]>> = {
  '%': [text('%')],
  A: [dayName],
  a: [dayName],
  B: [monthName],
  b: [monthName],
  c: [
    dayName,
    spaces,
    monthName,
    spaces,
    ...allowSpaces([day]),
    spaces,
    ...hms,
    spaces,
    ...allowSpaces([year(4)]),
  ],
  D: mdy,
  d: [day],
  E4Y: [{ ...year(4), pattern: '(\\d{4})' }],
  'E*S': [second, fraction('+')],
  Ez: [offset('(Z|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)')],
  e: allowSpaces([{ ...day, alone: '[4-9]' }]),
  F: ymd,
  H: [hour],
  h: [monthName],
  I: [twelveHours],
  j: allowSpaces([dayOfYear]),
  k: allowSpaces([{ ...hour, alone: '[3-9]' }]),
  l: [twelveHours],
  M: [minute],
  m: [month],
  n: [spaces],
  P: [afternoon],
  p: [afternoon],
  Q: [
    {
      digits: 1,
      set: (fields, group) => {
        const last = operation('*', [parsedNumber(group, 1, 4), integerLiteral(3)], int64);
        fields.month = operation('-', [last, integerLiteral(2)], int64);
        fields.day = integerLiteral(1);
        replaceMonth(fields);
        replaceDay(fields);
      },
    },
  ],
  R: hm,
  r: [twelveHours, text(':'), minute, text(':'), second, spaces, afternoon],
  S: [second],
  s: [
    {
      pattern: '(-?\\d{1,12})',
      set: (fields, group) => {
        fields.epoch = castTo(group, int64);
      },
    },
  ],
  T: hms,
  t: [spaces],
  U: [week(0)],
  u: allowSpaces([{ pattern: '[1-7]' }]),
  W: [week(1)],
  w: allowSpaces([{ pattern: '[0-6]' }]),
  X: hms,
  x: mdy,
  Y: [year(5)],
  y: [shortYear],
  Z: [
    {
      pattern: '(\\S+)',
      set: (fields, group) => {
        fields.zone = group;
        delete fields.offset;
      },
    },
  ],
  z: [offset('([+-](?:[01]\\d|2[0-3])(?:[0-5]\\d)?)')],
};

/**
 * The steps of an element of a format.
 *
 * @param read the element as it is written; white space and other characters stand for themselves
 * @param name of the element, without the percent sign
 * @param invalid the elements that are invalid for the type of the function
 * @param next what is written behind it
 * @returns undefined if the element is not supported
 */
export function stepsOf(
  read: string,
  name: string | undefined,
  invalid: string,
  next: string | undefined,
): readonly Step[] | undefined {
  if (/^\s/.test(read)) return [spaces];
  if (name === undefined) return read === '%' ? undefined : [text(read)];
  const plain = /^(?:O.|E[yYcXx])$/.test(name) ? name.slice(1) : name;
  if (invalid.includes(plain.replace(/^E.?(?=[SYz])/, ''))) return undefined;
  if (/^E\dS$/.test(plain)) {
    const digits = Number(plain[1]);
    return digits === 0 ? [second] : digits > 6 ? undefined : [second, fraction(`{1,${digits}}`)];
  }
  // A year may have five digits unless another element follows.
  if (plain === 'Y') return [year(next?.startsWith('%') ? 4 : 5)];
  return elements[plain];
}
