import { isEqual } from '../../tree/equal.ts';
import { macroName } from '../../tree/macro-name.ts';
import type { Case, Element, Expression } from '../../tree/nodes.ts';
import { nowParameter } from '../../tree/own-parameters.ts';
import { isScalar } from '../../types.ts';

/**
 * The value of a time expression: an INT64, a TIMESTAMP in microseconds since the epoch, a STRING, an
 * ARRAY<TIMESTAMP>, or NULL.
 */
export type TimeValue = bigint | string | readonly bigint[] | null;

/** The values that are available when a query runs. */
export interface RunValues {
  /** The value of CURRENT_TIMESTAMP(), in microseconds since the epoch. */
  readonly now: bigint;
  /** The value of a parameter; undefined if it is of a type that no time expression has. */
  parameter(name: string): TimeValue | undefined;
}

/**
 * Computes the value of an expression for a run without the database; undefined if only the database can. Queries use
 * such expressions for the bounds of their time windows, so they are needed for each run.
 */
export type TimeExpression = (run: RunValues) => TimeValue | undefined;

/** The values that are computed before an expression, by the parameter of its lambda: one, or a row of several. */
type Locals = ReadonlyMap<number, TimeExpression | readonly TimeExpression[]>;

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

const noLocals: Locals = new Map();

/** The time expression that computes a value; undefined if only the database can. */
export function timeExpressionOf(node: Expression, locals = noLocals): TimeExpression | undefined {
  switch (node.kind) {
    case 'local': {
      const value = locals.get(node.id);
      return typeof value === 'function' ? value : undefined;
    }
    case 'element':
      return timeExpressionOfElement(node, locals);
    case 'parameter':
      return node.name === nowParameter ? ({ now }) => now : (run) => run.parameter(node.name);
    case 'literal': {
      const { type, value } = node;
      if (value === null) return () => null;
      if (typeof value === 'bigint' || isScalar(type, 'STRING')) return () => value as bigint | string;
      return isScalar(type, 'TIMESTAMP') ? () => parseMicros(String(value)) : undefined;
    }
    case 'call':
      return timeExpressionOfCall(node.function, node.args, locals);
    case 'case':
      return timeExpressionOfNullIf(node, locals);
    default:
      return undefined;
  }
}

/**
 * A value of a row that is computed first, or the one element of `list_transform([value], lambda name: …)` or
 * `list_transform([row(value, …)], lambda name: …)`, whose values are computed once.
 */
function timeExpressionOfElement({ of, index }: Element, locals: Locals): TimeExpression | undefined {
  if (of.kind === 'local') {
    const row = locals.get(of.id);
    return typeof row === 'object' ? row[index - 1] : undefined;
  }
  if (index !== 1 || of.kind !== 'call' || of.function !== 'list_transform') return undefined;
  const [values, lambda] = of.args;
  if (values?.kind !== 'list' || lambda?.kind !== 'lambda') return undefined;
  const [value, another] = values.items;
  const [parameter] = lambda.parameters;
  const computed = value && !another ? timeExpressionsOf(value, locals) : undefined;
  if (!computed || parameter === undefined) return undefined;
  return timeExpressionOf(lambda.body, new Map([...locals, [parameter, computed]]));
}

function timeExpressionsOf(
  value: Expression,
  locals: Locals,
): TimeExpression | readonly TimeExpression[] | undefined {
  if (value.kind !== 'call' || value.function !== 'row') return timeExpressionOf(value, locals);
  const row = value.args.flatMap((item) => timeExpressionOf(item, locals) ?? []);
  return row.length === value.args.length ? row : undefined;
}

function timeExpressionOfCall(
  callee: string,
  args: readonly Expression[],
  locals: Locals,
): TimeExpression | undefined {
  if (callee === 'coalesce')
    return withAll(args, locals, (values) => values.find((value) => value !== null) ?? null);
  const name = macroName(callee) ?? '';
  const [, operation = '', part = ''] = /^(\w+)_([a-z]+)$/.exec(name) ?? [];
  const [call, unit] = [operations[operation], unitMicros[part]];
  if ((name === 'timestamp' || name === 'cast_timestamp') && args.length === 1)
    return withAll(args, locals, ([text]) => {
      if (text === null) return null;
      return typeof text === 'string' ? parseMicros(text) : undefined;
    });
  if (!call || unit === undefined || args.length !== (arity[operation] ?? 2)) return undefined;
  return withAll(args, locals, (values) => {
    if (values.includes(null)) return null;
    const numbers = values.filter((value) => typeof value === 'bigint');
    return numbers.length === values.length ? call(unit, ...numbers) : undefined;
  });
}

/** NULLIF of texts: `CASE WHEN a = b THEN NULL ELSE a END`. */
function timeExpressionOfNullIf(
  { branches: [branch, another], otherwise }: Case,
  locals: Locals,
): TimeExpression | undefined {
  if (!branch || another || !otherwise || branch.when.kind !== 'operation') return undefined;
  const { operator, operands } = branch.when;
  const [one, other] = operands;
  const isNullIf =
    operator === '=' &&
    one !== undefined &&
    other !== undefined &&
    isEqual(one, otherwise) &&
    branch.result.kind === 'literal' &&
    branch.result.value === null;
  if (!isNullIf) return undefined;
  return withAll([one, other], locals, ([value, compared]) => {
    if (typeof value !== 'string' || typeof compared !== 'string') return undefined;
    return value === compared ? null : value;
  });
}

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
  args: readonly Expression[],
  locals: Locals,
  combine: (values: readonly TimeValue[]) => TimeValue | undefined,
): TimeExpression | undefined {
  const expressions = args.flatMap((arg) => timeExpressionOf(arg, locals) ?? []);
  if (expressions.length !== args.length) return undefined;
  return (run) => {
    const values = expressions.map((expression) => expression(run));
    return values.every((value) => value !== undefined) ? combine(values) : undefined;
  };
}
