import { call, caseWhen, castTo, compareWith, integerLiteral, list } from '../../../tree/build.ts';
import type { Expression } from '../../../tree/nodes.ts';

/** The first elements of a list; NULL with LIMIT 0. */
export function limitList(value: Expression, limit: Expression | undefined): Expression {
  if (limit === undefined) return value;
  const sliced = call('list_slice', [value, integerLiteral(1), limit], value.type);
  if (limit.kind !== 'literal') return caseWhen(compareWith('>', limit, integerLiteral(0)), sliced);
  const isZero = limit.value === 0n;
  // The aggregate must stay, because it makes one row of the group.
  return isZero ? call('nullif', [sliced, castTo(list([]), value.type)], value.type) : sliced;
}
