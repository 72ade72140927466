import {
  call,
  caseWhen,
  castTo,
  field,
  list,
  literal,
  not,
  nullLiteral,
  operation,
  struct,
  textLiteral,
} from '../../../tree/build.ts';
import type { Expression, Literal } from '../../../tree/nodes.ts';
import { arrayOf, isScalar, scalar } from '../../../types.ts';
import { isConstant } from '../../expressions/constant-values.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import {
  type Aggregate,
  bool,
  fail,
  float64,
  isFloat,
  isNotANumber,
  isNumber,
  isNumeric,
  isOrdered,
  type Rows,
} from './aggregate.ts';

/** The n + 1 boundaries of n parts, as fractions. Exact quantiles replace approximate ones. */
export function fractions(place: Place, parts: Expression | undefined): Expression {
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
export const percentile = (name: 'percentile_cont' | 'percentile_disc'): Aggregate => ({
  arity: [2, 2],
  result: ([value, fraction]) => {
    if (value && name === 'percentile_disc') return value.type;
    return isNumeric(value) && isNumeric(fraction) ? scalar('NUMERIC') : float64;
  },
  allows: ['nulls'],
  window: true,
  windowOrder: 'refused',
  noFrame: true,
  takesFirst: name === 'percentile_cont' ? isNumber : isOrdered,
  build(rows, args, place) {
    const [value = nullLiteral(), fraction = nullLiteral()] = args;
    const share = requireFraction(place, name, fraction);
    const type = this.result(args);
    if (name === 'percentile_cont' && isScalar(value.type, 'BIGNUMERIC'))
      throw new Unsupported(place, 'PERCENTILE_CONT of BIGNUMERIC is not supported: CAST it AS FLOAT64');
    const used = name === 'percentile_cont' ? castTo(value, type) : value;
    const isNumericResult = name === 'percentile_cont' && isScalar(type, 'NUMERIC');
    if (rows.nulls !== 'RESPECT' && fraction.kind === 'literal' && !isNumericResult)
      return quantile(rows, name, used, fraction);
    const values =
      rows.nulls === 'RESPECT'
        ? rows.main('list', [used], arrayOf(used.type))
        : rows.withoutNulls('list', [used], arrayOf(used.type));
    const sorted = call(isFloat(used) ? 'bq.sorted_floats' : 'bq.sorted_values', [values], values.type);
    if (name === 'percentile_disc')
      return call(isFloat(fraction) ? 'bq.percentile_disc_by_float' : `bq.${name}_of`, [sorted, share], type);
    return call(`bq.${name}_of${isNumericResult ? '_numeric' : ''}`, [sorted, share], type);
  },
});

/** By DuckDB's quantiles, which ignore NULL and take NaN for the greatest number. */
function quantile(rows: Rows, name: string, value: Expression, fraction: Literal): Expression {
  const { type } = value;
  const share = Number(fraction.value);
  const between = (of: Expression, at: number) =>
    rows.main('quantile_cont', [of, literal(float64, String(at))], of.type);
  const one = (of: Expression) => rows.main('quantile_disc', [of, exactFraction(fraction)], of.type);
  if (!isFloat(value)) return name === 'percentile_cont' ? between(value, share) : one(value);
  const negative = (of: Expression) => operation('-', [of], type);
  const hasNaN = rows.other('bool_or', [isNotANumber(value)], bool);
  if (name === 'percentile_cont')
    return caseWhen(hasNaN, negative(between(negative(value), 1 - share)), between(value, share));
  const ranked = struct([
    { name: 'rank', value: not(isNotANumber(value)) },
    { name: 'value', value },
  ]);
  const found = one(caseWhen(operation('IS NOT NULL', [value]), ranked));
  return caseWhen(hasNaN, field(found, 'value', type), one(value));
}

/** A fraction with the digits that its FLOAT64 has beyond those which are written: DuckDB rounds products of FLOAT64. */
const exactFraction = ({ type, value }: Literal): Expression =>
  castTo(
    textLiteral(isScalar(type, 'FLOAT64') ? Number(value).toFixed(28) : String(value)),
    scalar('NUMERIC'),
    'DECIMAL(29,28)',
  );

/** A fraction that fails where it runs if it is not from 0 to 1. */
function requireFraction(place: Place, name: string, fraction: Expression): Expression {
  const shown = name.toUpperCase();
  if (!isScalar(fraction.type, 'INT64', 'FLOAT64', 'NUMERIC') || !isConstant(fraction))
    throw new Unsupported(
      place,
      `the fraction of ${shown} must be INT64, FLOAT64 or NUMERIC from 0 to 1, as literal or parameter`,
    );
  const problem = `the fraction of ${shown} must be from 0 to 1`;
  if (fraction.kind !== 'literal') {
    const edges = ['0', '1'].map((edge) => literal(fraction.type, edge));
    return caseWhen(operation('BETWEEN', [fraction, ...edges]), fraction, fail(problem, fraction.type));
  }
  const number = Number(fraction.value ?? Number.NaN);
  if (!(number >= 0 && number <= 1)) throw new Unsupported(place, problem);
  return fraction;
}
