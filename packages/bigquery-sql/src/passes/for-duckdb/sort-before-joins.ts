import { isCorrelated } from '../../tree/aliases-of.ts';
import { column, select } from '../../tree/build.ts';
import { freshNames } from '../../tree/fresh-names.ts';
import { mapParts, someNode } from '../../tree/map.ts';
import type { Expression, From, Query, Select } from '../../tree/nodes.ts';

/**
 * The same query with ORDER BY and LIMIT in common tables of their own, where a join reads the rows. DuckDB 1.5.5 filters
 * the rows of a join by the keys of the join above it, also below a limit that is between them: other rows are then the first
 * ones (`conformance/duckdb/filtered-before-limit.md`). It passes no keys into a common table that is materialized.
 */
export const sortBeforeJoins = (query: Query): Query =>
  // Most queries have no such limit: they stay the same object.
  someNode(query, (node) => node.kind === 'select' && isTopOfRows(node))
    ? inQuery(query, false, freshNames(query))
    : query;

type Fresh = (prefix: string) => string;

/** @param isJoined whether a join above reads the rows */
function inQuery(query: Query, isJoined: boolean, fresh: Fresh): Query {
  switch (query.kind) {
    case 'with': {
      const areJoined = isJoined || joins(query);
      const tables = query.tables.map((table) => ({
        ...table,
        query: inQuery(table.query, areJoined, fresh),
      }));
      const body = inQuery(query.body, isJoined, fresh);
      if (body.kind !== 'with') return { ...query, tables, body };
      // DuckDB takes no WITH behind another one.
      return { ...query, tables: [...tables, ...body.tables], body: body.body };
    }
    case 'set':
      return { ...query, inputs: query.inputs.map((input) => inQuery(input, isJoined, fresh)) };
    case 'select': {
      const areJoined = isJoined || joins(query);
      const sorted = mapParts(query, {
        expression: (node) => inExpression(node, fresh),
        query: (node) => node,
        from: (node) => inFrom(node, areJoined, fresh),
      });
      // DuckDB makes no Top N of a limit for each row around the query, and common tables know no such row.
      return isJoined && isTopOfRows(query) && !isCorrelated(query) ? materialized(sorted, fresh) : sorted;
    }
  }
}

const inFrom = (from: From, isJoined: boolean, fresh: Fresh): From =>
  mapParts(from, {
    expression: (node) => inExpression(node, fresh),
    query: (node) => inQuery(node, isJoined, fresh),
    from: (node) => inFrom(node, isJoined, fresh),
  });

/** The rows of IN are joined; those of other subqueries are aggregated before. */
const inExpression = (node: Expression, fresh: Fresh): Expression =>
  mapParts(node, {
    expression: (part) => inExpression(part, fresh),
    query: (part) =>
      inQuery(part, node.kind === 'subquery' && (node.form === 'in' || node.form === 'not in'), fresh),
    from: (part) => part,
  });

/** Subqueries are joins in DuckDB's plans. */
const joins = (query: Query): boolean =>
  someNode(query, ({ kind }) => kind === 'join' || kind === 'subquery');

/** DuckDB passes no keys to a table that is sorted as it is. */
const isTopOfRows = (query: Select): boolean =>
  query.limit !== undefined && query.orderBy.length > 0 && (query.from?.kind !== 'table' || joins(query));

function materialized(query: Select, fresh: Fresh): Query {
  const [name, alias] = [fresh('sorted'), fresh('sorted')];
  const columns = query.columns.map((member) => ({
    name: member.name,
    value: column(alias, member.name, member.value.type),
  }));
  return {
    kind: 'with',
    tables: [{ name, query, recursive: false, materialized: true }],
    body: select({ columns, from: { kind: 'reference', alias, name } }),
  };
}
