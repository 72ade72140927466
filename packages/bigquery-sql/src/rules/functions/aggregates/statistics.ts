import {
  and,
  call,
  caseWhen,
  castTo,
  compareWith,
  integerLiteral,
  literal,
  not,
  nullLiteral,
  operation,
  textLiteral,
} from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { arrayOf, isScalar, unknown } from '../../../types.ts';
import { convert, supertype } from '../../coercion.ts';
import { Unsupported } from '../../unsupported.ts';
import {
  type Aggregate,
  bool,
  float64,
  int64,
  isFiniteNumber,
  isNumeric,
  nan,
  type Rows,
  usual,
} from './aggregate.ts';

/** STDDEV and VAR. DuckDB fails for NaN, infinities and numbers whose squares are beyond FLOAT64. */
export const statistic = (name: string, least: number): Aggregate => ({
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
export const pairStatistic = (
  name: string,
  least: number,
  ofOne: Expression = nullLiteral(float64),
): Aggregate => ({
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
