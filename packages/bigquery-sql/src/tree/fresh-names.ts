import { foldName } from '@querygate/text';
import { forEachNode } from './map.ts';
import type { Query } from './nodes.ts';

/**
 * The columns of UNNEST and of what passes write, which must not be names of tables: DuckDB takes `value.y` for a field
 * of the column `value` of an inner query before it looks for a table `value` around it.
 */
export const writtenColumns: readonly string[] = ['value', 'offset', 'item', 'key'];

/** Makes names for FROM items and common tables that occur nowhere in a tree; the same ones for equal trees. */
export function freshNames(query: Query): (prefix: string) => string {
  const used = new Set(writtenColumns);
  forEachNode(query, (node) => {
    if ('alias' in node) used.add(foldName(node.alias));
    if (node.kind === 'select') for (const { name } of node.columns) used.add(foldName(name));
    if (node.kind === 'with') for (const { name } of node.tables) used.add(foldName(name));
  });
  return (prefix) => unusedName(prefix, used);
}

/** The next number for each prefix: of many equal names, each would otherwise count through those before it. */
const nextNumbers = new WeakMap<Set<string>, Map<string, number>>();

/** A name with a number after it, unless it is not used yet; from now on it is. */
export function unusedName(prefix: string, used: Set<string>): string {
  const next = nextNumbers.get(used) ?? new Map<string, number>();
  nextNumbers.set(used, next);
  const key = foldName(prefix);
  let at = next.get(key) ?? 2;
  let name = prefix;
  for (; used.has(foldName(name)); at += 1) name = `${prefix}_${at}`;
  next.set(key, at);
  used.add(foldName(name));
  return name;
}
