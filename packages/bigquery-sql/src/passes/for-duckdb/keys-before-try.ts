import { computeFirst } from '../../tree/build.ts';
import { isEqual } from '../../tree/equal.ts';
import { mapExpression, mapParts, type Mapper, mapperWith, someExpression } from '../../tree/map.ts';
import type { Call, Expression, Select } from '../../tree/nodes.ts';
import { isGroupAggregate, keysOf } from '../../tree/query-parts.ts';

/**
 * A SELECT in which TRY reads no key of GROUP BY: DuckDB leaves what is inside TRY when it replaces the keys by the
 * columns of the groups, and fails with an internal error. The keys are computed before.
 */
export function keysBeforeTry(node: Select): Select {
  const keys = keysOf(node).filter(({ kind }) => kind !== 'literal');
  if (keys.length === 0) return node;
  const isKey = (part: Expression) => keys.some((key) => isEqual(key, part));
  const computed = (part: Expression, mapper: Mapper): Expression => {
    if (isKey(part)) return part;
    const mapped = mapParts(part, mapper);
    return mapped.kind === 'call' && mapped.function === 'TRY' ? overKeys(mapped, keys) : mapped;
  };
  const inSubquery: Mapper = mapperWith({
    expression: (part) => computed(part, inSubquery),
  });
  const mapper: Mapper = {
    ...inSubquery,
    // The arguments of aggregates are computed before the groups.
    expression: (part) => (isGroupAggregate(part) ? part : computed(part, mapper)),
  };
  const { columns, having, qualify, orderBy } = node;
  const after = mapParts({ ...emptySelect, columns, having, qualify, orderBy }, mapper);
  return {
    ...node,
    columns: after.columns,
    having: after.having,
    qualify: after.qualify,
    orderBy: after.orderBy,
  };
}

const emptySelect = { kind: 'select', distinct: false, where: [] } as const;

function overKeys(attempt: Call, keys: readonly Expression[]): Expression {
  const used = keys.filter((key) => someExpression(attempt, (part) => isEqual(part, key)));
  if (used.length === 0) return attempt;
  return computeFirst(used, (...values) =>
    mapExpression(attempt, (part) => values[used.findIndex((key) => isEqual(key, part))] ?? part),
  );
}
