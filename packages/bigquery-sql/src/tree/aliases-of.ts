import type { From } from './nodes.ts';

/** The aliases of the items of FROM, without those inside subqueries. */
export function aliasesOf(from: From): readonly string[] {
  if (from.kind === 'join') return [...aliasesOf(from.left), ...aliasesOf(from.right)];
  return from.kind === 'sample' ? aliasesOf(from.of) : [from.alias];
}
