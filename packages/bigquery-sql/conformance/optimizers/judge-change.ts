import { withoutPositions } from '../../src/passes/rewriting/sort-keys.ts';
import { select } from '../../src/tree/build.ts';
import { someNode } from '../../src/tree/map.ts';
import type { Node, Query } from '../../src/tree/nodes.ts';
import { isSame } from '../compare.ts';
import { withoutOrder } from '../suite-outcome.ts';
import { type Answer, showRow } from '../values.ts';

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
  if (one.rows.length === other.rows.length) {
    if (someNode(before.query, isOfSomeRow)) return 'which of the rows with equal keys is first decides';
    const all = await before.run(withoutLimit(before.query));
    if (isPartOf(one, all) && isPartOf(other, all)) return 'LIMIT takes any of the rows with equal keys';
  }
  return isSame(withoutOrder(one), withoutOrder(other), false) ? 'an array has no order' : 'differs';
}

function withoutLimit(query: Query): Query {
  if (query.kind === 'with') return { ...query, body: withoutLimit(query.body) };
  if (query.kind === 'set') return query;
  const { limit: _limit, offset: _offset, ...rest } = query;
  return rest;
}

/** Whether rows are some of other rows. */
function isPartOf(part: Answer, all: Answer): boolean {
  if ('error' in part || 'error' in all) return false;
  const rest = Map.groupBy(all.rows.map(showRow), (row) => row);
  return part.rows.every((row) => rest.get(showRow(row))?.pop() !== undefined);
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

/** True if the value depends on which of several rows comes first. */
export const isOfSomeRow = (node: Node): boolean =>
  node.kind === 'aggregate' && (node.over !== undefined || ofSomeRow.has(node.function));
