import { foldName } from '@querygate/text';
import type * as Syntax from '../../syntax/nodes.ts';
import { skip, walk } from '../../syntax/walk.ts';

/** The tables without a path that a query reads and does not define itself, in lower case. */
export function tableReferences(query: Syntax.Query): ReadonlySet<string> {
  const read = new Set<string>();
  walk(query, (node) => {
    if (node.kind === 'Table' && node.path.parts.length === 1) read.add(foldName(node.path.parts[0].name));
    if (node.kind !== 'Query' || !node.with) return undefined;
    for (const name of tablesReadAround(node, node.with)) read.add(name);
    return skip;
  });
  return read;
}

/** The tables that a query with common tables of its own reads beside them. */
function tablesReadAround(query: Syntax.Query, { recursive, tables }: Syntax.With): ReadonlySet<string> {
  const names = tables.map(({ name }) => foldName(name.name));
  const read = new Set<string>();
  const addAll = (found: ReadonlySet<string>, defined: readonly string[]) => {
    for (const name of found) if (!defined.includes(name)) read.add(name);
  };
  for (const [at, table] of tables.entries())
    addAll(tableReferences(table.query), recursive ? names : names.slice(0, at));
  addAll(tableReferences({ ...query, with: undefined }), names);
  return read;
}

/**
 * The tables of WITH RECURSIVE, each after those that it reads: there they may stand in any order. Tables that read
 * one another in a circle keep their order.
 */
export function inOrderOfReading(tables: readonly Syntax.CommonTable[]): readonly Syntax.CommonTable[] {
  const sorted: Syntax.CommonTable[] = [];
  const added = new Set<Syntax.CommonTable>();
  const add = (table: Syntax.CommonTable) => {
    if (added.has(table)) return;
    added.add(table);
    const read = tableReferences(table.query);
    for (const other of tables) if (read.has(foldName(other.name.name))) add(other);
    sorted.push(table);
  };
  for (const table of tables) add(table);
  return sorted;
}
