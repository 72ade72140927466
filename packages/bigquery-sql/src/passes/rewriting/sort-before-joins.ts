import { select } from '../../tree/build.ts';
import { mapParts, someNode } from '../../tree/map.ts';
import type { Expression, From, Query, Select } from '../../tree/nodes.ts';
import { scalar } from '../../types.ts';

/**
 * The same query with limits that DuckDB does not join with their ORDER BY, where a join reads the rows. DuckDB 1.5.5 filters
 * the rows of a join by the keys of the join above it, also below a Top N that is between them: other rows are then the first
 * ones (`conformance/duckdb/filtered-before-limit.md`). Limits that are a subquery make no Top N.
 */
export const sortBeforeJoins = (query: Query): Query => inQuery(query, false);

/** @param isJoined whether a join above reads the rows */
function inQuery(query: Query, isJoined: boolean): Query {
  switch (query.kind) {
    case 'with': {
      // Most queries have no such limit: they stay the same object.
      const areJoined = isJoined || joins(query);
      const tables = query.tables.map((table) => {
        const sorted = inQuery(table.query, areJoined);
        return sorted === table.query ? table : { ...table, query: sorted };
      });
      const body = inQuery(query.body, isJoined);
      const isSame = body === query.body && tables.every((table, at) => table === query.tables[at]);
      return isSame ? query : { ...query, tables, body };
    }
    case 'set': {
      const inputs = query.inputs.map((input) => inQuery(input, isJoined));
      return inputs.every((input, at) => input === query.inputs[at]) ? query : { ...query, inputs };
    }
    case 'select': {
      const { from, limit, orderBy } = query;
      const inner = from && inFrom(from, isJoined || joins(query));
      const sorted = inner === from ? query : { ...query, ...(inner && { from: inner }) };
      const isTopOfJoin = isJoined && limit !== undefined && orderBy.length > 0 && !readsOneTable(query);
      return isTopOfJoin ? { ...sorted, limit: asSubquery(limit) } : sorted;
    }
  }
}

/** Subqueries of expressions may be correlated: DuckDB then takes no such limit, and makes no Top N. */
const inFrom = (from: From, isJoined: boolean): From =>
  mapParts(from, {
    expression: (node) => node,
    query: (node) => inQuery(node, isJoined),
    from: (node) => inFrom(node, isJoined),
  });

/** Subqueries are joins in DuckDB's plans. */
const joins = (query: Query): boolean =>
  someNode(query, ({ kind }) => kind === 'join' || kind === 'subquery');

const readsOneTable = (query: Select): boolean => query.from?.kind === 'table' && !joins(query);

const asSubquery = (limit: Expression): Expression => ({
  kind: 'subquery',
  form: 'scalar',
  query: select({ columns: [{ name: 'rows', value: limit }] }),
  type: scalar('INT64'),
});
