import { call } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { describeType, isScalar, scalar } from '../../../types.ts';
import { callMacro } from '../../macro-call.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import type { Aggregate, Rows } from '../aggregates/aggregate.ts';

const [int64, bytes] = [scalar('INT64'), scalar('BYTES')];

/** Aggregates of HLL_COUNT. Its sketches can be read by this engine only. */
export const hllAggregates: Readonly<Record<string, Aggregate>> = {
  'hll_count.init': {
    arity: [1, 2],
    result: () => bytes,
    allows: [],
    build(rows, [value, precision], place) {
      requireNoWindow(rows, place);
      if (precision && (precision.kind !== 'literal' || !isPrecision(precision.value)))
        throw new Unsupported(place, 'the precision of HLL_COUNT.INIT must be a literal from 10 to 24');
      return call('bq.hll_init', [rows.distinct('list', value ? [textOf(place, value)] : [])], bytes);
    },
  },
  'hll_count.merge': ofSketches('hll_merge'),
  'hll_count.merge_partial': ofSketches('hll_merge_partial'),
};

function ofSketches(macro: 'hll_merge' | 'hll_merge_partial'): Aggregate {
  const type = macro === 'hll_merge' ? int64 : bytes;
  return {
    arity: [1, 1],
    result: () => type,
    takes: bytes,
    allows: [],
    build(rows, args, place) {
      requireNoWindow(rows, place);
      return call(`bq.${macro}`, [rows.main('list', args)], type);
    },
  };
}

const isPrecision = (value: unknown): boolean => typeof value === 'bigint' && value >= 10n && value <= 24n;

function requireNoWindow(rows: Rows, place: Place): void {
  if (rows.isWindow) throw new Unsupported(place, 'HLL_COUNT takes no OVER');
}

/** The same text for equal values of one type. */
function textOf(place: Place, value: Expression): Expression {
  if (isScalar(value.type, 'BYTES')) return call('hex', [value], scalar('STRING'));
  const isCountable = isScalar(value.type, 'INT64', 'NUMERIC', 'BIGNUMERIC', 'STRING');
  if (!isCountable && value.type.kind !== 'unknown' && value.type.kind !== 'null')
    throw new Unsupported(place, `HLL_COUNT.INIT does not take ${describeType(value.type)}`);
  return callMacro(place, 'cast_string', [value], 'HLL_COUNT.INIT');
}
