import { call, literal, nullLiteral, textLiteral } from '../../../tree/build.ts';
import { arrayOf, isScalar, scalar, type Type } from '../../../types.ts';
import { isConstant } from '../../expressions/constant-values.ts';
import { callMacro } from '../../macro-call.ts';
import { Unsupported } from '../../unsupported.ts';
import { type Aggregate, arrayOfFirst, plain, string, typeOfFirst } from './aggregate.ts';

export const arrayAgg: Aggregate = plain('list', arrayOfFirst, {
  allows: ['distinct', 'order', 'limit', 'having', 'nulls'],
  build(rows, args, place) {
    if (typeOfFirst(args).kind === 'array')
      throw new Unsupported(place, 'an array cannot contain arrays: wrap the inner ones in a STRUCT');
    return rows.main('list', args, arrayOfFirst(args));
  },
});

export const stringAgg: Aggregate = {
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
