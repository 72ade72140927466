/**
 * The value of a time expression: an INT64, a TIMESTAMP in microseconds since the epoch, a STRING, an
 * ARRAY<TIMESTAMP>, or NULL.
 */
export type TimeValue = bigint | string | readonly bigint[] | null;

/** The values that are available when a query runs. */
export interface RunValues {
  /** The value of CURRENT_TIMESTAMP(), in microseconds since the epoch. */
  readonly now: bigint;
  /** The value of a parameter. */
  parameter(name: string): string;
}

/**
 * Computes the value of an expression for a run without the database; undefined if only the database can. Queries use
 * such expressions for the bounds of their time windows, so they are needed for each run.
 */
export type TimeExpression = (run: RunValues) => TimeValue | undefined;

/** An argument from which a time expression can be composed. */
interface Operand {
  readonly timeExpression?: TimeExpression;
}

const [first, last] = [-62_135_596_800_000_000n, 253_402_300_799_999_999n];
const inRange = (micros: bigint) => (micros < first || micros > last ? undefined : micros);

/** The database computes longer arrays. */
const longestArray = 10_000n;

/** Timestamp arithmetic in UTC, from the length of the date part in microseconds and the arguments. */
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

/** @param name of the macro, including its date part */
export function timeExpressionOfCall(name: string, args: readonly Operand[]): TimeExpression | undefined {
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

/** NULL if two texts are equal, otherwise the first. */
export const timeExpressionOfNullIf = (args: readonly Operand[]): TimeExpression | undefined =>
  withAll(args, ([one, other]) => {
    if (typeof one !== 'string' || typeof other !== 'string') return undefined;
    return one === other ? null : one;
  });

/** The first value that is not NULL. */
export const timeExpressionOfCoalesce = (args: readonly Operand[]): TimeExpression | undefined =>
  withAll(args, (values) => values.find((value) => value !== null) ?? null);

/** `TIMESTAMP(text)`, for texts that both engines read alike. */
const timeExpressionOfTimestamp =
  (text: TimeExpression): TimeExpression =>
  (run) => {
    const value = text(run);
    return typeof value === 'string' ? parseMicros(value) : value === null ? null : undefined;
  };

const timestampPattern = /^(?!0000)(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|\+00(?::00)?)?$/;

/** Microseconds since the epoch; undefined if the text is not a valid timestamp in UTC. */
export function parseMicros(text: string): bigint | undefined {
  const [, day, clock, fraction = ''] = timestampPattern.exec(text) ?? [];
  const date = new Date(`${day}T${clock}Z`);
  // JavaScript rolls dates over: 30 February becomes a day in March.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== `${day}T${clock}.000Z`) return undefined;
  return BigInt(date.getTime()) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

/** @returns undefined if an argument is not a time expression */
function withAll(
  args: readonly Operand[],
  combine: (values: readonly TimeValue[]) => TimeValue | undefined,
): TimeExpression | undefined {
  const expressions = args.flatMap(({ timeExpression }) => timeExpression ?? []);
  if (expressions.length !== args.length) return undefined;
  return (run) => {
    const values = expressions.map((expression) => expression(run));
    return values.every((value) => value !== undefined) ? combine(values) : undefined;
  };
}
