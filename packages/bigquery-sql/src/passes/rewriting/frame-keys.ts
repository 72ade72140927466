import { aggregatesRows } from '../../rules/queries/grouping.ts';
import { column, select } from '../../tree/build.ts';
import { mapParts, type Mapper, mapSelects, unchanged } from '../../tree/map.ts';
import type {
  Aggregate,
  Expression,
  From,
  Member,
  Query,
  Select,
  Subquery,
  Window,
} from '../../tree/nodes.ts';

/**
 * Computes subqueries in the key of a RANGE frame with an offset before the window: DuckDB copies such a key, and cannot
 * copy a subquery.
 */
export const computeFrameKeys = (query: Query, fresh: (prefix: string) => string): Query =>
  mapSelects(query, (node) => keysComputed(node, fresh));

function keysComputed(node: Select, fresh: (prefix: string) => string): Select {
  const computed = new Map<Subquery, Member>();
  let alias = '';
  const computedOf = (subquery: Subquery): Expression => {
    alias ||= fresh('keys');
    const member = computed.get(subquery) ?? { name: `key_${computed.size + 1}`, value: subquery };
    computed.set(subquery, member);
    return column(alias, member.name, subquery.type);
  };
  const inKey: Mapper = {
    ...unchanged,
    expression: (part) => (part.kind === 'subquery' ? computedOf(part) : mapParts(part, inKey)),
  };
  const mapper: Mapper = {
    ...unchanged,
    expression: (part) => {
      if (part.kind === 'subquery') return part;
      const mapped = mapParts(part, mapper);
      if (mapped.kind !== 'aggregate' || !hasRangeOffset(mapped.over)) return mapped;
      const orderBy = mapped.over.orderBy.map((key) => ({ ...key, value: inKey.expression(key.value) }));
      return { ...mapped, over: { ...mapped.over, orderBy } };
    },
  };
  const mapped = mapParts(node, mapper);
  // Beside grouping sets, and aggregates of all rows, the keys could not be values of the rows before.
  if (computed.size === 0 || node.groupBy?.sets || (!node.groupBy && aggregatesAll(node))) return node;
  const members = [...computed.values()];
  const keys: From = { kind: 'derived', alias, query: select({ columns: members }), lateral: true };
  const grouped = node.groupBy?.keys.concat(
    members.map(({ name, value }) => column(alias, name, value.type)),
  );
  return {
    ...mapped,
    from: node.from ? { kind: 'join', join: 'CROSS', left: node.from, right: keys } : keys,
    ...(grouped && { groupBy: { keys: grouped } }),
  };
}

const hasRangeOffset = (over: Aggregate['over']): over is Window =>
  over?.frame?.unit === 'RANGE' &&
  [over.frame.begin, over.frame.end].some((bound) => 'amount' in bound && bound.amount);

const aggregatesAll = ({ columns, qualify, orderBy }: Select): boolean =>
  [...[...columns, ...orderBy].map(({ value }) => value), ...qualify].some(aggregatesRows);
