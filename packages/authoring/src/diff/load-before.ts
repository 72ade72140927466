import { basename, join } from 'node:path';
import {
  checkAddresses,
  checkCatalog,
  parseQueryFile,
  readHeader,
  readParts,
  tablesOf,
} from 'querygate/catalog';
import type { Catalog, SavedQuery } from 'querygate';
import type { Problem } from '@querygate/bigquery-sql/problem';
import type { CatalogFiles } from '../catalog-types.ts';

/** A saved query of the older version that today's rules refuse. */
export interface BrokenQuery {
  readonly name: string;
  /** Its UUID, if the header can be read. */
  readonly id: string | undefined;
  readonly problem: Problem;
}

export interface OldCatalog<C extends Catalog = Catalog> {
  readonly catalog: C;
  readonly broken: readonly BrokenQuery[];
  /** The problems of its tables. */
  readonly tableProblems: readonly Problem[];
}

interface Newer {
  readonly files: CatalogFiles;
  readonly catalog: Catalog;
}

/**
 * The older version of a queries folder, without the files that have problems: rules were fewer, or nothing was checked.
 *
 * @param newer a file that has not changed is not parsed twice
 */
export function loadBefore(folder: string, files: CatalogFiles, newer: Newer): OldCatalog {
  const known = new Map(newer.catalog.queries.map((query) => [query.source.file, query]));
  const textOf = (of: CatalogFiles, path: string) => {
    const content = of.get(path);
    return content !== undefined && 'text' in content ? content.text : undefined;
  };
  const parts = readParts(folder, files);
  const newerParts = readParts(folder, newer.files);
  const isSame = (path: string) =>
    textOf(files, path) === textOf(newer.files, path) &&
    JSON.stringify(parts.textsOf(path)) === JSON.stringify(newerParts.textsOf(path));
  const parsed = [...files]
    .filter(([path]) => parts.isServed(path))
    .map(([path, content]) => {
      const file = join(folder, path);
      const text = textOf(files, path);
      const same = text !== undefined && isSame(path) ? known.get(file) : undefined;
      const result =
        same === undefined
          ? parseQueryFile(file, content, parts.link)
          : { query: same, problems: [], aliasLines: [] };
      return { file, text, result };
    });
  const valid = parsed.flatMap(({ result }) => (result.query === undefined ? [] : [result]));
  const conflicts = [...checkCatalog(valid.map(({ query }) => query)), ...checkAddresses(valid)];
  const problemOf = new Map<string, Problem>();
  const found = [
    // A problem of a part is one of each query that reads it.
    ...parsed.flatMap(({ file, result }) => result.problems.map((problem) => ({ file, problem }))),
    ...conflicts.map((problem) => ({ file: problem.file, problem })),
  ];
  for (const { file, problem } of found)
    if (file !== undefined && !problemOf.has(file)) problemOf.set(file, problem);

  const { tables, problems: tableProblems } = tablesOf(folder, files);
  return {
    catalog: {
      queries: valid.map(({ query }) => query).filter(({ source }) => !problemOf.has(source.file)),
      tables,
    },
    broken: parsed.flatMap(({ file, text, result }) => {
      const problem = problemOf.get(file);
      if (problem === undefined) return [];
      return [{ name: basename(file, '.sql'), id: result.query?.id ?? idIn(file, text), problem }];
    }),
    tableProblems,
  };
}

function idIn(file: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parts = readHeader(file, text);
  const id = 'header' in parts ? (parts.header as Partial<Pick<SavedQuery, 'id'>> | null)?.id : undefined;
  return typeof id === 'string' ? id.toLowerCase() : undefined;
}
