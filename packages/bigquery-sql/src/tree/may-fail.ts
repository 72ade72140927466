import { someExpression } from './map.ts';
import type { Expression } from './nodes.ts';
import { isScalar } from '../types.ts';

/** True if computing a value might fail, as far as its tree shows; what a subquery computes does not count. */
export const mayFail = (value: Expression): boolean =>
  someExpression(
    value,
    ({ kind, type }) =>
      kind === 'call' || kind === 'cast' || (kind === 'operation' && !isScalar(type, 'BOOL')),
  );
