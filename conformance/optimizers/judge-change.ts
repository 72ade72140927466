import { withoutPositions } from '../../src/engine/dialect/passes/rewriting/sort-keys.ts';
import { select } from '../../src/engine/dialect/tree/build.ts';
import { someNode } from '../../src/engine/dialect/tree/map.ts';
import type { Node, Query } from '../../src/engine/dialect/tree/nodes.ts';
import { isSame } from '../compare.ts';
import { withoutOrder } from '../suite-outcome.ts';
import type { Answer } from '../values.ts';

/** A query before or after a change, with what runs another query in the same way. */
export interface Side {
  readonly query: Query;
  readonly answer: Answer;
  readonly run: (query: Query) => Promise<Answer>;
}

/**
 * Compares the answers before and after a change.
 *
 * @returns 'same', 'differs', or the reason why the difference is no defect
 */
export async function judgeChange(before: Side, after: Side): Promise<string> {
  const [one, other] = [before.answer, after.answer];
  if ('error' in one && 'error' in other) return 'same';
  // The answer with all optimizers is the one that callers get.
  if ('error' in other) return `DuckDB fails: ${other.error.split('\n')[0]?.slice(0, 80)}`;
  if ('error' in one) return 'differs';
  if (isSame(one, other, true)) return 'same';
  const keys = [keysOf(before.query), keysOf(after.query)] as const;
  if (keys[0] && keys[1] && !isSame(await before.run(keys[0]), await after.run(keys[1]), true))
    return 'differs';
  if (isSame(one, other, false)) return 'same';
  if (one.rows.length === other.rows.length && someNode(before.query, isAnyOfSeveral))
    return 'which of the rows with equal keys is first decides';
  return isSame(withoutOrder(one), withoutOrder(other), false) ? 'an array has no order' : 'differs';
}

/** The sort keys of the rows in their order; undefined if they have none. */
function keysOf(query: Query): Query | undefined {
  if (query.kind === 'with') {
    const body = keysOf(query.body);
    return body && { ...query, body };
  }
  if (query.kind === 'set' || query.distinct || query.orderBy.length === 0) return undefined;
  const orderBy = withoutPositions(query);
  return select({
    ...query,
    orderBy,
    columns: orderBy.map(({ value }, at) => ({ name: `key_${at}`, value })),
  });
}

const ofSomeRow: ReadonlySet<string> = new Set([
  'any_value',
  'first',
  'last',
  'string_agg',
  'arg_max',
  'arg_min',
]);

/** Whether the value depends on which of several rows come first. */
const isAnyOfSeveral = (node: Node): boolean =>
  (node.kind === 'select' && (node.limit !== undefined || node.offset !== undefined)) ||
  (node.kind === 'aggregate' && (node.over !== undefined || ofSomeRow.has(node.function)));
