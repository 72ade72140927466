import { call, integerLiteral, struct, textLiteral } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { arrayOf, describeType, isScalar, scalar, type Type } from '../../../types.ts';
import { convert, distance } from '../../coercion.ts';
import { isConstant } from '../../expressions/constant-values.ts';
import { callMacro } from '../../macro-call.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import type { Aggregate, Rows } from '../aggregates/aggregate.ts';

const [bytes, int64, float64] = [scalar('BYTES'), scalar('INT64'), scalar('FLOAT64')];

const defaultPrecision = 1000n;
const maxPrecision = 100_000n;

/** KLL_QUANTILES.INIT_INT64(value [, precision [, weight => …]]) */
function init(type: Type): Aggregate {
  const shown = `KLL_QUANTILES.INIT_${describeType(type)}`;
  return {
    arity: [1, 3],
    named: 'weight',
    result: () => bytes,
    allows: [],
    build(rows, [given, precision, weight], place) {
      requireNoWindow(rows, place);
      const value = argument(place, shown, given, type);
      const settings = [
        textLiteral(describeType(type)),
        integerLiteral(precisionOf(place, shown, precision)),
      ];
      if (weight === undefined) {
        const items = rows.withoutNulls('list', [value], arrayOf(type));
        return call('bq.kll_init', [items, rows.other('count', [value], int64), ...settings], bytes);
      }
      const item = struct([
        { name: 'v', value },
        { name: 'w', value: argument(place, shown, weight, int64) },
      ]);
      return call(
        'bq.kll_init_weighted',
        [rows.main('list', [item], arrayOf(item.type)), ...settings],
        bytes,
      );
    },
  };
}

/** KLL_QUANTILES.MERGE_INT64(sketch, parts), MERGE_POINT_INT64(sketch, phi): what EXTRACT says of all sketches as one. */
function merge(name: string, result: Type, parameter: Type): Aggregate {
  const shown = `KLL_QUANTILES.MERGE_${name.toUpperCase()}`;
  return {
    arity: [2, 2],
    result: () => result,
    allows: [],
    build(rows, [sketch, given], place) {
      requireNoWindow(rows, place);
      const what = argument(place, shown, given, parameter);
      if (given !== undefined && !isConstant(given))
        throw new Unsupported(place, `the number in ${shown} must be a literal or a parameter`);
      const merged = mergePartial(rows, argument(place, shown, sketch, bytes));
      return callMacro(place, `kll_quantiles_extract_${name}`, [merged, what], shown);
    },
  };
}

const mergePartial = (rows: Rows, sketch: Expression) =>
  call('bq.kll_merge_partial', [rows.main('list', [sketch], arrayOf(bytes))], bytes);

/** Aggregates of KLL_QUANTILES. Its sketches can be read by this engine only. */
export const kllAggregates: Readonly<Record<string, Aggregate>> = {
  'kll_quantiles.init_int64': init(int64),
  'kll_quantiles.init_float64': init(float64),
  'kll_quantiles.merge_int64': merge('int64', arrayOf(int64), int64),
  'kll_quantiles.merge_float64': merge('float64', arrayOf(float64), int64),
  'kll_quantiles.merge_point_int64': merge('point_int64', int64, float64),
  'kll_quantiles.merge_point_float64': merge('point_float64', float64, float64),
  'kll_quantiles.merge_partial': {
    arity: [1, 1],
    result: () => bytes,
    takes: bytes,
    allows: [],
    build(rows, [sketch], place) {
      requireNoWindow(rows, place);
      return mergePartial(rows, argument(place, 'KLL_QUANTILES.MERGE_PARTIAL', sketch, bytes));
    },
  },
};

function argument(place: Place, shown: string, given: Expression | undefined, type: Type): Expression {
  if (given !== undefined && distance(given, type) !== undefined) return convert(given, type);
  throw new Unsupported(
    place,
    `${shown} takes ${describeType(type)}, not ${given === undefined ? 'nothing' : describeType(given.type)}`,
  );
}

function precisionOf(place: Place, shown: string, precision: Expression | undefined): bigint {
  if (precision === undefined) return defaultPrecision;
  const value = precision.kind === 'literal' && isScalar(precision.type, 'INT64') ? precision.value : null;
  if (typeof value === 'bigint' && value >= 1n && value <= maxPrecision) return value;
  throw new Unsupported(place, `the precision of ${shown} must be a literal from 1 to ${maxPrecision}`);
}

function requireNoWindow(rows: Rows, place: Place): void {
  if (rows.isWindow) throw new Unsupported(place, 'KLL_QUANTILES takes no OVER');
}
