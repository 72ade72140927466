import { call, castTo, concatTexts, integerLiteral, operation, textLiteral } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { scalar } from '../../../types.ts';
import { type Element, strftime } from './format-time.ts';
import type { TimeType } from './parse-time.ts';
import { monthNames, parsedNumber, type Step } from './time-pattern.ts';

const [string, int64] = [scalar('STRING'), scalar('INT64')];

const pattern =
  /"(?:[^"\\]|\\.)*"|Y,YYY|YYYY|RRRR|YYY|YY|RR|Y|MONTH|MON|MM|MI|DDD|DD|DAY|DY|D|HH24|HH12|HH|SSSSS|SS|FF[1-9]|A\.M\.|P\.M\.|AM|PM|TZH|TZM|\s+|[-./,;:']/iy;

/** The elements of a format of CAST; undefined if the text is not one. */
export function parseCastFormat(format: string): readonly string[] | undefined {
  const elements: string[] = [];
  for (let at = 0; at < format.length; ) {
    pattern.lastIndex = at;
    const [element] = pattern.exec(format) ?? [];
    if (element === undefined) return undefined;
    elements.push(element);
    at += element.length;
  }
  return elements;
}

const dateElements: readonly string[] = [
  ...['Y,YYY', 'YYYY', 'RRRR', 'YYY', 'YY', 'RR', 'Y', 'MONTH', 'MON', 'MM', 'DDD', 'DD', 'DAY', 'DY', 'D'],
];
const clockElements = /^(?:HH24|HH12|HH|MI|SS|SSSSS|FF\d|[AP]M|[AP]\.M\.)$/;

function fits(name: string, type: TimeType): boolean {
  if (dateElements.includes(name)) return type !== 'TIME';
  if (clockElements.test(name)) return type !== 'DATE';
  return type === 'TIMESTAMP';
}

/** The text between the quotes of an element, or a separator; undefined for other elements. */
function literalOf(element: string): string | undefined {
  if (element.startsWith('"')) return element.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  return /^[\s\-./,;:']+$/.test(element) ? element : undefined;
}

/** How an element is written; undefined if the type has no such part. */
export function writeElement(element: string, type: TimeType): readonly Element[] | undefined {
  const text = literalOf(element);
  if (text !== undefined) return strftime(text.replaceAll('%', '%%'));
  const name = element.toUpperCase();
  if (!fits(name, type)) return undefined;
  const simple = Object.hasOwn(strftimeOf, name) ? strftimeOf[name] : undefined;
  if (simple !== undefined) return strftime(simple);
  if (Object.hasOwn(names, name))
    return [{ text: ({ civil }) => inCaseOf(element, formatted(civil, names[name] ?? '')) }];
  return [{ text: ({ civil, value }) => computed(name, element, civil, value) }];
}

const strftimeOf: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  RRRR: '%Y',
  YY: '%y',
  RR: '%y',
  MM: '%m',
  DDD: '%j',
  DD: '%d',
  HH24: '%H',
  HH12: '%I',
  HH: '%I',
  MI: '%M',
  SS: '%S',
};

/** Elements that are written in the case of the format. */
const names: Readonly<Record<string, string>> = { MONTH: '%B', MON: '%b', DAY: '%A', DY: '%a' };

const formatted = (civil: Expression, format: string) =>
  call('strftime', [civil, textLiteral(format)], string);

function inCaseOf(element: string, text: Expression): Expression {
  const [first = '', second = ''] = element.replaceAll('.', '');
  if (first === first.toLowerCase()) return call('lower', [text], string);
  return second === second.toUpperCase() ? call('upper', [text], string) : text;
}

function computed(name: string, element: string, civil: Expression, value: Expression): Expression {
  switch (name) {
    case 'Y,YYY':
      return concatTexts([
        left(formatted(civil, '%Y'), -3),
        textLiteral(','),
        right(formatted(civil, '%Y'), 3),
      ]);
    case 'YYY':
      return right(formatted(civil, '%Y'), 3);
    case 'Y':
      return right(formatted(civil, '%Y'), 1);
    case 'D':
      return castTo(operation('+', [call('dayofweek', [civil], int64), integerLiteral(1)], int64), string);
    case 'SSSSS': {
      const seconds = operation(
        '+',
        [
          times(call('hour', [civil], int64), 3600),
          times(call('minute', [civil], int64), 60),
          call('second', [civil], int64),
        ],
        int64,
      );
      return call(
        'lpad',
        [castTo(seconds, string), castTo(integerLiteral(5), int64, 'INTEGER'), textLiteral('0')],
        string,
      );
    }
    case 'TZH':
      return left(offsetText(civil, value), 3);
    case 'TZM':
      return right(offsetText(civil, value), 2);
    default:
      if (name.startsWith('FF')) return left(formatted(civil, '%f000'), Number(name[2]));
      return meridian(element, civil);
  }
}

/** AM or PM, with points as in the format. */
function meridian(element: string, civil: Expression): Expression {
  const written = inCaseOf(element, formatted(civil, '%p'));
  if (!element.includes('.')) return written;
  return concatTexts([left(written, 1), textLiteral('.'), right(written, 1), textLiteral('.')]);
}

const left = (text: Expression, length: number) => call('left', [text, integerLiteral(length)], string);
const right = (text: Expression, length: number) => call('right', [text, integerLiteral(length)], string);
const times = (value: Expression, factor: number) => operation('*', [value, integerLiteral(factor)], int64);

const offsetText = (civil: Expression, value: Expression): Expression =>
  call(
    'bq.offset_text',
    [operation('-', [call('epoch_us', [civil], int64), call('epoch_us', [value], int64)], int64)],
    string,
  );

/** How an element is read. `kind` is the part that it sets, of which a format may have one only. */
interface ReadStep extends Step {
  readonly kind?: string;
}

/** How an element is read; undefined if it can't be. */
export function readElement(element: string, type: TimeType): ReadStep | undefined {
  const text = literalOf(element);
  if (text !== undefined)
    return { pattern: /^\s+$/.test(text) ? '\\s+' : text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&') };
  const name = element.toUpperCase();
  if (!fits(name, type)) return undefined;
  const fraction = /^FF(\d)$/.exec(name);
  if (fraction) return fractionStep(Number(fraction[1]));
  return Object.hasOwn(readSteps, name) ? readSteps[name] : undefined;
}

const fractionStep = (digits: number): ReadStep => ({
  kind: 'fraction',
  pattern: `(\\d{1,${digits}})`,
  set: (fields, group) => {
    const six = castTo(integerLiteral(6), int64, 'INTEGER');
    const padded = call('rpad', [left(group, 6), six, textLiteral('0')], string);
    fields.microsecond = castTo(padded, int64);
  },
});

const year = (digits: number): ReadStep => ({
  kind: 'year',
  digits,
  set: (fields, group) => {
    const read = parsedNumber(group, 0, 10_000);
    const power = 10 ** digits;
    // Fewer digits than four are the last ones of the current year.
    const current = operation(
      '-',
      [fields.year, operation('%', [fields.year, integerLiteral(power)], int64)],
      int64,
    );
    fields.year = digits >= 4 ? read : operation('+', [current, read], int64);
  },
});

const month = (step: Step): ReadStep => ({ ...step, kind: 'month' });

const meridianStep: ReadStep = {
  kind: 'half of the day',
  pattern: '([AaPp]\\.?[Mm]\\.?)',
  set: (fields, group) => {
    const isAfternoon = call(
      'starts_with',
      [call('lower', [group], string), textLiteral('p')],
      scalar('BOOL'),
    );
    fields.afternoon = {
      kind: 'case',
      branches: [{ when: isAfternoon, result: integerLiteral(12) }],
      otherwise: integerLiteral(0),
      type: int64,
    };
  },
};

const hour = (twelveHours: boolean): ReadStep => ({
  kind: 'hour',
  digits: 2,
  set: (fields, group) => {
    fields.hour = twelveHours ? parsedNumber(group, 1, 12) : parsedNumber(group, 0, 23);
    fields.twelveHours = twelveHours;
  },
});

const readSteps: Readonly<Record<string, ReadStep>> = {
  YYYY: year(4),
  RRRR: year(4),
  YYY: year(3),
  YY: year(2),
  RR: {
    kind: 'year',
    digits: 2,
    set: (fields, group) => {
      fields.year = call('bq.parsed_short_year', [group], int64);
    },
  },
  Y: year(1),
  MM: month({
    digits: 2,
    set: (fields, group) => {
      fields.month = parsedNumber(group, 1, 12);
    },
  }),
  MON: month(monthNames),
  MONTH: month(monthNames),
  DD: {
    kind: 'day',
    digits: 2,
    set: (fields, group) => {
      fields.day = parsedNumber(group, 1, 31);
    },
  },
  DDD: {
    kind: 'day',
    digits: 3,
    set: (fields, group) => {
      fields.dayOfYear = parsedNumber(group, 1, 366);
    },
  },
  HH: hour(true),
  HH12: hour(true),
  HH24: hour(false),
  MI: {
    kind: 'minute',
    digits: 2,
    set: (fields, group) => {
      fields.minute = parsedNumber(group, 0, 59);
    },
  },
  SS: {
    kind: 'second',
    digits: 2,
    set: (fields, group) => {
      fields.second = parsedNumber(group, 0, 59);
    },
  },
  SSSSS: {
    kind: 'second',
    digits: 5,
    set: (fields, group) => {
      const seconds = parsedNumber(group, 0, 86_399);
      const quotient = (by: number) => call('divide', [seconds, integerLiteral(by)], int64);
      const rest = (value: Expression) => operation('%', [value, integerLiteral(60)], int64);
      fields.hour = quotient(3600);
      fields.minute = rest(quotient(60));
      fields.second = rest(seconds);
    },
  },
  AM: meridianStep,
  PM: meridianStep,
  'A.M.': meridianStep,
  'P.M.': meridianStep,
  TZH: {
    kind: 'offset',
    pattern: '([+-]\\d{2})',
    set: (fields, group) => {
      fields.offset = fields.offset ? concatTexts([group, fields.offset]) : group;
    },
  },
  TZM: {
    kind: 'minutes of the offset',
    pattern: '([0-5]\\d)',
    set: (fields, group) => {
      fields.offset = concatTexts([fields.offset ?? textLiteral('+00'), group]);
    },
  },
};
