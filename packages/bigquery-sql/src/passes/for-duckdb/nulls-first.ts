import { isNull } from '../../tree/build.ts';
import { mapSelects, someNode } from '../../tree/map.ts';
import type { Node, Query, Select } from '../../tree/nodes.ts';
import { isVolatile } from '../../tree/volatile.ts';

/**
 * The same query with a key more where it sorts NULL first and takes some of the rows, if it has outer joins. DuckDB 1.5.5
 * filters a scan below such a join by the greatest of the rows that it has so far: rows that are left out there are NULL in
 * the join, and first (`conformance/duckdb/sorted-outer-joins.md`). It does so only by the first key, if that is a
 * column.
 */
export const nullsFirst = (query: Query): Query =>
  someNode(query, isOuterJoin) ? mapSelects(query, withKeyForNull) : query;

const isOuterJoin = (node: Node): boolean =>
  node.kind === 'join' && node.join !== 'INNER' && node.join !== 'CROSS' && node.right.kind !== 'unnest';

function withKeyForNull(query: Select): Select {
  const { columns, orderBy, limit, distinct, groupBy } = query;
  const [key] = orderBy;
  // Groups are complete before any of them is sorted.
  if (key?.nulls !== 'FIRST' || limit === undefined || distinct || groupBy) return query;
  const value = key.value.kind === 'position' ? columns[key.value.index - 1]?.value : key.value;
  if (value === undefined || (value.kind === 'column' && value.required)) return query;
  if (someNode(value, isNoColumn) || isVolatile(value)) return query;
  return { ...query, orderBy: [{ value: isNull(value), descending: true, nulls: 'LAST' }, ...orderBy] };
}

/** True for what DuckDB makes no column of a table of; of a call, as a cast to the same type, it may. */
const isNoColumn = ({ kind }: Node): boolean => kind === 'aggregate' || kind === 'subquery';
