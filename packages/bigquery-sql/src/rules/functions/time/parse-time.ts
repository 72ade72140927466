import {
  call,
  caseWhen,
  castTo,
  compareWith,
  computeFirst,
  field,
  integerLiteral,
  isNull,
  list,
  not,
  operation,
  textLiteral,
} from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { scalar } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { convert, distance } from '../../coercion.ts';
import { callMacro } from '../../macro-call.ts';
import { requireZone } from '../../moment-text.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import { functionName } from '../function-name.ts';
import type { SpecialFunction } from '../special-function.ts';
import { withChosenText } from '../text/chosen-text.ts';
import type { Fields } from './parse-elements.ts';
import { parseTimePattern } from './parse-pattern.ts';

const [string, int64] = [scalar('STRING'), scalar('INT64')];

type TimeType = 'DATE' | 'DATETIME' | 'TIME' | 'TIMESTAMP';

const parsers: Readonly<Record<string, { readonly type: TimeType; readonly invalid: string }>> = {
  parse_date: { type: 'DATE', invalid: 'cHIklMPpRrSsTXZz' },
  parse_datetime: { type: 'DATETIME', invalid: 'Zz' },
  parse_time: { type: 'TIME', invalid: 'AaBbhCcDdeFGgjmsUuVWwxYyZz' },
  parse_timestamp: { type: 'TIMESTAMP', invalid: '' },
};

/**
 * `PARSE_TIMESTAMP('%F', text)` and the like: the format becomes a regular expression, whose groups make up the value.
 */
export const parseTime: SpecialFunction = (place, [format, value, zone, another]) => {
  const name = functionName(place.name).replace(/^safe\./, '');
  const { type, invalid } = parsers[name] ?? { type: 'DATE', invalid: '' };
  if (!format || !value || another || (zone && type !== 'TIMESTAMP') || distance(value, string) === undefined)
    throw new Unsupported(place, `${name.toUpperCase()} takes a format and a STRING`);
  requireZone(place, zone);
  const given = [convert(value, string), ...(zone ? [zone] : [])];
  return withChosenText(
    place,
    name.toUpperCase(),
    scalar(type),
    format,
    given,
    (written, [text = value, zone]) => {
      const { unsupported, ...pattern } = parseTimePattern(written, invalid);
      if (unsupported !== undefined)
        throw new Unsupported(place, `${unsupported} is not supported in this format`);
      return bindValues([text, ...(zone ? [zone] : [])], (bound = text, zone) => {
        const read = zone ? caseWhen(not(isNull(zone)), bound) : bound;
        const parsed = parsedTime(place, type, pattern, read, zone);
        // DuckDB ends the process at times, if a TRY has many errors in the second value of a COALESCE.
        const isSafe = functionName(place.name).startsWith('safe.');
        const usual = zone === undefined && !isSafe ? usualTime(type, written, bound) : undefined;
        return usual ? call('coalesce', [usual, parsed], parsed.type) : parsed;
      });
    },
  );
};

/** DuckDB's format for each element that its strptime and strftime write in the same way. */
const strftimeOf: Readonly<Record<string, string>> = {
  '%F': '%Y-%m-%d',
  '%T': '%H:%M:%S',
  '%R': '%H:%M',
  ...Object.fromEntries(['%Y', '%m', '%d', '%H', '%M', '%S', '%%'].map((element) => [element, element])),
};

/**
 * The value of a text that is exactly what DuckDB writes for a format of a whole day, and NULL for other texts: DuckDB
 * reads it several times faster than a pattern is matched. Undefined for other formats: with a digit behind it, BigQuery
 * reads a year of five digits.
 */
function usualTime(type: TimeType, format: string, text: Expression): Expression | undefined {
  if (type === 'TIME') return undefined;
  const elements: readonly string[] = format.match(/%.|[^%0-9]/gs) ?? [];
  const written = elements.map((element) => strftimeOf[element] ?? (element.startsWith('%') ? '' : element));
  const isKnown = elements.join('') === format && !written.includes('');
  const numbers: readonly string[] = written.join('').match(/%[YmdHMS]/g) ?? [];
  const isWholeDay = ['%Y', '%m', '%d'].every((element) => numbers.includes(element));
  if (!isKnown || !isWholeDay || new Set(numbers).size < numbers.length) return undefined;
  const isDay = type === 'DATE' && written.join('') === '%Y-%m-%d';
  if (isDay) return call('bq.usual_date', [text], scalar('DATE'));
  const read = readAs(written.join(''), text);
  if (type === 'DATETIME') return read;
  return type === 'DATE'
    ? castTo(read, scalar('DATE'))
    : call('bq."timestamp(d timestamp)"', [read], scalar(type));
}

/** DuckDB reads a text that begins with the year and has all digits in one step; of others it writes what it read, to compare. */
function readAs(format: string, text: Expression): Expression {
  const elements: readonly string[] = format.match(/%.|[^%]/gs) ?? [];
  const digitsOf = (element: string) => '[0-9]'.repeat(element === '%Y' ? 4 : 2);
  const shape = elements.map((element) => (element.startsWith('%') ? digitsOf(element) : element));
  const hasShape = elements[0] === '%Y' && !elements.some((element) => /[*?[\]\\]|%%/.test(element));
  return hasShape
    ? call('bq.shaped_time', [text, textLiteral(format), textLiteral(shape.join(''))], scalar('DATETIME'))
    : call('bq.usual_time', [text, textLiteral(format)], scalar('DATETIME'));
}

/** The value of a text that must match a pattern; an error if it does not. */
function parsedTime(
  place: Place,
  type: TimeType,
  { pattern, names, fields }: Omit<ReturnType<typeof parseTimePattern>, 'unsupported'>,
  text: Expression,
  zone: Expression | undefined,
): Expression {
  const groups = call('regexp_extract', [
    text,
    textLiteral(pattern),
    list(names.map((name) => textLiteral(name))),
  ]);
  // The text is matched once for all groups.
  return computeFirst([groups], (matched = groups) => {
    const group = (name: string) => field(matched, name, string);
    const whole = group('whole');
    const value = parsedValue(place, type, fields(group), zone);
    const fail = call('bq.fail', [textLiteral('Failed to parse input string')]);
    return {
      kind: 'case',
      branches: [
        { when: compareWith('=', whole, textLiteral('')), result: fail },
        { when: operation('IS NOT NULL', [whole]), result: value },
      ],
      type: scalar(type),
    };
  });
}

function parsedValue(place: Place, type: TimeType, fields: Fields, zone: Expression | undefined): Expression {
  const { epoch } = fields;
  const date = dateOf(place, fields);
  const clock = clockMicroseconds(fields);
  const civil = epoch
    ? callMacro(place, 'datetime_of', [times(epoch, 1_000_000)])
    : operation('+', [date, call('to_microseconds', [clock], scalar('INTERVAL'))], scalar('DATETIME'));
  switch (type) {
    case 'DATE':
      return call('bq.valid_date', [date], scalar(type));
    case 'TIME':
      return call('bq.time_of', [clock], scalar(type));
    case 'DATETIME':
      return call('bq.valid_datetime', [civil], scalar(type));
    case 'TIMESTAMP':
      return instant(place, civil, fields, zone);
  }
}

/** The date of a year, month and day, of which a week or a day of the year gives those that no element behind it does. */
function dateOf(place: Place, { year, month, day, dayOfYear, week }: Fields): Expression {
  const given = dayOfYear ?? week;
  const make = (parts: readonly Expression[]) => call('make_date', parts, scalar('DATE'));
  if (!given || (given === week && week.hasMonth && week.hasDay)) return make([year, month, day]);
  const start =
    given === week
      ? call('bq.date_of_week', [year, week.number, integerLiteral(week.firstDay)], scalar('DATE'))
      : callMacro(place, 'date_of_day_of_year', [year, given.number]);
  if (!given.hasMonth && !given.hasDay) return start;
  const part = (name: string) => call(name, [start], int64);
  return make([part('year'), given.hasMonth ? month : part('month'), given.hasDay ? day : part('day')]);
}

const times = (value: Expression, factor: number) => operation('*', [value, integerLiteral(factor)], int64);

function clockMicroseconds({
  hour,
  twelveHours,
  afternoon,
  minute,
  second,
  microsecond,
}: Fields): Expression {
  const hours = twelveHours
    ? operation('+', [operation('%', [hour, integerLiteral(12)], int64), afternoon], int64)
    : hour;
  const seconds = call('bq.parsed_seconds', [second, microsecond], int64);
  return operation('+', [times(hours, 3_600_000_000), times(minute, 60_000_000), seconds], int64);
}

function instant(
  place: Place,
  civil: Expression,
  { epoch, offset, zone: zoneInText }: Fields,
  zone: Expression | undefined,
): Expression {
  const micros = call('epoch_us', [civil], int64);
  const timestampOf = (value: Expression) => call('bq.timestamp_of', [value], scalar('TIMESTAMP'));
  if (epoch === undefined && offset !== undefined)
    return timestampOf(operation('-', [micros, call('bq.parsed_offset', [offset], int64)], int64));
  const inZone = epoch === undefined ? (zoneInText ?? zone) : undefined;
  return inZone === undefined ? timestampOf(micros) : callMacro(place, 'timestamp', [civil, inZone]);
}
