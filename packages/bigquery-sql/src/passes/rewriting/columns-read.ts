import { forEachNode } from '../../tree/map.ts';
import type { Column, Node, Query } from '../../tree/nodes.ts';

/** The columns that a tree reads, by the alias of their FROM item and their name. */
export function columnsRead(node: Node): ReadonlyMap<string, ReadonlyMap<string, Column>> {
  const read = new Map<string, Map<string, Column>>();
  forEachNode(node, (part) => {
    if (part.kind !== 'column') return;
    const columns = read.get(part.from) ?? new Map<string, Column>();
    read.set(part.from, columns.set(part.name, part));
  });
  return read;
}

/** The columns of each common table that a query reads, over all its readers. */
export function commonColumnsRead(
  query: Query,
  read: ReturnType<typeof columnsRead>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  forEachNode(query, (node) => {
    if (node.kind !== 'reference') return;
    const known = names.get(node.name) ?? new Set<string>();
    for (const name of read.get(node.alias)?.keys() ?? []) known.add(name);
    names.set(node.name, known);
  });
  return names;
}
