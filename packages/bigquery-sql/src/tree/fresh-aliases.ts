import { forEachNode, type Mapper, mapParts } from './map.ts';
import type { From, Query } from './nodes.ts';

/** A copy of a query whose aliases and common tables have names of their own, so that both can be in one tree. */
export function withFreshAliases(query: Query, fresh: (prefix: string) => string): Query {
  const renamed = new Map<string, string>();
  const tables = new Map<string, string>();
  forEachNode(query, (node) => {
    if ('alias' in node) renamed.set(node.alias, fresh(node.alias));
    if (node.kind === 'with') for (const { name } of node.tables) tables.set(name, fresh(name));
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
