import { forEachNode } from './map.ts';
import type { Query } from './nodes.ts';

/** True if a query reads columns of a query around it. */
export function isCorrelated(query: Query): boolean {
  const own = new Set<string>();
  const read = new Set<string>();
  forEachNode(query, (node) => {
    if ('alias' in node) own.add(node.alias);
    if (node.kind === 'column') read.add(node.from);
  });
  return !read.isSubsetOf(own);
}
