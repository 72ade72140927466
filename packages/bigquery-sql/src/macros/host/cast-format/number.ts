import {
  decimalOfDouble,
  divideRounded,
  parseDecimal,
  power10,
  type RoundingMode,
} from '../decimals/decimal.ts';
import { hostFunction } from '../host-function.ts';

interface NumberFormat {
  /** Digits before the point: `0`, `9`, `X` and `x`, with `,` between them. */
  readonly whole: string;
  readonly fraction: string;
  /** The separator of the two; for V, nothing is written between them. */
  readonly point: '.' | 'V' | undefined;
  readonly sign: 'none' | 'S before' | 'S after' | 'MI' | 'PR';
  readonly currency: string;
  /** FM: without blanks and zeros at the end. */
  readonly isCompact: boolean;
  /** B: blanks if the whole part is zero. */
  readonly isBlankForZero: boolean;
  /** The letter before the exponent; undefined without one. */
  readonly exponent: 'E' | 'e' | undefined;
}

const invalid = (reason: string) => new Error(`Error in format string: ${reason}`);

const token = /EEEE|FM|MI|PR|[09X,GD.SCL$BV]/iy;

/** Far more than any number has digits. */
const maxFormatLength = 2_000;

export function parseNumberFormat(format: string): NumberFormat {
  if (format.length > maxFormatLength)
    throw invalid(`the format of a number has at most ${maxFormatLength} characters`);
  let [whole, fraction, currency] = ['', '', ''];
  let [isCompact, isBlankForZero] = [false, false];
  let point: NumberFormat['point'];
  let exponent: NumberFormat['exponent'];
  let sign: NumberFormat['sign'] = 'none';
  const once = (isRepeated: boolean, text: string) => {
    if (isRepeated) throw invalid(`There can be at most one '${text}'`);
  };
  token.lastIndex = 0;
  while (token.lastIndex < format.length) {
    const at = token.lastIndex;
    const [text] = token.exec(format) ?? [];
    if (text === undefined) throw invalid(`Invalid format element '${format[at]}'`);
    const isLast = token.lastIndex === format.length;
    switch (text.toUpperCase()) {
      case '0':
      case '9':
      case 'X':
        if (exponent !== undefined) throw invalid(`'${text}' cannot appear after 'EEEE'`);
        if (point !== undefined) fraction += text;
        else whole += text;
        break;
      case ',':
      case 'G':
        if (point !== undefined || whole === '') throw invalid(`Unexpected format element '${text}'`);
        whole += ',';
        break;
      case '.':
      case 'D':
        once(point !== undefined, text);
        point = '.';
        break;
      case 'V':
        once(point !== undefined, text);
        point = 'V';
        break;
      case 'S':
        once(sign !== 'none', text);
        if (!isLast && (whole !== '' || point !== undefined))
          throw invalid(`Unexpected format element '${text}'`);
        sign = whole === '' && fraction === '' ? 'S before' : 'S after';
        break;
      case 'MI':
      case 'PR':
        once(sign !== 'none', text);
        if (!isLast) throw invalid(`'${text}' must be the last format element`);
        sign = text.toUpperCase() === 'MI' ? 'MI' : 'PR';
        break;
      case '$':
      case 'L':
      case 'C':
        once(currency !== '', text);
        currency = { $: '$', L: '$', l: '$', C: 'USD', c: 'usd' }[text] ?? '$';
        break;
      case 'B':
        once(isBlankForZero, text);
        isBlankForZero = true;
        break;
      case 'FM':
        once(isCompact, text);
        isCompact = true;
        break;
      default:
        once(exponent !== undefined, text);
        exponent = text.startsWith('E') ? 'E' : 'e';
    }
  }
  const parsed = { whole, fraction, point, sign, currency, isCompact, isBlankForZero, exponent };
  checkDigits(parsed);
  return parsed;
}

function checkDigits({ whole, fraction, point, currency, exponent }: NumberFormat): void {
  if (!/[09X]/i.test(whole + fraction)) {
    throw invalid("Format string must contain at least one of 'X', '0' or '9'");
  }
  if (
    /X/i.test(whole) &&
    (/[9,]/.test(whole) || point !== undefined || currency !== '' || exponent !== undefined)
  ) {
    throw invalid("'X' cannot appear together with '9', ',', '.', a currency or 'EEEE'");
  }
}

/** A finite number: `digits` counts units of 10^-scale. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: bigint;
  readonly scale: number;
  readonly rounding: RoundingMode;
}

/** The digits before and after the point, rounded to the format; and the exponent, if it has one. */
function digitsOf({ digits, scale, rounding }: Decimal, { fraction, exponent: letter }: NumberFormat) {
  const rounded = (units: bigint, by: number) =>
    by >= 0 ? units * power10(by) : divideRounded(units, power10(-by), rounding);
  if (letter === undefined) {
    const text = String(rounded(digits, fraction.length - scale)).padStart(fraction.length + 1, '0');
    return splitAt(text, fraction.length, '');
  }
  if (digits === 0n) return splitAt('0'.repeat(1 + fraction.length), fraction.length, `${letter}+00`);
  const places = 1 + fraction.length;
  let power = String(digits).length - 1 - scale;
  let mantissa = rounded(digits, places - String(digits).length);
  if (String(mantissa).length > places) {
    power += 1;
    mantissa /= 10n;
  }
  const size = String(Math.abs(power)).padStart(2, '0');
  return splitAt(String(mantissa), fraction.length, `${letter}${power < 0 ? '-' : '+'}${size}`);
}

const splitAt = (text: string, fractionLength: number, exponent: string) => ({
  whole: text.slice(0, text.length - fractionLength),
  fraction: text.slice(text.length - fractionLength),
  exponent,
});

function formatDecimal(value: Decimal, format: NumberFormat): string {
  if (/X/i.test(format.whole)) return formatHexadecimal(value, format);
  const { whole, fraction, exponent } = digitsOf(value, format);
  const isZeroWhole = /^0*$/.test(whole);
  const digits = isZeroWhole ? '' : whole;
  const point = format.point === '.' ? '.' : '';
  // With an exponent there is one digit before the point, and no place is left blank.
  const width = format.exponent === undefined ? placesWidth(format) : 0;
  if (digits.length > format.whole.replaceAll(',', '').length)
    return assembled(hashesOf(format) + exponent, value, format, width);
  const shownFraction = format.isCompact && point !== '' ? fraction.replace(/0+$/, '') : fraction;
  const shownWhole = format.exponent === undefined ? wholeText(digits, format.whole, shownFraction) : whole;
  const text = assembled(shownWhole + point + shownFraction + exponent, value, format, width);
  if (!format.isBlankForZero || !isZeroWhole) return text;
  return format.isCompact ? '' : ' '.repeat(text.length);
}

/** Shown instead of what has no place. */
const hashesOf = ({ whole, fraction, point }: NumberFormat): string =>
  whole.replaceAll(/[09x]/gi, '#') + (point === '.' ? '.' : '') + '#'.repeat(fraction.length);

/** The digits with separators; leading places of the first `0` on are zeros. */
function wholeText(digits: string, whole: string, fraction: string): string {
  const places = [...whole];
  const count = places.filter((place) => place !== ',').length;
  const firstZero = places.filter((place) => place !== ',').indexOf('0');
  const least = firstZero < 0 ? 0 : count - firstZero;
  // Without digits after the point, a zero is shown.
  const shown = digits.padStart(Math.max(least, fraction === '' && count > 0 ? 1 : 0), '0');
  const left = [...shown];
  let text = '';
  for (const place of places.reverse()) {
    if (place !== ',') text = (left.pop() ?? '') + text;
    else if (left.length > 0) text = `,${text}`;
  }
  return text;
}

const placesWidth = ({ whole, fraction, point }: NumberFormat) =>
  whole.length + (point === '.' ? 1 : 0) + fraction.length;

/** Of `E+00`. */
const exponentWidth = 4;

const signWidth = ({ sign }: NumberFormat) => (sign === 'PR' ? 2 : 1);

/** The number with currency and sign, aligned to the right. */
function assembled(number: string, { isNegative }: Decimal, format: NumberFormat, width: number): string {
  const { sign, currency, isCompact } = format;
  const body = currency + number;
  const minus = isNegative ? '-' : ' ';
  const plus = isNegative ? '-' : '+';
  const signed = {
    none: minus + body,
    'S before': plus + body,
    'S after': body + plus,
    MI: body + minus,
    PR: isNegative ? `<${body}>` : ` ${body} `,
  }[sign];
  return isCompact ? signed.trim() : signed.padStart(width + currency.length + signWidth(format), ' ');
}

function formatHexadecimal(value: Decimal, format: NumberFormat): string {
  const digits = divideRounded(value.digits, power10(value.scale)).toString(16);
  const places = format.whole;
  if (digits.length > places.length)
    return assembled('#'.repeat(places.length), value, format, places.length);
  const firstZero = places.indexOf('0');
  const shown = digits.padStart(firstZero < 0 ? 1 : places.length - firstZero, '0');
  const cased = [...shown].map((digit, at) => {
    const place = places.length - shown.length + at;
    const letter = /x/i.exec(places.slice(place))?.[0] ?? 'X';
    return letter === 'X' ? digit.toUpperCase() : digit;
  });
  return assembled(cased.join(''), value, format, places.length);
}

const decimalScale = 38;

function formatText(text: string, format: string): string {
  const value = parseDecimal(text, decimalScale) ?? 0n;
  const isNegative = value < 0n;
  return formatDecimal(
    {
      isNegative,
      digits: isNegative ? -value : value,
      scale: decimalScale,
      rounding: 'ROUND_HALF_AWAY_FROM_ZERO',
    },
    parseNumberFormat(format),
  );
}

/** NaN has no sign, and a blank in its place. */
const withoutPlus = (format: NumberFormat): NumberFormat => {
  if (format.sign === 'S before') return { ...format, sign: 'none' };
  return format.sign === 'S after' ? { ...format, sign: 'MI' } : format;
};

/** More digits after the point than the smallest FLOAT64 has. */
const doubleScale = 1100;

function formatDouble(value: number, format: string): string {
  const given = parseNumberFormat(format);
  const parsed = Number.isNaN(value) ? withoutPlus(given) : given;
  const isNegative = value < 0;
  const rounding: RoundingMode = 'ROUND_HALF_EVEN';
  if (!Number.isFinite(value)) {
    const name = Number.isNaN(value) ? 'NAN' : 'INF';
    const empty = { isNegative, digits: 0n, scale: 0, rounding };
    const width = placesWidth(parsed);
    const digits = width - parsed.whole.length + 1;
    if (parsed.exponent !== undefined) return assembled(name, empty, parsed, digits + exponentWidth);
    const isShown = name.length <= parsed.whole.length && !/X/i.test(parsed.whole);
    const padded = name.padEnd(name.length + width - parsed.whole.length);
    return assembled(isShown ? padded : hashesOf(parsed), empty, parsed, width);
  }
  return formatDecimal(
    { isNegative, digits: decimalOfDouble(Math.abs(value), doubleScale), scale: doubleScale, rounding },
    parsed,
  );
}

/** CAST of numbers to text by a format. */
export const numberFormatFunctions = [
  hostFunction('host_format_decimal', ['VARCHAR', 'VARCHAR'], 'VARCHAR', formatText),
  hostFunction('host_format_double', ['DOUBLE', 'VARCHAR'], 'VARCHAR', formatDouble),
];
