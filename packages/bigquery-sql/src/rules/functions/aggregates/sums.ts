import { isWorthComputingOnce } from '../../../macros/compute-once.ts';
import { planningCosts } from '../../../macros/macros.ts';
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
  or,
} from '../../../tree/build.ts';
import { macroName } from '../../../tree/macro-name.ts';
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
  isNumber,
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
      throw new Unsupported(
        place,
        isScalar(type, 'JSON')
          ? 'SUM takes numbers: write LAX_INT64(json) or LAX_FLOAT64(json)'
          : 'SUM takes numbers',
      );
    if (isScalar(type, 'INTERVAL')) return call('bq.interval_of', intervalSums(rows, arg, place), type);
    // In a window, sums of parts that no row shows may be beyond DECIMAL.
    if (isScalar(type, 'NUMERIC') && rows.isWindow)
      return call('bq.numeric_total', numericSums(rows, arg), type);
    const value = rows.main('sum', args, type);
    if (isScalar(type, 'INT64')) return castTo(value, int64, 'BIGINT');
    if (isScalar(type, 'NUMERIC'))
      return bindValues([castTo(value, type)], (total = value) => call('bq.numeric_sum', [total], type));
    if (isScalar(type, 'BIGNUMERIC')) return call('bq.bignumeric_sum', [value], type);
    return isFloat(arg) ? withinFloat('SUM', rows, arg, value) : value;
  },
});

/** A sum or an average of FLOAT64, which fails if it is infinite although no value is. */
function withinFloat(shown: string, rows: Rows, arg: Expression, value: Expression): Expression {
  if (magnitude(arg) + largestCount < 308) return value;
  const finite = areFinite(rows, arg);
  const checked = (total = value, areAll = finite) =>
    caseWhen(
      and([call('isinf', [total], bool), areAll]),
      fail(`${shown} of FLOAT64 overflows: the sum of some values is beyond it`, float64),
      total,
    );
  // DuckDB binds each copy of the argument before it finds that they are equal.
  const isLong = !rows.isWindow && isWorthComputingOnce(planningCosts.of(arg).size, 2, 'inQuery');
  return isLong ? bindValues([value, finite], checked) : checked();
}

/** An expression that is true if no value is infinite, although their sum is. */
function areFinite(rows: Rows, arg: Expression): Expression {
  const infinite = infiniteIn(arg);
  if (infinite) return not(rows.other('bool_or', [infinite], bool));
  // Zero times an infinite value, or times NaN, is NaN: so this sum shows whether there is one, at half the cost of another aggregate.
  const zero = literal(float64, '0');
  return compareWith('=', rows.other('sum', [operation('*', [arg, zero], float64)], float64), zero);
}

/**
 * When a value is infinite, by the column that it depends on: DuckDB mostly knows from the least and the greatest value
 * of a stored column that no row is. Undefined if more decides it.
 */
function infiniteIn(value: Expression): Expression | undefined {
  if (value.kind === 'column')
    return or(['inf', '-inf'].map((text) => compareWith('=', value, literal(float64, text))));
  if (value.kind !== 'call') return undefined;
  const [operand, divisor] = value.args;
  const infinite = operand && infiniteIn(operand);
  const name = macroName(value.function) ?? '';
  if (infinite && divisor && isInteger(divisor) && /^(op|safe)_divide$/.test(name))
    return and([infinite, compareWith('<>', divisor, integerLiteral(0))]);
  const isKept = /^(round|trunc)_at$/.test(name) || (!divisor && /^(op_negate|abs|round|trunc)$/.test(name));
  return isKept ? infinite : undefined;
}

/** The number of digits of the number of rows that an aggregate can have. */
const largestCount = 19;

/** The exponent of a power of ten that is greater than every value; infinite if that is not known. */
function magnitude(value: Expression): number {
  if (isScalar(value.type, 'INT64', 'NUMERIC')) return 30;
  switch (value.kind) {
    case 'literal':
      return Math.log10(Math.abs(Number(value.value))) + 1;
    case 'cast':
      return magnitude(value.value);
    case 'case':
      return Math.max(
        ...[...value.branches.map(({ result }) => result), ...(value.otherwise ? [value.otherwise] : [])].map(
          magnitude,
        ),
      );
    case 'call': {
      const [left = Number.POSITIVE_INFINITY, right = 0] = value.args.map(magnitude);
      const name = macroName(value.function) ?? '';
      if (/^op_(add|subtract)$/.test(name)) return Math.max(left, right) + 1;
      if (name === 'op_multiply') return left + right;
      if (/^(op|safe)_divide$/.test(name) && value.args[1] && isInteger(value.args[1])) return left;
      return /^(op_negate|abs|round|round_at)$/.test(name) ? left + 1 : Number.POSITIVE_INFINITY;
    }
    default:
      return Number.POSITIVE_INFINITY;
  }
}

const isInteger = (value: Expression): boolean =>
  isScalar((value.kind === 'cast' ? value.value : value).type, 'INT64');

/** The sum of the small values, and in billionths the sum of the others; a sum of no values is NULL. */
const numericSums = (rows: Rows, arg: Expression): readonly Expression[] => [
  castTo(rows.main('sum', [call('bq.numeric_small', [arg], arg.type)], arg.type), arg.type),
  rows.main('sum', [call('bq.numeric_large', [arg])]),
];

export const avg: Aggregate = plain(
  'avg',
  ([arg]) => (arg && isScalar(arg.type, 'NUMERIC', 'BIGNUMERIC', 'INTERVAL') ? arg.type : float64),
  {
    takesFirst: (type) => isNumber(type) || isScalar(type, 'INTERVAL'),
    build(rows, args, place) {
      const [arg] = args;
      if (!arg || !isScalar(arg.type, 'INTERVAL', 'NUMERIC', 'BIGNUMERIC')) {
        const value = rows.main('avg', args, float64);
        return arg && isFloat(arg) ? withinFloat('AVG', rows, arg, value) : value;
      }
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
