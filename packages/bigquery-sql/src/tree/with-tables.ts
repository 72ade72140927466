import { someNode } from './map.ts';
import type { CommonTable, Query } from './nodes.ts';

/** A query after the common tables that it reads: BigQuery does not run the others. */
export function withTables(tables: readonly CommonTable[], body: Query): Query {
  const needed: CommonTable[] = [];
  for (const table of tables.toReversed()) {
    if ([body, ...needed.map(({ query }) => query)].some((reader) => reads(reader, table.name)))
      needed.unshift(table);
  }
  if (needed.length === 0) return body;
  // DuckDB allows one WITH clause only; all names of common tables differ.
  return body.kind === 'with'
    ? { ...body, tables: [...needed, ...body.tables] }
    : { kind: 'with', tables: needed, body };
}

const reads = (reader: Query, name: string): boolean =>
  someNode(reader, (node) => node.kind === 'reference' && node.name === name);
