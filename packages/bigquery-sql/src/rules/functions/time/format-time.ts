import {
  call,
  castTo,
  computeFirst,
  concatTexts,
  integerLiteral,
  literal as literalOf,
  operation,
  textLiteral,
} from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { describeType, type ScalarName, scalar } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { convert, distance } from '../../coercion.ts';
import { callMacro } from '../../macro-call.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import { functionName } from '../function-name.ts';
import type { SpecialFunction } from '../special-function.ts';
import { withChosenText } from '../text/chosen-text.ts';

const [string, int64] = [scalar('STRING'), scalar('INT64')];

/** The value to format, and its civil time in the requested zone, for DuckDB's strftime. */
interface TimeOperand {
  readonly value: Expression;
  readonly civil: Expression;
}

/** One element of a format: a strftime format, or an expression. */
type Element = { readonly strftime: string } | { readonly text: (operand: TimeOperand) => Expression };

/** The types that each function accepts, its own first. */
const acceptedTypes: Readonly<Record<string, readonly ScalarName[]>> = {
  format_date: ['DATE', 'DATETIME', 'TIMESTAMP'],
  format_datetime: ['DATETIME', 'TIMESTAMP'],
  format_timestamp: ['TIMESTAMP', 'DATETIME'],
  format_time: ['TIME'],
};

/** `FORMAT_TIMESTAMP('%F', x, zone)` and the like: the format is parsed here, and each element becomes an expression. */
export const formatTime: SpecialFunction = (place, [format, value, zone, another]) => {
  const name = functionName(place.name).replace(/^safe\./, '');
  if (!format || !value || another)
    throw new Unsupported(place, `${name.toUpperCase()} takes a format and a value`);
  const type = nearest(acceptedTypes[name] ?? [], value);
  if (!type || (zone && type !== 'TIMESTAMP'))
    throw new Unsupported(place, `${name.toUpperCase()} does not take (${describeType(value.type)})`);
  const given = [convert(value, scalar(type)), ...(zone ? [zone] : [])];
  return withChosenText(place, name.toUpperCase(), string, format, given, (text, [shown = value, zone]) =>
    formattedTime(place, parseFormat(place, text, type), type, shown, zone),
  );
};

function nearest(types: readonly ScalarName[], value: Expression): ScalarName | undefined {
  const reachable = types.filter((type) => distance(value, scalar(type)) !== undefined);
  return reachable.find((type) => distance(value, scalar(type)) === 0) ?? reachable[0];
}

function civilTime(
  place: Place,
  type: ScalarName,
  value: Expression,
  zone: Expression | undefined,
): Expression {
  const datetime = scalar('DATETIME');
  if (type === 'TIME') return operation('+', [literalOf(scalar('DATE'), '2000-01-01'), value], datetime);
  if (type !== 'TIMESTAMP') return value;
  if (zone !== undefined) return { ...callMacro(place, 'civil_to_show', [value, zone]), type: datetime };
  return call('make_timestamp', [call('epoch_us', [value], int64)], datetime);
}

/** A value written by the elements of a format. */
function formattedTime(
  place: Place,
  elements: readonly Element[],
  type: ScalarName,
  value: Expression,
  zone?: Expression,
): Expression {
  const isOneCall = elements.every((element, at) => 'strftime' in element || (at === 0 && element === year));
  if (isOneCall && elements.length > 0)
    return joinElements(elements, { value, civil: civilTime(place, type, value, zone) });
  return bindValues([value], (bound = value) => {
    const civil = civilTime(place, type, bound, zone);
    return bindValues([civil], (shown = civil) => joinElements(elements, { value: bound, civil: shown }));
  });
}

/** Adjacent strftime elements share one call; a year before them loses the zeros that strftime pads it with. */
function joinElements(elements: readonly Element[], operand: TimeOperand): Expression {
  const texts: Expression[] = [];
  const isAfterYear = elements[0] === year;
  let run = isAfterYear ? '%Y' : '';
  const flush = () => {
    if (run === '') return;
    const text = formatted(operand.civil, run);
    texts.push(isAfterYear && texts.length === 0 ? withoutPadding(text) : text);
    run = '';
  };
  for (const element of isAfterYear ? elements.slice(1) : elements) {
    if ('strftime' in element) run += element.strftime;
    else {
      flush();
      texts.push(element.text(operand));
    }
  }
  flush();
  // An empty format still yields NULL for NULL.
  return texts.length === 0
    ? call('left', [castTo(operand.value, string), integerLiteral(0)], string)
    : concatTexts(texts);
}

const withoutPadding = (text: Expression): Expression =>
  computeFirst([text], (padded = text) => call('bq.without_zeros', [padded], string));

/** `%Y`, `%E3S`, `%Om`, `%-d` … or any other single character. */
const token = /%(E(?:[0-9*][Sf]|4Y|\*z|[zYyCcXx])|:{1,3}z|O[deHImMSUuVWwy]|[-_0^#][A-Za-z]|[^EO])|[\s\S]/g;

function parseFormat(place: Place, format: string, type: ScalarName): readonly Element[] {
  return [...format.matchAll(token)].flatMap(([text, name]) => {
    if (name === undefined) return [literal(text)];
    const isFlagged = /^[-_0^#]./.test(name);
    const found = isFlagged ? flagged(name, type) : elements(name, type);
    if (!found && (isFlagged || /^(?:[-_0-9^#J:]|E[0-9*]f)/.test(name)))
      throw new Unsupported(place, `the format element ${text} is not supported`);
    return found ?? [literal(text)];
  });
}

const literal = (text: string): Element => ({ strftime: text.replaceAll('%', '%%') });

/** Undefined if the element does not apply to the type: it is then output literally. */
function elements(name: string, type: ScalarName): readonly Element[] | undefined {
  if (name.startsWith('O') || /^E[yCcXxY]$/.test(name)) return elements(name.slice(1), type);
  const composite = composites[name];
  if (composite !== undefined) {
    const parts = [...composite.matchAll(token)].map(([text, part]) =>
      part === undefined ? [literal(text)] : elements(part, type),
    );
    return parts.includes(undefined) ? undefined : parts.flatMap((part) => part ?? []);
  }
  if (name in neutralElements) return neutralElements[name];
  if (type !== 'TIME' && name in dateElements) return dateElements[name];
  if (type !== 'DATE' && name in clockElements) return clockElements[name];
  const fraction = type === 'DATE' ? null : /^E(\d)S$/.exec(name);
  if (fraction) return secondsWith(Number(fraction[1]));
  const digits = type === 'DATE' ? null : /^E([1-9])f$/.exec(name);
  if (digits) return fractionOf(Number(digits[1]));
  if ((type === 'DATETIME' || type === 'TIMESTAMP') && name === 's') return epochSeconds;
  return (type === 'TIMESTAMP' ? zoneElements : utcElements)[name];
}

/** An element with a flag for other padding, or for capitals; undefined for quarters and zones. */
function flagged(name: string, type: ScalarName): readonly Element[] | undefined {
  const [flag, letter = ''] = name;
  // The time of a DATE is that of midnight.
  const whole = elements(letter, type === 'DATE' && flag !== '0' ? 'DATETIME' : type);
  if (!whole) return undefined;
  const written = (write: (text: Expression) => Expression): readonly Element[] => [
    { text: (operand) => write(joinElements(whole, operand)) },
  ];
  if ('aAbBhp'.includes(letter)) {
    if (flag !== '^' && flag !== '#') return whole;
    const change = flag === '#' && letter === 'p' ? 'lower' : 'upper';
    return written((text) => call(change, [text], string));
  }
  if ('Puw'.includes(letter)) return whole;
  const padding = flag === '_' ? ' ' : flag === '0' ? '0' : undefined;
  const number = (text: Expression) => asText(castTo(text, int64));
  if (flag === '-' && 'deHIjklmMSUVWygCGY'.includes(letter)) return written(number);
  if (padding && 'deHIjklmMSUVWyg'.includes(letter))
    return written((text) => padLeft(number(text), letter === 'j' ? 3 : 2, padding));
  if (flag === '^' && letter === 'c') return written((text) => call('upper', [text], string));
  return 'QZz'.includes(letter) ? undefined : whole;
}

const composites: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  x: '%m/%d/%y',
};

const strftime = (text: string): readonly Element[] => [{ strftime: text }];
const expression = (write: (civil: Expression) => Expression): readonly Element[] => [
  { text: ({ civil }) => write(civil) },
];

const asText = (value: Expression): Expression => castTo(value, string);
const part = (name: string) => (civil: Expression) => call(name, [civil], int64);
const remainder = (value: Expression, by: number) => operation('%', [value, integerLiteral(by)], int64);
const quotient = (value: Expression, by: number) => call('divide', [value, integerLiteral(by)], int64);
const small = (value: number) => castTo(integerLiteral(value), int64, 'INTEGER');
const padLeft = (value: Expression, length: number, padding: string) =>
  call('lpad', [value, small(length), textLiteral(padding)], string);
const formatted = (civil: Expression, format: string) =>
  call('strftime', [civil, textLiteral(format)], string);
const trimEnd = (value: Expression, characters: string) =>
  call('rtrim', [value, textLiteral(characters)], string);

const year: Element = { text: ({ civil }) => asText(part('year')(civil)) };

const neutralElements: Readonly<Record<string, readonly Element[]>> = {
  '%': strftime('%%'),
  n: strftime('\n'),
  t: strftime('\t'),
};

const dateElements: Readonly<Record<string, readonly Element[]>> = {
  A: strftime('%A'),
  a: strftime('%a'),
  B: strftime('%B'),
  b: strftime('%b'),
  C: expression((civil) => asText(quotient(part('year')(civil), 100))),
  d: strftime('%d'),
  E4Y: strftime('%Y'),
  e: expression((civil) => padLeft(asText(part('day')(civil)), 2, ' ')),
  G: expression((civil) => asText(part('isoyear')(civil))),
  g: expression((civil) => padLeft(asText(remainder(part('isoyear')(civil), 100)), 2, '0')),
  h: strftime('%b'),
  j: strftime('%j'),
  m: strftime('%m'),
  Q: expression((civil) => asText(part('quarter')(civil))),
  U: strftime('%U'),
  u: strftime('%u'),
  V: strftime('%V'),
  W: strftime('%W'),
  w: strftime('%w'),
  Y: [year],
  y: strftime('%y'),
};

const clockElements: Readonly<Record<string, readonly Element[]>> = {
  'E*S': [{ strftime: '%S' }, ...expression((civil) => trimEnd(trimEnd(formatted(civil, '.%f'), '0'), '.'))],
  H: strftime('%H'),
  I: strftime('%I'),
  k: expression((civil) => padLeft(asText(part('hour')(civil)), 2, ' ')),
  l: expression((civil) =>
    padLeft(call('ltrim', [formatted(civil, '%I'), textLiteral('0')], string), 2, ' '),
  ),
  M: strftime('%M'),
  P: expression((civil) => call('lower', [formatted(civil, '%p')], string)),
  p: strftime('%p'),
  S: strftime('%S'),
};

const secondsWith = (digits: number): readonly Element[] =>
  digits === 0 ? strftime('%S') : [{ strftime: '%S.' }, ...fractionOf(digits)];

const fractionOf = (digits: number): readonly Element[] =>
  expression((civil) => call('left', [formatted(civil, '%f000'), integerLiteral(digits)], string));

const microseconds = (value: Expression) => call('epoch_us', [value], int64);

const epochSeconds: readonly Element[] = [
  {
    text: ({ value }) =>
      asText(
        quotient(call('bq.floor_to', [microseconds(value), integerLiteral(1_000_000)], int64), 1_000_000),
      ),
  },
];

/** The difference between civil time and UTC. */
const zoneText =
  (macro: string) =>
  ({ value, civil }: TimeOperand) =>
    call(`bq.${macro}`, [operation('-', [microseconds(civil), microseconds(value)], int64)], string);

const zoneElements: Readonly<Record<string, readonly Element[]>> = {
  'E*z': [{ text: zoneText('offset_with_colon') }, literal(':00')],
  Ez: [{ text: zoneText('offset_with_colon') }],
  ':z': [{ text: zoneText('offset_with_colon') }],
  '::z': [{ text: zoneText('offset_with_colon') }, literal(':00')],
  Z: [{ text: zoneText('zone_name') }],
  z: [{ text: zoneText('offset_text') }],
};

/** Those that types without a zone have, too. */
const utcElements: Readonly<Record<string, readonly Element[]>> = {
  'E*z': [literal('+00:00:00')],
  ':z': [literal('+00:00')],
  '::z': [literal('+00:00:00')],
  ':::z': [literal('+00')],
};
