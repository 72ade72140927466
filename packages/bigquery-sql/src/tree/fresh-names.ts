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
    if ('alias' in node) used.add(node.alias.toLowerCase());
    if (node.kind === 'select') for (const { name } of node.columns) used.add(name.toLowerCase());
    if (node.kind === 'with') for (const { name } of node.tables) used.add(name.toLowerCase());
  });
  return (prefix) => unusedName(prefix, used);
}

/** A name with a number after it, unless it is not used yet; from now on it is. */
export function unusedName(prefix: string, used: Set<string>): string {
  let name = prefix;
  for (let at = 2; used.has(name.toLowerCase()); at += 1) name = `${prefix}_${at}`;
  used.add(name.toLowerCase());
  return name;
}
