import { type Column, valueIn } from '../endpoint.ts';
import { type Json, type JsonObject, jsonText } from '../json.ts';

/** The rows in an order; NULLs are last in both directions, and equal rows stay as the query ordered them. */
export function sortRows(
  rows: readonly JsonObject[],
  column: Column,
  descending: boolean,
): readonly JsonObject[] {
  const present: { readonly row: JsonObject; readonly value: Json }[] = [];
  const absent: JsonObject[] = [];
  for (const row of rows) {
    const value = valueIn(row, column);
    if (value === undefined) absent.push(row);
    else present.push({ row, value });
  }
  const compare = comparisonOf(column);
  const direction = descending ? -1 : 1;
  present.sort((a, b) => direction * compare(a.value, b.value));
  return [...present.map(({ row }) => row), ...absent];
}

type Comparison = (a: Json, b: Json) => number;

function comparisonOf({ type, repeated }: Column): Comparison {
  if (repeated || type === 'json' || type === 'record') return byJson;
  if (type === 'numeric') return (a, b) => compareDecimals(String(a), String(b));
  if (type === 'string') return byLocale;
  if (type === 'bytes') return (a, b) => byValue(atob(String(a)), atob(String(b)));
  return (a, b) => (typeof a === typeof b || (isNumber(a) && isNumber(b)) ? byValue(a, b) : byJson(a, b));
}

const isNumber = (value: Json) => typeof value === 'number' || typeof value === 'bigint';

const { compare: compareTexts } = new Intl.Collator();

const byLocale: Comparison = (a, b) => compareTexts(String(a), String(b));

/** Numbers and BigInt are compared exactly with each other. */
const byValue: Comparison = (a, b) => ((a ?? 0) < (b ?? 0) ? -1 : (a ?? 0) > (b ?? 0) ? 1 : 0);

const byJson: Comparison = (a, b) => byValue(jsonText(a), jsonText(b));

/** Compares decimal texts exactly: they may have more digits than a number. */
function compareDecimals(a: string, b: string): number {
  const [x, y] = [decimalOf(a), decimalOf(b)];
  const digits = Math.max(x.fraction.length, y.fraction.length);
  const scaled = ({ sign, whole, fraction }: Decimal) =>
    BigInt(`${whole}${fraction.padEnd(digits, '0')}`) * sign;
  const difference = scaled(x) - scaled(y);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

interface Decimal {
  readonly sign: bigint;
  readonly whole: string;
  readonly fraction: string;
}

function decimalOf(text: string): Decimal {
  const {
    sign,
    whole = '0',
    fraction = '',
  } = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?$/.exec(text)?.groups ?? {};
  return { sign: sign === '-' ? -1n : 1n, whole, fraction };
}
