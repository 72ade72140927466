import { forEachNode } from './map.ts';
import type { From, Query } from './nodes.ts';

/** The aliases of the items of FROM, without those inside subqueries. */
export function aliasesOf(from: From): readonly string[] {
  if (from.kind === 'join') return [...aliasesOf(from.left), ...aliasesOf(from.right)];
  return from.kind === 'sample' ? aliasesOf(from.of) : [from.alias];
}

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
