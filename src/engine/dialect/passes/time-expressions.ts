import type { Sql } from '../scope.ts';

/** An INT64, a TIMESTAMP in microseconds since the epoch, a STRING, an ARRAY<TIMESTAMP>, or NULL. */
export type TimeValue = bigint | string | readonly bigint[] | null;

/** What a run is told. */
export interface RunValues {
  /** The moment that CURRENT_TIMESTAMP() means, in microseconds since the epoch. */
  readonly now: bigint;
  /** The value of a parameter. */
  parameter(name: string): string;
}

/**
 * What an expression of the time is in a run; undefined where only the database can tell. Queries ask for their windows
 * by such expressions, and so at each run.
 */
export type TimeExpression = (run: RunValues) => TimeValue | undefined;

const [first, last] = [-62_135_596_800_000_000n, 253_402_300_799_999_999n];
const inRange = (micros: bigint) => (micros < first || micros > last ? undefined : micros);

/** A longer array is left to the database. */
const longestArray = 10_000n;

/** Arithmetic of moments in UTC: a date-part's length in microseconds, and the values of the arguments. */
const operations: Readonly<
  Record<string, (unit: bigint, ...args: readonly bigint[]) => TimeValue | undefined>
> = {
  timestamp_add: (unit, at = 0n, n = 0n) => inRange(at + n * unit),
  timestamp_sub: (unit, at = 0n, n = 0n) => inRange(at - n * unit),
  timestamp_trunc: (unit, at = 0n) => inRange(at - (((at % unit) + unit) % unit)),
  generate_timestamp_array: (unit, from = 0n, to = 0n, n = 0n) => {
    const step = n * unit;
    if (step <= 0n || (to - from) / step >= longestArray) return undefined;
    const length = to < from ? 0 : Number((to - from) / step) + 1;
    return Array.from({ length }, (_, at) => from + BigInt(at) * step);
  },
};

const arity: Readonly<Record<string, number>> = { timestamp_trunc: 1, generate_timestamp_array: 3 };

const unitMicros: Readonly<Record<string, bigint>> = {
  microsecond: 1n,
  millisecond: 1_000n,
  second: 1_000_000n,
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: 86_400_000_000n,
};

/** @param name of the macro, its date-part included */
export function timeExpressionOfCall(name: string, args: readonly Sql[]): TimeExpression | undefined {
  const [, operation = '', part = ''] = /^(\w+)_([a-z]+)$/.exec(name) ?? [];
  const [call, unit] = [operations[operation], unitMicros[part]];
  const [only, ...more] = args;
  if (name === 'timestamp' && only?.timeExpression && more.length === 0)
    return timeExpressionOfTimestamp(only.timeExpression);
  if (!call || unit === undefined || args.length !== (arity[operation] ?? 2)) return undefined;
  return withAll(args, (values) => {
    if (values.includes(null)) return null;
    const numbers = values.filter((value) => typeof value === 'bigint');
    return numbers.length === values.length ? call(unit, ...numbers) : undefined;
  });
}

/** NULL where two texts are the same, else the first. */
export const timeExpressionOfNullIf = (args: readonly Sql[]): TimeExpression | undefined =>
  withAll(args, ([one, other]) => {
    if (typeof one !== 'string' || typeof other !== 'string') return undefined;
    return one === other ? null : one;
  });

/** The first value that is not NULL. */
export const timeExpressionOfCoalesce = (args: readonly Sql[]): TimeExpression | undefined =>
  withAll(args, (values) => values.find((value) => value !== null) ?? null);

/** `TIMESTAMP(text)`, and a literal's text, in the forms that have one meaning everywhere. */
const timeExpressionOfTimestamp =
  (text: TimeExpression): TimeExpression =>
  (run) => {
    const value = text(run);
    return typeof value === 'string' ? parseMicros(value) : value === null ? null : undefined;
  };

const timestampPattern = /^(?!0000)(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00(?::00)?)?$/;

export function parseMicros(text: string): bigint | undefined {
  const [, day, clock, fraction = ''] = timestampPattern.exec(text) ?? [];
  const moment = new Date(`${day}T${clock}Z`);
  // Dates roll over: the 30th of February is a day in March.
  if (Number.isNaN(moment.getTime()) || moment.toISOString() !== `${day}T${clock}.000Z`) return undefined;
  return BigInt(moment.getTime()) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** @returns undefined where one of the arguments is none, or is not known */
function withAll(
  args: readonly Sql[],
  make: (values: readonly TimeValue[]) => TimeValue | undefined,
): TimeExpression | undefined {
  const expressions = args.flatMap(({ timeExpression }) => timeExpression ?? []);
  if (expressions.length !== args.length) return undefined;
  return (run) => {
    const values = expressions.map((expression) => expression(run));
    return values.every((value) => value !== undefined) ? make(values) : undefined;
  };
}
