import { basename, join } from 'node:path';
import { type Problem, StartError } from '../../errors.ts';
import { checkAddresses } from '../check/check-addresses.ts';
import { checkCatalog } from '../check/check-catalog.ts';
import { type CatalogFiles, type FileContent, isTablePath, readFolder } from './read-folder.ts';
import { type ParsedQuery, parseQuery } from '../header/parse-query.ts';
import type { Catalog } from '../model/saved-query.ts';
import { tablesOf } from './load-tables.ts';
import { namePattern, nameRule } from '../model/version-name.ts';

/**
 * Loads a queries folder: each `*.sql` in it is a saved query, each `tables/*.json` a table.
 *
 * @throws StartError with every problem of every file
 */
export function loadCatalog(folder: string): Catalog {
  return parseCatalog(folder, readFolder(folder));
}

/** As `loadCatalog`, of files that have been read. */
export function parseCatalog(folder: string, files: CatalogFiles): Catalog {
  const parsed = [...files]
    .filter(([path]) => !isTablePath(path))
    .map(([path, content]) => parseQueryFile(join(folder, path), content));
  const valid = parsed.filter((file) => file.query !== undefined);
  const queries = valid.map(({ query }) => query);
  const { tables, problems: tableProblems } = tablesOf(folder, files);

  const problems = [
    ...parsed.flatMap((query) => query.problems),
    ...checkCatalog(queries),
    ...checkAddresses(valid),
    ...tableProblems,
  ];
  if (problems.length > 0) throw new StartError('The saved queries have problems', problems);
  return { queries, tables };
}

/** The saved query of one file, whose name is the query's. */
export function parseQueryFile(file: string, content: FileContent): ParsedQuery {
  const name = basename(file, '.sql');
  const problems: Problem[] = [];
  if (!namePattern.test(name)) {
    problems.push({ file, message: `the name ${nameRule}` });
  }
  if ('problem' in content) return { problems: [...problems, { file, message: content.problem }] };
  const parsed = parseQuery(name, file, content.text);
  return problems.length === 0 ? parsed : { problems: [...problems, ...parsed.problems] };
}
