import { upperName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { call, integerLiteral, nullLiteral, operation } from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { describeType, isScalar, scalar } from '../../types.ts';
import type { Rule } from '../context.ts';
import { type Place, Unsupported } from '../unsupported.ts';
import { writtenValue } from './constant-values.ts';

/** DuckDB's function for each date part, and the number of its units in the part. */
const makers: Readonly<Record<string, readonly [name: string, times: number]>> = {
  YEAR: ['to_years', 1],
  QUARTER: ['to_months', 3],
  MONTH: ['to_months', 1],
  WEEK: ['to_days', 7],
  DAY: ['to_days', 1],
  HOUR: ['to_hours', 1],
  MINUTE: ['to_minutes', 1],
  SECOND: ['to_microseconds', 1_000_000],
  MILLISECOND: ['to_microseconds', 1000],
  MICROSECOND: ['to_microseconds', 1],
};

/** The most units of an interval. */
const mostUnits: Readonly<Record<string, bigint>> = {
  to_years: 10_000n,
  to_months: 120_000n,
  to_days: 3_660_000n,
  to_hours: 87_840_000n,
  to_minutes: 5_270_400_000n,
  to_microseconds: 316_224_000_000_000_000n,
};

const [int64, interval] = [scalar('INT64'), scalar('INTERVAL')];

/** `INTERVAL n DAY` and `INTERVAL '1-2' YEAR TO MONTH`. */
export const intervalLiteral: Rule<Syntax.IntervalLiteral> = (node, scope, context) => {
  const { value, from, to } = node;
  const part = upperName(from.name);
  if (to || (value.kind === 'StringLiteral' && parts.includes(part)))
    return intervalOfParts(node, part, to ? upperName(to.name) : part);
  const [maker, times] = makers[part] ?? [];
  if (maker === undefined || times === undefined)
    throw new Unsupported(from, `INTERVAL does not support ${part}`);
  const amount = context.expression(amountOf(node), scope);
  if (amount.kind === 'parameter' && isScalar(amount.type, 'STRING'))
    throw new Unsupported(
      value,
      `INTERVAL takes INT64, and @${amount.name} is STRING: write CAST(@${amount.name} AS INT64)`,
    );
  if (amount.type.kind === 'null') return nullLiteral(interval);
  if (!isScalar(amount.type, 'INT64') && amount.type.kind !== 'unknown')
    throw new Unsupported(value, `INTERVAL … ${part} takes INT64, not ${describeType(amount.type)}`);
  return intervalOf(maker, amount, times);
};

/** The interval, which is checked when it is computed unless it is known to be in range. */
function intervalOf(maker: string, amount: Expression, times: number): Expression {
  const made = call(maker, [timesUnit(amount, times)], interval);
  const units =
    amount.kind === 'literal' && typeof amount.value === 'bigint' ? amount.value * BigInt(times) : undefined;
  const most = mostUnits[maker] ?? 0n;
  const isInRange = units !== undefined && units <= most && units >= -most;
  return isInRange ? made : call('bq.interval_in_range', [made], interval);
}

/** The part and the amount of an interval of one part that is a literal; undefined for others. */
export function literalInterval(
  value: Expression,
): { readonly part: 'months' | 'days' | 'time'; readonly amount: bigint } | undefined {
  const [units] = value.kind === 'call' && value.function.startsWith('to_') ? value.args : [];
  const amount = units?.kind === 'operation' ? units.operands[0] : units;
  const written = writtenValue(amount);
  if (value.kind !== 'call' || typeof written !== 'bigint') return undefined;
  const parts = { to_years: 'months', to_months: 'months', to_days: 'days' } as const;
  const part = parts[value.function as keyof typeof parts] ?? 'time';
  return { part, amount: written };
}

/** The number of the date parts: GoogleSQL converts a literal string to INT64. */
export function amountOf({ value }: Syntax.IntervalLiteral): Syntax.Expression {
  if (value.kind !== 'StringLiteral') return value;
  const [, sign, digits] = /^\s*([+-]?)(\d+)\s*$/.exec(value.value) ?? [];
  if (digits === undefined)
    throw new Unsupported(value, 'INTERVAL takes a number, or a string that is a whole number');
  const { start, end } = value;
  const number = BigInt(digits);
  return { kind: 'IntegerLiteral', start, end, value: sign === '-' ? -number : number, text: digits };
}

const timesUnit = (amount: Expression, times: number): Expression =>
  times === 1 ? amount : operation('*', [amount, integerLiteral(times)], int64);

/** The parts of an interval's text in order, and the separator before each. */
const parts: readonly string[] = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND'];
const separators = ['', '-', ' ', ' ', ':', ':'];

function intervalOfParts(node: Syntax.IntervalLiteral, first: string, last: string): Expression {
  const [from, to] = [parts.indexOf(first), parts.indexOf(last)];
  if (node.value.kind !== 'StringLiteral' || from < 0 || to < from)
    throw new Unsupported(
      node,
      'INTERVAL takes a number and a date part, or a string and a range of date parts',
    );
  return sumOfParts(node.value, node.value.value, from, to);
}

function sumOfParts(place: Place, text: string, from: number, to: number): Expression {
  const range = parts.slice(from, to + 1);
  const found = patternOf(range, from).exec(text);
  if (!found) throw new Unsupported(place, `not an interval from ${range[0]} to ${range.at(-1)}`);
  let sign = '';
  const terms = range.map((part, index) => {
    // One sign applies to years and months, another to days, another to the whole time of day.
    if (startsSign(part, index)) sign = found[2 * index + 1] ?? '';
    const digits = `${sign === '-' ? '-' : ''}${found[2 * index + 2]}`;
    const [maker = '', times = 1] = makers[part] ?? [];
    const amount = part === 'SECOND' ? microseconds(digits) : BigInt(digits);
    return intervalOf(maker, integerLiteral(amount), part === 'SECOND' ? 1 : times);
  });
  return terms.length === 1 && terms[0] ? terms[0] : operation('+', terms, interval);
}

const startsSign = (part: string, index: number) => index === 0 || part === 'DAY' || part === 'HOUR';

function patternOf(range: readonly string[], from: number): RegExp {
  const texts = range.map((part, index) => {
    const sign = startsSign(part, index) ? '([+-]?)' : '()';
    const digits = part === 'SECOND' ? '(\\d+(?:\\.\\d{1,6})?|\\.\\d{1,6})' : '(\\d+)';
    return `${index === 0 ? '' : separators[from + index]}${sign}${digits}`;
  });
  return new RegExp(`^${texts.join('')}$`);
}

/** `-1.5` seconds in microseconds. */
function microseconds(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const amount = BigInt(whole || '0') * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return text.startsWith('-') ? -amount : amount;
}
