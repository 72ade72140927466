import {
  call,
  caseWhen,
  castTo,
  compareWith,
  concatTexts,
  integerLiteral,
  operation,
  textLiteral,
} from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { describeType, isScalar, type ScalarName, scalar } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { convert } from '../../coercion.ts';
import { callMacro } from '../../macro-call.ts';
import { rangeText } from '../../ranges.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import type { SpecialFunction } from '../special-function.ts';
import { withChosenText } from './chosen-text.ts';
import { joinTexts, type ValueTextFormat, valueText } from './value-text.ts';

const [string, int64, bool] = [scalar('STRING'), scalar('INT64'), scalar('BOOL')];

/** One `%…` of a format. */
interface Specifier {
  readonly flags: string;
  readonly width: Expression | undefined;
  readonly precision: Expression | undefined;
  readonly letter: string;
}

/** The largest width and precision, as in BigQuery. */
const maxSize = 1_048_576;

/** FORMAT with literal format strings, of which conditions may choose one. */
export const format: SpecialFunction = (place, [given, ...args]) => {
  if (!given) throw new Unsupported(place, 'FORMAT takes a format string');
  return withChosenText(place, 'FORMAT', string, given, args, (text, values) =>
    formatWith(place, text, values),
  );
};

/** A concatenation of texts and formatted arguments. */
function formatWith(place: Place, pattern: string, args: readonly Expression[]): Expression {
  const queue = [...args];
  const parts = [...pattern.matchAll(/%%|%([-+ #0']*)(\d+|\*)?(?:\.(\d+|\*)?)?(.)?|[^%]+/gsu)].map((match) =>
    formatPart(place, match, queue),
  );
  if (queue[0]) throw new Unsupported(place, 'FORMAT has more arguments than its format string uses');
  return concatTexts(parts);
}

function formatPart(place: Place, match: RegExpExecArray, queue: Expression[]): Expression {
  const [all, flags = '', width, precision, letter] = match;
  if (all === '%%') return textLiteral('%');
  if (!all.startsWith('%')) return textLiteral(all);
  const write = letter !== undefined && Object.hasOwn(writers, letter) ? writers[letter] : undefined;
  if (!write || !letter) throw new Unsupported(place, `FORMAT does not support ${all}`);
  const next = () => {
    const argument = queue.shift();
    if (argument) return argument;
    throw new Unsupported(place, 'FORMAT has fewer arguments than its format string uses');
  };
  const size = (text: string | undefined) => {
    if (text === undefined) return undefined;
    const value = text === '*' ? requireType(place, next(), '*', 'INT64') : integerLiteral(BigInt(text));
    if (value.kind !== 'literal') return callMacro(place, 'format_size', [value], 'FORMAT');
    if (Math.abs(Number(value.value)) <= maxSize) return value;
    throw new Unsupported(place, `FORMAT makes at most ${maxSize} characters, not ${value.value}`);
  };
  const sizes = { width: size(width), precision: size(all.includes('.') ? (precision ?? '0') : undefined) };
  return write(place, next(), { flags, ...sizes, letter });
}

function requireType(place: Place, value: Expression, letter: string, ...names: readonly ScalarName[]) {
  // A bare NULL is INT64.
  const typed = value.type.kind === 'null' ? convert(value, int64) : value;
  if (typed.type.kind === 'unknown' || isScalar(typed.type, ...names)) return typed;
  throw new Unsupported(place, `%${letter} takes ${names.join(' or ')}, not ${describeType(typed.type)}`);
}

type Writer = (place: Place, value: Expression, specifier: Specifier) => Expression;

const integer: Writer = (place, given, specifier) =>
  withNumber(
    requireType(place, given, specifier.letter, 'INT64'),
    specifier,
    (number, { flags, width, precision, letter }) => {
      const base = letter === 'd' || letter === 'i' ? 'd' : letter;
      const plain = castTo(number, string);
      if (base === 'd' && flags === '' && precision === undefined)
        return padToWidth(place, plain, flags, width);
      const digits = callMacro(place, 'format_digits', [
        number,
        textLiteral(base),
        precision ?? integerLiteral(1),
      ]);
      const prefix = flags.includes('#') ? ({ x: '0x', X: '0X', o: '0' }[letter] ?? '') : '';
      const [size, separator] = [base === 'd' ? 3 : 4, /x/i.test(base) ? ':' : ','];
      const grouped = flags.includes("'") ? groupedDigits(place, digits, size, separator) : digits;
      const head = signOf(place, number, flags);
      const padded = padNumber(
        place,
        prefix === '' ? head : concatTexts([head, textLiteral(prefix)]),
        grouped,
        precision === undefined ? flags : flags.replaceAll('0', ''),
        width,
      );
      const isUsual = base === 'd' && flags === '0' && precision === undefined;
      return isUsual ? zeroPadded(number, width, padded) : padded;
    },
  );

/** `%05d`: the digits of most numbers fit; otherwise their text is the general one. */
function zeroPadded(number: Expression, width: Expression | undefined, general: Expression): Expression {
  if (width?.kind !== 'literal' || typeof width.value !== 'bigint') return general;
  if (width.value < 1n || width.value > 18n) return general;
  const largest = integerLiteral(10n ** width.value - 1n);
  const size = castTo(width, int64, 'INTEGER');
  return caseWhen(
    operation('BETWEEN', [number, integerLiteral(0), largest]),
    call('lpad', [castTo(number, string), size, textLiteral('0')], string),
    general,
  );
}

const float: Writer = (place, given, specifier) => {
  const value = requireType(place, given, specifier.letter, 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'INT64');
  if (isScalar(value.type, 'INT64'))
    throw new Unsupported(place, `%${specifier.letter} takes FLOAT64 or NUMERIC, not INT64`);
  const isExact = isScalar(value.type, 'NUMERIC', 'BIGNUMERIC');
  if (isExact && !/f/i.test(specifier.letter))
    throw new Unsupported(place, `%${specifier.letter} of NUMERIC is not supported`);
  return withNumber(value, specifier, (number, { flags, width, precision, letter }) => {
    const alternate = textLiteral(flags.includes('#') ? '#' : '');
    const digits = callMacro(place, isExact ? 'format_numeric' : 'format_float', [
      number,
      alternate,
      precision ?? integerLiteral(6),
      textLiteral(letter),
    ]);
    const grouped = flags.includes("'") ? groupedDigits(place, digits, 3, ',') : digits;
    const head = signOf(place, number, flags);
    const padded = padNumber(place, head, grouped, flags, width);
    if (isExact || !flags.includes('0') || width === undefined) return padded;
    const blank = padNumber(place, head, grouped, flags.replaceAll('0', ''), width);
    return caseWhen(call('isfinite', [number], bool), padded, blank);
  });
};

/** The value and the sizes are used repeatedly. */
const withNumber = (
  value: Expression,
  specifier: Specifier,
  write: (value: Expression, specifier: Specifier) => Expression,
): Expression => {
  const { width, precision } = specifier;
  const sizes = [width, precision].filter((size) => size !== undefined);
  return bindValues([value, ...sizes], (bound = value, ...boundSizes) => {
    const sizeOf = (size: Expression | undefined) => size && boundSizes[sizes.indexOf(size)];
    return write(bound, { ...specifier, width: sizeOf(width), precision: sizeOf(precision) });
  });
};

const signOf = (place: Place, number: Expression, flags: string): Expression =>
  callMacro(place, 'format_sign', [
    compareWith('<', number, convert(integerLiteral(0), number.type)),
    textLiteral(flags),
  ]);

const groupedDigits = (place: Place, digits: Expression, size: number, separator: string) =>
  callMacro(place, 'format_grouped', [digits, integerLiteral(size), textLiteral(separator)]);

const text: Writer = (place, given, specifier) =>
  padText(place, requireType(place, given, specifier.letter, 'STRING'), specifier);

/** %t and %T take values of every type. */
const anyValue: Writer = (place, given, specifier) =>
  padText(
    place,
    valueText(given, (specifier.letter === 't' ? plainFormat : literalFormat)(place)),
    specifier,
  );

const json: Writer = (place, given, specifier) =>
  padText(place, callMacro(place, 'json_of_json', [requireType(place, given, 'p', 'JSON')]), specifier);

const writers: Readonly<Record<string, Writer>> = {
  d: integer,
  i: integer,
  x: integer,
  X: integer,
  o: integer,
  f: float,
  F: float,
  e: float,
  E: float,
  g: float,
  G: float,
  s: text,
  p: json,
  t: anyValue,
  T: anyValue,
};

const padText = (place: Place, value: Expression, { flags, width, precision }: Specifier): Expression =>
  padToWidth(
    place,
    precision === undefined ? value : callMacro(place, 'format_cut', [value, precision]),
    flags,
    width,
  );

function padToWidth(
  place: Place,
  value: Expression,
  flags: string,
  width: Expression | undefined,
): Expression {
  if (width === undefined) return value;
  const leftAligned = operation('-', [call('abs', [width], int64)], int64);
  return callMacro(place, 'format_padded', [value, flags.includes('-') ? leftAligned : width]);
}

/** Zeros are padded between the sign and the digits. */
function padNumber(
  place: Place,
  head: Expression,
  digits: Expression,
  flags: string,
  width: Expression | undefined,
): Expression {
  const isZeroPadded = flags.includes('0') && !flags.includes('-') && width !== undefined;
  const body = isZeroPadded
    ? callMacro(place, 'format_zeros', [head, digits, width])
    : concatTexts([head, digits]);
  return padToWidth(place, body, flags, width);
}

const joined = (elements: Expression, separator: string) =>
  call('array_to_string', [elements, textLiteral(separator)], string);

const plainFormat = (place: Place): ValueTextFormat => ({
  null: 'NULL',
  scalar(value) {
    if (isScalar(value.type, 'BYTES')) return callMacro(place, 'format_bytes', [value]);
    if (isScalar(value.type, 'FLOAT64'))
      return bindValues([value], (bound = value) =>
        callMacro(place, 'format_any_float', [asString(place, bound), bound]),
      );
    if (isScalar(value.type, 'JSON')) return callMacro(place, 'json_of_json', [value]);
    return asString(place, value);
  },
  array: (elements) => concatTexts([textLiteral('['), joined(elements, ', '), textLiteral(']')]),
  struct: (fields) =>
    concatTexts([
      textLiteral('('),
      ...joinTexts(
        fields.map(({ text }) => text),
        ', ',
      ),
      textLiteral(')'),
    ]),
});

const literalFormat = (place: Place): ValueTextFormat => ({
  ...plainFormat(place),
  scalar(value) {
    if (isScalar(value.type, 'STRING')) return callMacro(place, 'format_string_literal', [value]);
    if (isScalar(value.type, 'BYTES')) return callMacro(place, 'format_bytes_literal', [value]);
    const plain = plainFormat(place).scalar(value, 0);
    if (isScalar(value.type, 'INT64', 'BOOL')) return plain;
    if (isScalar(value.type, 'FLOAT64')) return callMacro(place, 'format_float_literal', [plain]);
    if (isScalar(value.type, 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP', 'NUMERIC', 'BIGNUMERIC'))
      return concatTexts([textLiteral(`${describeType(value.type)} "`), plain, textLiteral('"')]);
    if (value.type.kind === 'range')
      return concatTexts([textLiteral(`${describeType(value.type)} "`), plain, textLiteral('"')]);
    if (isScalar(value.type, 'INTERVAL'))
      return concatTexts([textLiteral('INTERVAL "'), plain, textLiteral('" YEAR TO SECOND')]);
    if (isScalar(value.type, 'JSON'))
      return concatTexts([textLiteral('JSON '), callMacro(place, 'format_string_literal', [plain])]);
    throw new Unsupported(place, `%T of ${describeType(value.type)} is not supported`);
  },
  struct: (fields) =>
    concatTexts([
      textLiteral(fields.length < 2 ? 'STRUCT(' : '('),
      ...joinTexts(
        fields.map(({ text }) => text),
        ', ',
      ),
      textLiteral(')'),
    ]),
});

function asString(place: Place, value: Expression): Expression {
  if (isScalar(value.type, 'STRING') || value.type.kind === 'unknown') return value;
  if (value.type.kind === 'range') return rangeText(value, value.type.element);
  if (value.type.kind === 'scalar' && !isScalar(value.type, 'BYTES', 'JSON'))
    return callMacro(place, 'cast_string', [value], 'FORMAT');
  throw new Unsupported(place, `FORMAT of ${describeType(value.type)} is not supported`);
}
