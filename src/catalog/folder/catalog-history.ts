import { join } from 'node:path';
import type { Problem } from '../../errors.ts';
import { parseCatalog, parseQueryFile } from './load-catalog.ts';
import type { Catalog } from '../model/saved-query.ts';
import { parseTableFile } from './load-tables.ts';
import { type CheckQueries, type CompleteCatalog, chooseVersion, type FileSets } from './choose-version.ts';
import { firstSet, parseChanged } from './file-set.ts';
import { type CatalogFiles, isTablePath } from './read-folder.ts';
import { readParts, readPartsInTurns } from './read-parts.ts';

/** A file that is not served as it is. */
export interface BrokenFile {
  /** As messages show it. */
  readonly file: string;
  readonly problems: readonly Problem[];
  /** True if an earlier version of it is served. */
  readonly isServed: boolean;
  /** When it was found to be broken first. */
  readonly since: Date;
}

/** A version of the catalog that can be served. */
export interface CatalogProposal<C extends Catalog = Catalog> {
  readonly catalog: C;
  readonly broken: readonly BrokenFile[];
  /** Call it once the version is served. */
  accept(): void;
}

/** The versions of a catalog: of each file the last good one is served. */
export interface CatalogHistory<C extends Catalog = Catalog> {
  readonly catalog: C;
  /** The version that serves as much of the files as possible. A query whose file has not changed stays the same object. */
  propose(files: CatalogFiles, check: CheckQueries<C>): Promise<CatalogProposal<C>>;
}

/** @throws StartError with every problem of every file: a first version must be without any */
export function openHistory<C extends Catalog>(
  folder: string,
  files: CatalogFiles,
  now: () => Date,
  complete: CompleteCatalog<C>,
): CatalogHistory<C> {
  let parts = readParts(folder, files);
  const first = parseCatalog(folder, files, parts);
  let catalog = complete(first);
  let brokenSince: ReadonlyMap<string, Date> = new Map();
  const readsNothing = () => [];
  const sets: FileSets = {
    queries: firstSet(
      files,
      new Map(first.queries.map((query) => [`${query.name}.sql`, query])),
      parts.textsOf,
    ),
    tables: firstSet(
      files,
      new Map(first.tables.map((table) => [`tables/${table.name}.json`, table])),
      readsNothing,
    ),
  };
  /** The files of parts without problems, as they are or were. */
  const rightParts = new Set(parts.library.parts.keys());

  return {
    get catalog() {
      return catalog;
    },
    async propose(next, check) {
      parts = await readPartsInTurns(folder, next, parts.library.files);
      const { link, isServed, textsOf, library, problems: ofParts } = parts;
      for (const path of rightParts) if (!library.parts.has(path)) rightParts.delete(path);
      for (const path of library.parts.keys()) if (!ofParts.has(path)) rightParts.add(path);
      const pathsOf = (isOne: (path: string) => boolean) => [...next].filter(([path]) => isOne(path));
      await parseChanged(sets.queries, pathsOf(isServed), textsOf, (path, content) => {
        const parsed = parseQueryFile(join(folder, path), content, link);
        const { query: value, problems } = parsed;
        if (value !== undefined) sets.queries.aliasLines.set(value, parsed.aliasLines);
        return { value, problems };
      });
      await parseChanged(sets.tables, pathsOf(isTablePath), readsNothing, (path, content) => {
        const { table: value, problems } = parseTableFile(join(folder, path), content);
        return { value, problems };
      });
      const choice = await chooseVersion(folder, sets, catalog, { complete, check });
      const refused = [...ofParts, ...choice.refused];
      const at = now();
      const since = new Map(refused.map(([path]) => [path, brokenSince.get(path) ?? at]));
      return {
        catalog: choice.catalog,
        broken: refused.map(([path, problems]) => ({
          file: join(folder, path),
          problems,
          isServed: choice.queries.has(path) || choice.tables.has(path) || rightParts.has(path),
          since: since.get(path) ?? at,
        })),
        accept() {
          catalog = choice.catalog;
          brokenSince = since;
          sets.queries.served = choice.queries;
          sets.tables.served = choice.tables;
        },
      };
    },
  };
}
