import type * as Syntax from '../../syntax/nodes.ts';
import { walk } from '../../syntax/walk.ts';
import { call, caseWhen, castTo, integerLiteral, isNull, textLiteral } from '../../tree/build.ts';
import type { Expression } from '../../tree/nodes.ts';
import { describeType, isScalar } from '../../types.ts';
import type { Context } from '../context.ts';
import { emptyScope } from '../scope.ts';
import { Unsupported } from '../unsupported.ts';

/** LIMIT and OFFSET of a query. */
export interface Limits {
  readonly limit?: Expression;
  readonly offset?: Expression;
}

/** They may use parameters, but no columns. */
export function resolveLimit(node: Syntax.Limit | undefined, context: Context): Limits {
  if (!node) return {};
  return {
    limit: rowCount(node.count, 'LIMIT', context),
    ...(node.offset && { offset: rowCount(node.offset, 'OFFSET', context) }),
  };
}

/** DuckDB refuses more, 2^62, and BigQuery does not. */
const mostRows = 4_611_686_018_427_387_904n;

/** A count that is known later must not be NULL then: DuckDB would return all rows. */
function atMost(count: Expression, most: bigint, keyword: string): Expression {
  if (count.kind !== 'literal') {
    const fail = castTo(call('bq.fail', [textLiteral(`${keyword} must not be NULL`)]), count.type);
    return caseWhen(isNull(count), fail, call('least', [count, integerLiteral(most)], count.type));
  }
  return typeof count.value === 'bigint' && count.value > most ? integerLiteral(most) : count;
}

function rowCount(node: Syntax.Expression, keyword: string, context: Context): Expression {
  const takes = `${keyword} takes a literal or a parameter, and no`;
  if (node.kind === 'Path') throw new Unsupported(node, `${takes} column`);
  walk(node, ({ kind }) => {
    if (kind === 'Query') throw new Unsupported(node, `${takes} subquery`);
  });
  const reason = `${takes} aggregate or window function`;
  const count = context.expression(node, { ...emptyScope, refused: { aggregate: reason, window: reason } });
  if (isNullLiteral(count)) throw new Unsupported(node, `${keyword} takes an INT64, not NULL`);
  if (isScalar(count.type, 'INT64') || count.type.kind === 'unknown') return atMost(count, mostRows, keyword);
  const advice =
    count.kind === 'parameter' ? `: bind: INT64 in the header, or CAST(@${count.name} AS INT64)` : '';
  throw new Unsupported(node, `${keyword} takes an INT64, not ${describeType(count.type)}${advice}`);
}

const isNullLiteral = (value: Expression): boolean =>
  value.kind === 'cast' ? isNullLiteral(value.value) : value.kind === 'literal' && value.value === null;
