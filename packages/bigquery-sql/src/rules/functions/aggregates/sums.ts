import {
  and,
  call,
  caseWhen,
  castTo,
  compareWith,
  literal,
  nullLiteral,
  operation,
} from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { isScalar } from '../../../types.ts';
import { bindValues } from '../../bind-values.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import {
  type Aggregate,
  bool,
  fail,
  float64,
  int64,
  isFloat,
  plain,
  type Rows,
  typeOfFirst,
} from './aggregate.ts';

export const sum: Aggregate = plain('sum', typeOfFirst, {
  build(rows, args, place) {
    const [arg] = args;
    const type = typeOfFirst(args);
    if (!arg) return nullLiteral(int64);
    if (!isScalar(type, 'INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC', 'INTERVAL') && type.kind !== 'unknown')
      throw new Unsupported(place, 'SUM takes numbers');
    if (isScalar(type, 'INTERVAL')) return call('bq.interval_of', intervalSums(rows, arg, place), type);
    // In a window, sums of parts that no row shows may be beyond DECIMAL.
    if (isScalar(type, 'NUMERIC') && rows.isWindow)
      return call('bq.numeric_total', numericSums(rows, arg), type);
    const value = rows.main('sum', args, type);
    if (isScalar(type, 'INT64')) return castTo(value, int64, 'BIGINT');
    if (isScalar(type, 'NUMERIC'))
      return bindValues([castTo(value, type)], (total = value) => call('bq.numeric_sum', [total], type));
    if (isScalar(type, 'BIGNUMERIC')) return call('bq.bignumeric_sum', [value], type);
    if (!isFloat(arg)) return value;
    // Zero times an infinite value, or times NaN, is NaN: so this sum shows whether there is one, at half the cost of another aggregate.
    const zero = literal(float64, '0');
    const zeros = rows.other('sum', [operation('*', [arg, zero], float64)], float64);
    const isOverflow = and([call('isinf', [value], bool), compareWith('=', zeros, zero)]);
    return caseWhen(isOverflow, fail('double overflow', type), value);
  },
});

/** The sum of the small values, and in billionths the sum of the others; a sum of no values is NULL. */
const numericSums = (rows: Rows, arg: Expression): readonly Expression[] => [
  castTo(rows.main('sum', [call('bq.numeric_small', [arg], arg.type)], arg.type), arg.type),
  rows.main('sum', [call('bq.numeric_large', [arg])]),
];

export const avg: Aggregate = plain(
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
        return call('bq.numeric_average', [...numericSums(rows, arg), count], arg.type);
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
