import type { TableSchema } from '../table-schema.ts';
import { parseQuery } from '../syntax/parse-query.ts';
import { walk } from '../syntax/walk.ts';

/** The declared tables that SQL reads, with those that a wildcard matches. */
export function tablesRead(sql: string, tables: readonly TableSchema[]): readonly TableSchema[] {
  const names = new Set<string>();
  walk(parseQuery(sql), (node) => {
    if (node.kind === 'Table') names.add(node.path.parts.at(-1)?.name.toLowerCase() ?? '');
  });
  return tables.filter(({ name }) =>
    [...names].some((read) =>
      read.endsWith('*') ? name.toLowerCase().startsWith(read.slice(0, -1)) : name.toLowerCase() === read,
    ),
  );
}

/** Whether the result of SQL depends on the time of the run. */
export const readsClock = (sql: string): boolean => /\bcurrent_(?:timestamp|date|datetime|time)\b/i.test(sql);

/** Whether SQL says the order of its rows. */
export function hasOrder(sql: string): boolean {
  const { body, orderBy, pipes } = parseQuery(sql).query;
  const inner = body.kind === 'Query' ? body.orderBy : [];
  return orderBy.length > 0 || inner.length > 0 || pipes.some(({ kind }) => kind === 'PipeOrderBy');
}
