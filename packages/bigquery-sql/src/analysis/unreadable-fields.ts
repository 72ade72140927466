import { pruneColumns } from '../passes/reads/prune-columns.ts';
import { freshNames } from '../tree/fresh-names.ts';
import { forEachNode, mapParts, type Mapper, mapperWith } from '../tree/map.ts';
import type { Expression, Query, UnreadableField } from '../tree/nodes.ts';

/** Columns and fields of wildcard tables that a query reads although their types do not fit, each once. */
export function unreadableFields(query: Query): readonly UnreadableField[] {
  const byAlias = new Map<string, readonly UnreadableField[]>();
  forEachNode(query, (node) => {
    if (node.kind === 'derived' && node.unreadable) byAlias.set(node.alias, node.unreadable);
  });
  if (byAlias.size === 0) return [];
  const found = new Set<UnreadableField>();
  const mapper: Mapper = mapperWith({
    expression: (part) => {
      const read = pathOf(part);
      if (!read) return mapParts(part, mapper);
      for (const field of byAlias.get(read.from) ?? []) if (overlaps(read.path, field.path)) found.add(field);
      return part;
    },
  });
  mapper.query(pruneColumns(query, { known: {}, fresh: freshNames(query) }));
  return [...found];
}

interface ReadPath {
  readonly from: string;
  readonly path: readonly string[];
}

/** The path of a column, or of a field of one. */
function pathOf(value: Expression): ReadPath | undefined {
  if (value.kind === 'column') return { from: value.from, path: [value.name] };
  const outer = value.kind === 'field' ? pathOf(value.of) : undefined;
  return value.kind === 'field' && outer ? { ...outer, path: [...outer.path, value.name] } : undefined;
}

/** True if one path leads to the other, or further. */
const overlaps = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((name, at) => at >= b.length || name === b[at]);
