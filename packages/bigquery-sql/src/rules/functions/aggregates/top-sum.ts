import { call, castTo, nullLiteral, struct, textLiteral } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';
import { arrayOf, describeType, isScalar, structOf } from '../../../types.ts';
import { callMacro } from '../../macro-call.ts';
import { type Place, Unsupported } from '../../unsupported.ts';
import { type Aggregate, string, typeOfFirst } from './aggregate.ts';
import { requireCount } from './numbering.ts';

/** The macro for each type of weights. */
const macros = { INT64: 'bigint', FLOAT64: 'double', NUMERIC: 'numeric' } as const;

/** APPROX_TOP_SUM(value, weight, n): the n values with the greatest sums of weights, which are exact here. */
export const topSum: Aggregate = {
  arity: [3, 3],
  result: (args) =>
    arrayOf(
      structOf([
        { name: 'value', type: typeOfFirst(args) },
        { name: 'sum', type: typeOfFirst(args.slice(1)) },
      ]),
    ),
  allows: [],
  build(rows, args, place) {
    const [value = nullLiteral(), weight = nullLiteral(), n = nullLiteral()] = args;
    if (rows.isWindow) throw new Unsupported(place, 'APPROX_TOP_SUM takes no OVER');
    const count = requireCount(place, 'approx_top_sum', n, 1n);
    const name = (['INT64', 'FLOAT64', 'NUMERIC'] as const).find((one) => isScalar(weight.type, one));
    if (!name)
      throw new Unsupported(
        place,
        `APPROX_TOP_SUM takes numbers as weights, not ${describeType(weight.type)}`,
      );
    const item = struct([
      { name: 'v', value },
      { name: 'k', value: keyOf(place, value) },
      { name: 't', value: castTo(weight, string) },
    ]);
    const items = rows.main('list', [item], arrayOf(item.type));
    return call(`bq.top_sums_${macros[name]}`, [items, textLiteral(name), count], this.result(args));
  },
};

/** The same text for equal values. */
function keyOf(place: Place, value: Expression): Expression {
  if (isScalar(value.type, 'BYTES')) return call('hex', [value], string);
  if (isScalar(value.type, 'INT64', 'NUMERIC', 'STRING', 'BOOL', 'DATE', 'DATETIME', 'TIME', 'TIMESTAMP'))
    return callMacro(place, 'cast_string', [value], 'APPROX_TOP_SUM');
  throw new Unsupported(place, `APPROX_TOP_SUM does not take ${describeType(value.type)} here`);
}
