import {
  and,
  boolLiteral,
  call,
  caseWhen,
  castTo,
  compareWith,
  field,
  integerLiteral,
  list,
  literal,
  not,
  nullLiteral,
  operation,
  struct,
  textLiteral,
} from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { arrayOf, isScalar, scalar, structOf, type Type, unknown } from '../../types.ts';
import { bindValues } from '../bind-values.ts';
import { convert, distance, supertype } from '../coercion.ts';
import { dependsOnRows, isConstant } from '../expressions/parameters.ts';
import { callMacro } from '../macro-call.ts';
import { type Place, Unsupported } from '../unsupported.ts';

/** What may stand inside the parentheses of a call. */
export type Clause = 'distinct' | 'order' | 'limit' | 'having' | 'nulls';

/** Aggregates the rows of a call by a function of DuckDB. */
export interface Rows {
  /** IGNORE NULLS or RESPECT NULLS, as written. */
  readonly nulls: 'IGNORE' | 'RESPECT' | undefined;
  readonly isDistinct: boolean;
  /** Whether the call has OVER. */
  readonly isWindow: boolean;
  /** The aggregate itself, with the DISTINCT, ORDER BY and LIMIT of the call. */
  main(name: string, args: readonly Expression[], type?: Type): Expression;
  /** Like `main`, without rows whose first argument is NULL. */
  withoutNulls(name: string, args: readonly Expression[], type?: Type): Expression;
  /** Like `main`, with DISTINCT. */
  distinct(name: string, args: readonly Expression[], type?: Type): Expression;
  /** Another aggregate over the same rows, without DISTINCT, ORDER BY and LIMIT. */
  other(name: string, args: readonly Expression[], type?: Type): Expression;
}

/** How one aggregate or window function is translated. */
export interface Aggregate {
  readonly arity: readonly [least: number, most: number];
  result(args: readonly Expression[]): Type;
  /** The type of every argument; any type if absent. */
  readonly takes?: Type;
  /** The clauses that it allows. */
  readonly allows?: readonly Clause[];
  /** True for functions that exist only with OVER. */
  readonly window?: true;
  /** Whether the window needs or refuses an ORDER BY; either way is fine if absent. */
  readonly windowOrder?: 'required' | 'refused';
  /** True if the window must not have a frame. */
  readonly noFrame?: true;
  build(rows: Rows, args: readonly Expression[], place: Place): Expression;
}

const [int64, float64, bool, string] = [scalar('INT64'), scalar('FLOAT64'), scalar('BOOL'), scalar('STRING')];
const typeOfFirst = ([arg]: readonly Expression[]): Type => arg?.type ?? unknown;
const arrayOfFirst = (args: readonly Expression[]): Type => arrayOf(typeOfFirst(args));
const isNumeric = (value: Expression | undefined): boolean =>
  value !== undefined && isScalar(value.type, 'NUMERIC', 'BIGNUMERIC');
const isFloat = (value: Expression | undefined): boolean =>
  value !== undefined && isScalar(value.type, 'FLOAT64');

const usual: readonly Clause[] = ['distinct', 'having'];
const nan = literal(float64, 'nan');
const fail = (message: string, type: Type) => call('bq.fail', [textLiteral(message)], type);
const isFiniteNumber = (value: Expression) => call('isfinite', [value], bool);
const isNotANumber = (value: Expression) => call('isnan', [value], bool);

/** An aggregate that DuckDB has, too, with the same result. */
const plain = (name: string, result: Aggregate['result'], more: Partial<Aggregate> = {}): Aggregate => ({
  arity: [1, 1],
  result,
  allows: usual,
  build: (rows, args) => rows.main(name, args, result(args)),
  ...more,
});

const sum: Aggregate = plain('sum', typeOfFirst, {
  build(rows, args, place) {
    const [arg] = args;
    const type = typeOfFirst(args);
    if (!arg) return nullLiteral(int64);
    if (!isScalar(type, 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'INTERVAL') && type.kind !== 'unknown')
      throw new Unsupported(place, 'SUM takes numbers');
    if (isScalar(type, 'INTERVAL')) return call('bq.interval_of', intervalSums(rows, arg, place), type);
    // In a window, sums of parts that no row shows may be beyond DECIMAL.
    if (isScalar(type, 'NUMERIC') && rows.isWindow)
      return call('bq.numeric_of_units', [sumOfUnits(rows, arg)], type);
    const value = rows.main('sum', args, type);
    if (isScalar(type, 'INT64')) return castTo(value, int64, 'BIGINT');
    if (isScalar(type, 'NUMERIC'))
      return bindValues([castTo(value, type)], (total = value) => call('bq.numeric_sum', [total], type));
    if (isScalar(type, 'BIGNUMERIC')) return call('bq.bignumeric_sum', [value], type);
    if (!isFloat(arg)) return value;
    const isInfinite = (of: Expression) => call('isinf', [of], bool);
    const anyInfinite = rows.other('bool_or', [isInfinite(arg)], bool);
    return caseWhen(and([isInfinite(value), not(anyInfinite)]), fail('double overflow', type), value);
  },
});

const sumOfUnits = (rows: Rows, arg: Expression): Expression =>
  rows.main('sum', [call('bq.numeric_units', [arg])]);

const avg: Aggregate = plain(
  'avg',
  ([arg]) => (arg && isScalar(arg.type, 'NUMERIC', 'BIGNUMERIC', 'INTERVAL') ? arg.type : float64),
  {
    build(rows, args, place) {
      const [arg] = args;
      if (!arg || !isScalar(arg.type, 'INTERVAL', 'NUMERIC', 'BIGNUMERIC'))
        return rows.main('avg', args, float64);
      const count = rows.main('count', [arg], int64);
      if (isScalar(arg.type, 'INTERVAL'))
        return call('bq.interval_average', [...intervalSums(rows, arg, place), count], arg.type);
      if (isScalar(arg.type, 'NUMERIC'))
        return call('bq.numeric_average', [sumOfUnits(rows, arg), count], arg.type);
      return call('bq.bignumeric_average', [rows.main('sum', args, arg.type), count], arg.type);
    },
  },
);

/** The sums of the parts of intervals: months, days and microseconds. */
function intervalSums(rows: Rows, arg: Expression, place: Place): readonly Expression[] {
  // Equal intervals may have different parts.
  if (rows.isDistinct) throw new Unsupported(place, 'DISTINCT is not supported for INTERVAL');
  return ['interval_months', 'interval_days', 'interval_micros'].map((part) =>
    castTo(rows.main('sum', [call(`bq.${part}`, [arg], int64)], int64), int64),
  );
}

/** STDDEV and VAR. DuckDB fails for NaN, infinities and numbers whose squares are beyond FLOAT64. */
const statistic = (name: string, least: number): Aggregate => ({
  arity: [1, 1],
  result: () => float64,
  allows: usual,
  build(rows, [arg = nullLiteral()], place) {
    if (arg.type.kind === 'null') return nullLiteral(float64);
    if (isNumeric(arg)) return numericStatistic(rows, name, arg);
    if (!isScalar(arg.type, 'INT64', 'FLOAT64') && arg.type.kind !== 'unknown')
      throw new Unsupported(place, 'expected a number');
    const number = castTo(arg, float64);
    if (isScalar(arg.type, 'INT64')) return rows.main(name, [number], float64);
    const size = call('abs', [number], float64);
    const largest = rows.other('max', [size], float64);
    const isUsual = (value: Expression) => compareWith('<=', value, literal(float64, '1e140'));
    const usual = rows.main(name, [caseWhen(isUsual(size), number)], float64);
    const small = rows.main(name, [caseWhen(isFiniteNumber(number), times(number, shrinking))], float64);
    const once = times(small, growing);
    const scaled = name.startsWith('var') ? times(once, growing) : once;
    const defined = caseWhen(isUsual(largest), usual, caseWhen(isFiniteNumber(largest), scaled, nan));
    return caseWhen(compareWith('>=', rows.main('count', [number], int64), integerLiteral(least)), defined);
  },
});

const times = (value: Expression, factor: Expression) => operation('*', [value, factor], float64);
/** 2 to the power of -532 and 532: multiplying by them is exact. */
const [shrinking, growing] = [literal(float64, String(2 ** -532)), literal(float64, String(2 ** 532))];

/** Computed exactly, from a list of the values. */
const numericStatistic = (rows: Rows, name: string, arg: Expression): Expression => {
  const macro = isScalar(arg.type, 'NUMERIC') ? 'numeric_statistic' : 'bignumeric_statistic';
  return call(
    `bq.${macro}`,
    [rows.withoutNulls('list', [arg], arrayOf(arg.type)), textLiteral(name)],
    float64,
  );
};

/** CORR and COVAR: infinities make the result NaN. */
const pairStatistic = (name: string, least: number, ofOne: Expression = nullLiteral(float64)): Aggregate => ({
  arity: [2, 2],
  result: () => float64,
  allows: ['distinct'],
  build(rows, args, place) {
    const type = supertype(args) ?? unknown;
    if (
      type.kind !== 'null' &&
      type.kind !== 'unknown' &&
      !isScalar(type, 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC')
    )
      throw new Unsupported(place, `${name.toUpperCase()} takes numbers`);
    if (isScalar(type, 'NUMERIC', 'BIGNUMERIC') && !rows.isDistinct) {
      const macro = isScalar(type, 'NUMERIC') ? 'numeric_pair_statistic' : 'bignumeric_pair_statistic';
      const lists = args.map((arg) => rows.main('list', [convert(arg, type)], arrayOf(type)));
      return call(`bq.${macro}`, [...lists, textLiteral(name)], float64);
    }
    const [x = nullLiteral(), y = nullLiteral()] = args.map((arg) => convert(arg, float64));
    const finite = and([isFiniteNumber(x), isFiniteNumber(y)]);
    const value = rows.main(name, [caseWhen(finite, x), caseWhen(finite, y)], float64);
    const count = rows.other('regr_count', [x, y], int64);
    const isUndefined = rows.other('bool_or', [not(finite)], bool);
    const enough = compareWith('>=', count, integerLiteral(least));
    return caseWhen(enough, caseWhen(isUndefined, nan, value), ofOne);
  },
});

const bits = (name: string): Aggregate => plain(name, () => int64, { takes: int64 });

const numbering = (name: string, more: Partial<Aggregate> = {}): Aggregate =>
  plain(name, () => int64, { arity: [0, 0], window: true, noFrame: true, allows: [], ...more });

const ranking = (name: string, result: Type = int64): Aggregate =>
  numbering(name, {
    result: () => result,
    windowOrder: 'required',
    build: (rows) => rows.main(name, [], result),
  });

const navigation = (name: string, more: Partial<Aggregate> = {}): Aggregate =>
  plain(name, typeOfFirst, { window: true, windowOrder: 'required', allows: ['nulls'], ...more });

/** LAG and LEAD. */
const shifted = (name: string): Aggregate =>
  navigation(name, {
    arity: [1, 3],
    noFrame: true,
    allows: [],
    build(rows, args, place) {
      const [value = nullLiteral(), offset, otherwise] = args;
      if (offset) requireCount(place, name, offset, 0n);
      if (otherwise && dependsOnRows(otherwise))
        throw new Unsupported(place, `the default of ${name.toUpperCase()} must be a constant`);
      if (otherwise && distance(otherwise, value.type) === undefined)
        throw new Unsupported(place, `the default of ${name.toUpperCase()} must have the type of its value`);
      const converted = otherwise ? [convert(otherwise, value.type)] : [];
      return rows.main(name, [value, ...(offset ? [offset] : []), ...converted], value.type);
    },
  });

/** @throws Unsupported if a count is known to be NULL or less than allowed */
function requireCount(place: Place, name: string, count: Expression, least: bigint): void {
  const shown = name.toUpperCase();
  if (!isScalar(count.type, 'INT64') && count.type.kind !== 'null')
    throw new Unsupported(place, `the number in ${shown} must be INT64`);
  if (!isConstant(count))
    throw new Unsupported(place, `the number in ${shown} must be a literal or a parameter`);
  if (count.kind === 'literal' && (count.value === null || BigInt(count.value) < least))
    throw new Unsupported(place, `the number in ${shown} must be at least ${least}`);
}

const arrayAgg: Aggregate = plain('list', arrayOfFirst, {
  allows: ['distinct', 'order', 'limit', 'having', 'nulls'],
  build(rows, args, place) {
    if (typeOfFirst(args).kind === 'array')
      throw new Unsupported(place, 'an array cannot contain arrays: wrap the inner ones in a STRUCT');
    return rows.main('list', args, arrayOfFirst(args));
  },
});

const stringAgg: Aggregate = {
  arity: [1, 2],
  result: (args) => (args.some(({ type }) => isScalar(type, 'BYTES')) ? scalar('BYTES') : string),
  allows: ['distinct', 'order', 'limit', 'having'],
  build(rows, args, place) {
    const [value = nullLiteral(), delimiter] = args;
    const types: readonly Type[] = args.map(({ type }) => type);
    const isBytes = types.some((type) => isScalar(type, 'BYTES'));
    const type = scalar(isBytes ? 'BYTES' : 'STRING');
    if (!types.every((given) => isScalar(given, isBytes ? 'BYTES' : 'STRING') || given.kind === 'null'))
      throw new Unsupported(place, 'STRING_AGG takes STRING or BYTES');
    const isText = delimiter === undefined || delimiter.kind === 'literal';
    if (delimiter && (!isConstant(delimiter) || (delimiter.kind === 'literal' && delimiter.value === null)))
      throw new Unsupported(place, 'the delimiter of STRING_AGG must be a literal or a parameter, not NULL');
    const values = rows.withoutNulls('list', [value], arrayOf(type));
    const separator = delimiter ?? (isBytes ? literal(type, '2c') : textLiteral(','));
    // DuckDB's function takes constant delimiters only.
    if (isText && !isBytes) return call('array_to_string', [values, separator], type);
    return callMacro(place, 'array_to_string', [values, separator], 'STRING_AGG');
  },
};

/** The n + 1 boundaries of n parts, as fractions. Exact quantiles replace approximate ones. */
function fractions(place: Place, parts: Expression | undefined): Expression {
  if (
    parts?.kind !== 'literal' ||
    typeof parts.value !== 'bigint' ||
    parts.value < 1n ||
    parts.value > 100_000n
  )
    throw new Unsupported(
      place,
      'the second argument of APPROX_QUANTILES must be a positive integer literal',
    );
  const count = Number(parts.value);
  return list(
    Array.from({ length: count + 1 }, (_, index) => literal(float64, String(index / count))),
    arrayOf(float64),
  );
}

/** PERCENTILE_CONT and PERCENTILE_DISC, over the values in BigQuery's order: NULL, then NaN, then the others. */
const percentile = (name: 'percentile_cont' | 'percentile_disc'): Aggregate => ({
  arity: [2, 2],
  result: ([value, fraction]) => {
    if (value && name === 'percentile_disc') return value.type;
    return isNumeric(value) && isNumeric(fraction) ? scalar('NUMERIC') : float64;
  },
  allows: ['nulls'],
  window: true,
  windowOrder: 'refused',
  noFrame: true,
  build(rows, args, place) {
    const [value = nullLiteral(), fraction = nullLiteral()] = args;
    requireFraction(place, name, fraction);
    const type = this.result(args);
    const used = name === 'percentile_cont' ? castTo(value, type) : value;
    const isNumericResult = name === 'percentile_cont' && isScalar(type, 'NUMERIC');
    if (rows.nulls !== 'RESPECT' && fraction.kind === 'literal' && !isNumericResult)
      return quantile(rows, name, used, Number(fraction.value));
    const values =
      rows.nulls === 'RESPECT'
        ? rows.main('list', [used], arrayOf(used.type))
        : rows.withoutNulls('list', [used], arrayOf(used.type));
    const sorted = call(isFloat(used) ? 'bq.sorted_floats' : 'bq.sorted_values', [values], values.type);
    return call(`bq.${name}_of${isNumericResult ? '_numeric' : ''}`, [sorted, fraction], type);
  },
});

/** By DuckDB's quantiles, which ignore NULL and take NaN for the greatest number. */
function quantile(rows: Rows, name: string, value: Expression, fraction: number): Expression {
  const { type } = value;
  const at = (share: number) => literal(float64, String(share));
  const quantileOf = (of: Expression, share: number) =>
    rows.main(name === 'percentile_cont' ? 'quantile_cont' : 'quantile_disc', [of, at(share)], of.type);
  if (!isFloat(value)) return quantileOf(value, fraction);
  const negative = (of: Expression) => operation('-', [of], type);
  const hasNaN = rows.other('bool_or', [isNotANumber(value)], bool);
  if (name === 'percentile_cont')
    return caseWhen(hasNaN, negative(quantileOf(negative(value), 1 - fraction)), quantileOf(value, fraction));
  const ranked = struct([
    { name: 'rank', value: not(isNotANumber(value)) },
    { name: 'value', value },
  ]);
  const found = quantileOf(caseWhen(operation('IS NOT NULL', [value]), ranked), fraction);
  return caseWhen(hasNaN, field(found, 'value', type), quantileOf(value, fraction));
}

function requireFraction(place: Place, name: string, fraction: Expression): void {
  const shown = name.toUpperCase();
  if (!isScalar(fraction.type, 'INT64', 'FLOAT64', 'NUMERIC') || !isConstant(fraction))
    throw new Unsupported(
      place,
      `the fraction of ${shown} must be a number from 0 to 1, as literal or parameter`,
    );
  if (fraction.kind !== 'literal') return;
  const number = Number(fraction.value ?? Number.NaN);
  if (!(number >= 0 && number <= 1))
    throw new Unsupported(place, `the fraction of ${shown} must be from 0 to 1`);
}

/** Every aggregate and window function, by BigQuery's name in lower case. */
export const aggregates: Readonly<Record<string, Aggregate>> = {
  count: plain('count', () => int64, { arity: [0, 1] }),
  countif: plain('count', () => int64, {
    takes: bool,
    // DuckDB's count_if is a sum, which is NULL if every condition is NULL.
    build: (rows, [condition = nullLiteral()]) =>
      rows.main('count', [call('nullif', [condition, boolLiteral(false)], bool)], int64),
  }),
  sum,
  avg,
  min: plain('min', typeOfFirst, {
    build(rows, args) {
      const [arg] = args;
      const value = rows.main('min', args, typeOfFirst(args));
      if (!arg || !isFloat(arg)) return value;
      return caseWhen(rows.other('bool_or', [isNotANumber(arg)], bool), nan, value);
    },
  }),
  // In DuckDB NaN is the greatest number, so it is the result as in BigQuery.
  max: plain('max', typeOfFirst),
  any_value: plain('any_value', typeOfFirst, { allows: ['distinct', 'having'] }),
  max_by: plain('arg_max_null', typeOfFirst, { arity: [2, 2], allows: [] }),
  min_by: plain('arg_min_null', typeOfFirst, { arity: [2, 2], allows: [] }),
  logical_and: plain('bool_and', () => bool, { takes: bool }),
  logical_or: plain('bool_or', () => bool, { takes: bool }),
  bit_and: bits('bit_and'),
  bit_or: bits('bit_or'),
  bit_xor: bits('bit_xor'),
  array_agg: arrayAgg,
  array_concat_agg: plain('list', typeOfFirst, {
    allows: ['order', 'limit', 'having'],
    build(rows, args, place) {
      const type = typeOfFirst(args);
      if (type.kind !== 'array' && type.kind !== 'unknown')
        throw new Unsupported(place, 'ARRAY_CONCAT_AGG takes an array');
      return call('flatten', [rows.withoutNulls('list', args, arrayOf(type))], type);
    },
  }),
  string_agg: stringAgg,
  stddev: statistic('stddev_samp', 2),
  stddev_samp: statistic('stddev_samp', 2),
  stddev_pop: statistic('stddev_pop', 1),
  variance: statistic('var_samp', 2),
  var_samp: statistic('var_samp', 2),
  var_pop: statistic('var_pop', 1),
  corr: pairStatistic('corr', 2),
  covar_pop: pairStatistic('covar_pop', 1),
  covar_samp: pairStatistic('covar_samp', 2),
  grouping: plain('grouping', () => int64, { allows: [] }),
  approx_count_distinct: {
    ...plain('count', () => int64, { allows: ['having'] }),
    build: (rows, args) => rows.distinct('count', args, int64),
  },
  approx_quantiles: {
    arity: [2, 2],
    result: arrayOfFirst,
    allows: ['distinct', 'nulls', 'having'],
    build(rows, args, place) {
      if (rows.nulls === 'RESPECT')
        throw new Unsupported(place, 'APPROX_QUANTILES with RESPECT NULLS is not supported');
      return rows.main(
        'quantile_disc',
        [args[0] ?? nullLiteral(), fractions(place, args[1])],
        arrayOfFirst(args),
      );
    },
  },
  approx_top_count: {
    arity: [2, 2],
    result: (args) =>
      arrayOf(
        structOf([
          { name: 'value', type: typeOfFirst(args) },
          { name: 'count', type: int64 },
        ]),
      ),
    allows: [],
    build(rows, args, place) {
      const [value = nullLiteral(), n = nullLiteral()] = args;
      requireCount(place, 'approx_top_count', n, 1n);
      const counts = rows.main('histogram', [value]);
      const nulls = operation(
        '-',
        [rows.other('count', [], int64), rows.other('count', [value], int64)],
        int64,
      );
      return call('bq.top_count', [counts, nulls, n], this.result(args));
    },
  },
  row_number: numbering('row_number'),
  rank: ranking('rank'),
  dense_rank: ranking('dense_rank'),
  percent_rank: ranking('percent_rank', float64),
  cume_dist: ranking('cume_dist', float64),
  ntile: numbering('ntile', {
    arity: [1, 1],
    windowOrder: 'required',
    build(rows, args, place) {
      requireCount(place, 'ntile', args[0] ?? nullLiteral(), 1n);
      return rows.main('ntile', args, int64);
    },
  }),
  lag: shifted('lag'),
  lead: shifted('lead'),
  first_value: navigation('first_value'),
  last_value: navigation('last_value'),
  nth_value: navigation('nth_value', {
    arity: [2, 2],
    build(rows, args, place) {
      requireCount(place, 'nth_value', args[1] ?? nullLiteral(), 1n);
      return rows.main('nth_value', args, typeOfFirst(args));
    },
  }),
  percentile_cont: percentile('percentile_cont'),
  percentile_disc: percentile('percentile_disc'),
};
