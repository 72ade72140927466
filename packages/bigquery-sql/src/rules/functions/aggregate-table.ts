import { boolLiteral, call, caseWhen, nullLiteral, operation } from '../../tree/build.ts';
import { arrayOf, describeType, isScalar, structOf } from '../../types.ts';
import { isCollated, sortKeyOf } from '../collation.ts';
import { isGroupable, isGroupableAnywhere } from '../queries/after-grouping.ts';
import { orderedKey } from '../expressions/sort-order.ts';
import { Unsupported } from '../unsupported.ts';
import {
  type Aggregate,
  arrayOfFirst,
  bool,
  float64,
  int64,
  isFloat,
  isNotANumber,
  isOrdered,
  nan,
  plain,
  typeOfFirst,
} from './aggregates/aggregate.ts';
import { arrayAgg, stringAgg } from './aggregates/lists.ts';
import {
  navigation,
  numbering,
  outermostValue,
  ranking,
  requireCount,
  shifted,
} from './aggregates/numbering.ts';
import { fractions, percentile } from './aggregates/quantiles.ts';
import { pairStatistic, statistic } from './aggregates/statistics.ts';
import { avg, sum } from './aggregates/sums.ts';
import { topSum } from './aggregates/top-sum.ts';

const bits = (name: string): Aggregate => plain(name, () => int64, { takes: int64 });

/** MAX_BY and MIN_BY: the first argument where the second one is the greatest or least. */
const firstBy = (shown: string, name: string): Aggregate =>
  plain(name, typeOfFirst, {
    arity: [2, 2],
    allows: [],
    build(rows, args, place) {
      const [value = nullLiteral(), key = nullLiteral()] = args;
      const { type } = key;
      if (!isOrdered(type)) throw new Unsupported(place, `${shown} does not compare ${describeType(type)}`);
      return rows.main(name, [value, orderedKey(key)], value.type);
    },
  });

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
    takesFirst: isOrdered,
    build(rows, args) {
      const [arg] = args;
      if (arg && isCollated(arg.type)) return rows.main('arg_min', [arg, sortKeyOf(arg)], arg.type);
      const value = rows.main('min', args, typeOfFirst(args));
      if (!arg || !isFloat(arg)) return value;
      return caseWhen(rows.other('bool_or', [isNotANumber(arg)], bool), nan, value);
    },
  }),
  // In DuckDB NaN is the greatest number, so it is the result as in BigQuery.
  max: plain('max', typeOfFirst, {
    takesFirst: isOrdered,
    build(rows, args) {
      const [arg] = args;
      if (arg && isCollated(arg.type)) return rows.main('arg_max', [arg, sortKeyOf(arg)], arg.type);
      return rows.main('max', args, typeOfFirst(args));
    },
  }),
  any_value: plain('any_value', typeOfFirst, { allows: ['distinct', 'having'] }),
  max_by: firstBy('MAX_BY', 'arg_max_null'),
  min_by: firstBy('MIN_BY', 'arg_min_null'),
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
    ...plain('count', () => int64, { allows: ['having'], takesFirst: isGroupableAnywhere }),
    build: (rows, args) => rows.distinct('count', args, int64),
  },
  approx_quantiles: {
    arity: [2, 2],
    result: arrayOfFirst,
    allows: ['distinct', 'nulls', 'having'],
    takesFirst: isOrdered,
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
    takesFirst: isGroupable,
    build(rows, args, place) {
      const [value = nullLiteral(), n = nullLiteral()] = args;
      if (isScalar(value.type, 'INTERVAL'))
        throw new Unsupported(place, 'APPROX_TOP_COUNT of INTERVAL is not supported: GROUP BY it');
      const most = requireCount(place, 'approx_top_count', n, 1n);
      const nulls = operation(
        '-',
        [rows.other('count', [], int64), rows.other('count', [value], int64)],
        int64,
      );
      const type = this.result(args);
      if (!isFloat(value)) return call('bq.top_count', [rows.main('histogram', [value]), nulls, most], type);
      const number = caseWhen(isNotANumber(value), nullLiteral(value.type), value);
      const nans = operation('-', [rows.other('count', [value]), rows.other('count', [number])], int64);
      return call('bq.top_count_floats', [rows.main('histogram', [number]), nulls, nans, most], type);
    },
  },
  approx_top_sum: topSum,
  row_number: numbering('row_number'),
  rank: ranking('rank'),
  dense_rank: ranking('dense_rank'),
  percent_rank: ranking('percent_rank', float64),
  cume_dist: ranking('cume_dist', float64),
  ntile: numbering('ntile', {
    arity: [1, 1],
    windowOrder: 'required',
    build(rows, args, place) {
      return rows.main('ntile', [requireCount(place, 'ntile', args[0] ?? nullLiteral(), 1n)], int64);
    },
  }),
  lag: shifted('lag'),
  lead: shifted('lead'),
  first_value: outermostValue('first_value'),
  last_value: outermostValue('last_value'),
  nth_value: navigation('nth_value', {
    arity: [2, 2],
    build(rows, args, place) {
      const [value = nullLiteral(), at = nullLiteral()] = args;
      return rows.main('nth_value', [value, requireCount(place, 'nth_value', at, 1n)], value.type);
    },
  }),
  percentile_cont: percentile('percentile_cont'),
  percentile_disc: percentile('percentile_disc'),
};
