import { forEachNode, type Mapper, mapParts } from './map.ts';
import type { From, Query } from './nodes.ts';

/**
 * A copy of a query whose aliases and common tables have names of their own, so that both can be in one tree.
 *
 * @param isRenamed which of these names to replace; all by default
 */
export function withFreshAliases(
  query: Query,
  fresh: (prefix: string) => string,
  isRenamed: (name: string) => boolean = () => true,
): Query {
  const renamed = new Map<string, string>();
  const tables = new Map<string, string>();
  forEachNode(query, (node) => {
    if ('alias' in node && isRenamed(node.alias)) renamed.set(node.alias, fresh(node.alias));
    if (node.kind !== 'with') return;
    for (const { name } of node.tables) if (isRenamed(name)) tables.set(name, fresh(name));
  });
  const mapper: Mapper = {
    expression: (node) => {
      const mapped = mapParts(node, mapper);
      const from = mapped.kind === 'column' ? renamed.get(mapped.from) : undefined;
      return from !== undefined && mapped.kind === 'column' ? { ...mapped, from } : mapped;
    },
    query: (node) => {
      const mapped = mapParts(node, mapper);
      if (mapped.kind !== 'with') return mapped;
      const named = mapped.tables.map((table) => ({ ...table, name: tables.get(table.name) ?? table.name }));
      return { ...mapped, tables: named };
    },
    from: (node) => {
      const mapped = mapParts(node, mapper);
      if (!('alias' in mapped)) return mapped;
      const alias = renamed.get(mapped.alias) ?? mapped.alias;
      if (mapped.kind !== 'reference') return { ...mapped, alias } as From;
      return { ...mapped, alias, name: tables.get(mapped.name) ?? mapped.name };
    },
  };
  return mapper.query(query);
}

/**
 * The same query with other aliases for the FROM items that are named as a column of a select list: in a subquery over rows
 * with a column `r`, DuckDB reads `r.n` as a field of that column, also where the item `r` of the query around it is meant.
 */
export function distinctAliases(query: Query, fresh: (prefix: string) => string): Query {
  const aliases: string[] = [];
  const columns = new Set<string>();
  forEachNode(query, (node) => {
    if ('alias' in node) aliases.push(node.alias);
    if (node.kind === 'select') for (const { name } of node.columns) columns.add(name.toLowerCase());
  });
  const isColumn = (alias: string) => columns.has(alias.toLowerCase());
  if (!aliases.some(isColumn)) return query;
  const unused = (prefix: string): string => {
    const name = fresh(prefix);
    return isColumn(name) ? unused(prefix) : name;
  };
  return withFreshAliases(query, unused, isColumn);
}
