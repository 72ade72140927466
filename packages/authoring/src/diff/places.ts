import { readHeader } from 'querygate/catalog';
import type { SavedQuery } from 'querygate';
import type { CatalogFiles, HeaderAndSql } from '../catalog-types.ts';

/** Finds the line of a key in the header of a saved query. */
export type FindLine = (query: SavedQuery, path: readonly string[]) => number;

/** Files are read once, when a line of them is looked up. */
export function openPlaces(pathOf: (query: SavedQuery) => string, files: CatalogFiles): FindLine {
  const headers = new Map<SavedQuery, HeaderAndSql | undefined>();
  return (query, path) => {
    if (path.length === 0) return 1;
    if (path[0] === 'sql') return query.source.line;
    if (!headers.has(query)) {
      const content = files.get(pathOf(query));
      const parts =
        content !== undefined && 'text' in content ? readHeader(query.source.file, content.text) : [];
      headers.set(query, 'header' in parts ? parts : undefined);
    }
    const parts = headers.get(query);
    return parts?.lineOf(path[0] === 'row_arguments' ? rowArgumentsKey(query, parts) : path) ?? 1;
  };
}

/** Row arguments have a key of their own if they are of all columns, and otherwise marks of some. */
function rowArgumentsKey({ columns, rowArguments }: SavedQuery, { header }: HeaderAndSql): readonly string[] {
  if (Object.hasOwn(Object(header), 'row_arguments')) return ['row_arguments'];
  for (const { name } of columns)
    for (const key of ['filter', 'order'] as const)
      if (rowArguments?.[key].some((column) => column.name === name)) return ['columns', name, key];
  return ['columns'];
}
