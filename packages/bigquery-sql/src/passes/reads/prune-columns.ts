import { nullLiteral } from '../../tree/build.ts';
import { mapParts, type Mapper, mapperWith, someExpression, someNode } from '../../tree/map.ts';
import type { Expression, Member, Query, Select } from '../../tree/nodes.ts';
import { hasGroupAggregate } from '../../tree/query-parts.ts';
import type { Pass } from '../pass.ts';
import { columnsRead, commonColumnsRead } from '../rewriting/columns-read.ts';

/** Leaves out columns of subqueries and common tables that are not read: DuckDB would plan them. */
export const pruneColumns: Pass = (query, options) => {
  const read = columnsRead(query);
  const common = commonColumnsRead(query, read);
  const mapper: Mapper = mapperWith({
    query: (node) => {
      if (node.kind !== 'with') return mapParts(node, mapper);
      const tables = node.tables.map((table) => {
        const mapped = mapper.query(table.query);
        return { ...table, query: table.recursive ? mapped : prune(mapped, common.get(table.name) ?? none) };
      });
      return { ...node, tables, body: mapper.query(node.body) };
    },
    from: (node) => {
      const mapped = mapParts(node, mapper);
      if (mapped.kind !== 'derived') return mapped;
      const names = new Set(read.get(mapped.alias)?.keys());
      return { ...mapped, query: prune(mapped.query, names) };
    },
  });
  const pruned = mapper.query(query);
  // Columns that only those read which have been left out may now be left out, too.
  return countColumns(pruned) === countColumns(query) ? pruned : pruneColumns(pruned, options);
};

const none: ReadonlySet<string> = new Set();

function countColumns(query: Query): number {
  let count = 0;
  someNode(query, (node) => {
    if (node.kind === 'select') count += node.columns.filter(({ value }) => !isUnread(value)).length;
    return false;
  });
  return count;
}

const isUnread = (value: Expression) => value.kind === 'literal' && value.value === null;

function prune(query: Query, read: ReadonlySet<string>): Query {
  if (query.kind === 'with') return { ...query, body: prune(query.body, read) };
  if (query.kind !== 'select' || query.distinct) return query;
  const last = lastPosition(query);
  const isNeeded = ({ name, value }: Member, at: number) => read.has(name) || makesRows(value, query, at);
  const columns = query.columns
    .map((column, at) => {
      if (isNeeded(column, at) || isReferred(query, at)) return column;
      return { ...column, value: nullLiteral(column.value.type) };
    })
    .filter((_, at) => at < last || isNeeded(query.columns[at] as Member, at));
  // A SELECT has at least one column.
  return { ...query, columns: columns.length > 0 ? columns : query.columns.slice(0, 1) };
}

/** True if the rows depend on a column: `unnest` multiplies them, an aggregate without GROUP BY makes them one. */
function makesRows(value: Expression, { groupBy, columns }: Select, at: number): boolean {
  if (someExpression(value, (node) => node.kind === 'call' && node.function === 'unnest')) return true;
  return !groupBy && columns.findIndex((column) => hasGroupAggregate(column.value)) === at;
}

const positionsOf = ({ groupBy, orderBy }: Select): readonly number[] =>
  [...(groupBy?.keys ?? []), ...orderBy.map(({ value }) => value)].flatMap((key) =>
    key.kind === 'position' ? [key.index] : [],
  );

const lastPosition = (query: Select): number => Math.max(0, ...positionsOf(query));

const isReferred = (query: Select, at: number): boolean => positionsOf(query).includes(at + 1);
