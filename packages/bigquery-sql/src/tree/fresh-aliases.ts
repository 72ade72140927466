import { foldName } from '@querygate/text';
import { forEachNode, type Mapper, mapParts } from './map.ts';
import type { From, Node, Query } from './nodes.ts';

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

/** The same query, in which each FROM item and common table has an alias of its own that no column of a select list has. */
export const distinctAliases = (query: Query, fresh: Fresh): Query =>
  aliasesBesideColumns(aliasesOfCopies(query, fresh), fresh);

type Fresh = (prefix: string) => string;

/** An expression that is written twice may have a subquery: passes replace columns by the alias of their item. */
function aliasesOfCopies(query: Query, fresh: Fresh): Query {
  if (!hasCopies(query)) return query;
  const seen = new Set<string>();
  const mapper: Mapper = {
    expression: (node) =>
      mapParts(
        node.kind === 'subquery'
          ? { ...node, query: withFreshAliases(node.query, fresh, (name) => seen.has(name)) }
          : node,
        mapper,
      ),
    query: (node) => {
      for (const name of namesOf(node)) seen.add(name);
      return mapParts(node, mapper);
    },
    from: (node) => {
      for (const name of namesOf(node)) seen.add(name);
      return mapParts(node, mapper);
    },
  };
  return mapper.query(query);
}

function hasCopies(query: Query): boolean {
  const seen = new Set<string>();
  let isFound = false;
  forEachNode(query, (node) => {
    for (const name of namesOf(node)) {
      isFound ||= seen.has(name);
      seen.add(name);
    }
  });
  return isFound;
}

/** The names that a node gives: the alias of a FROM item, or those of common tables. */
function namesOf(node: Node): readonly string[] {
  if ('alias' in node) return [node.alias];
  return node.kind === 'with' ? node.tables.map(({ name }) => name) : [];
}

/**
 * Other aliases for the FROM items that are named as a column of a select list: in a subquery over rows with a column `r`,
 * DuckDB reads `r.n` as a field of that column, also where the item `r` of the query around it is meant.
 */
function aliasesBesideColumns(query: Query, fresh: Fresh): Query {
  const aliases: string[] = [];
  const columns = new Set<string>();
  forEachNode(query, (node) => {
    if ('alias' in node) aliases.push(node.alias);
    if (node.kind === 'select') for (const { name } of node.columns) columns.add(foldName(name));
  });
  const isColumn = (alias: string) => columns.has(foldName(alias));
  if (!aliases.some(isColumn)) return query;
  const unused = (prefix: string): string => {
    const name = fresh(prefix);
    return isColumn(name) ? unused(prefix) : name;
  };
  return withFreshAliases(query, unused, isColumn);
}
