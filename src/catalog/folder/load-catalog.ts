import { basename, join } from 'node:path';
import { sameName } from '@querygate/bigquery-sql/types';
import { distinctProblems, type Problem, StartError } from '../../errors.ts';
import { checkAddresses } from '../check/check-addresses.ts';
import { checkCatalog } from '../check/check-catalog.ts';
import type { Link } from '../header/link.ts';
import { type CatalogFiles, contentProblem, type FileContent, readFolder } from './read-folder.ts';
import { readParts } from './read-parts.ts';
import { type FileSql, type ParsedQuery, parseSavedQuery } from '../header/parse-saved-query.ts';
import type { Catalog } from '../model/saved-query.ts';
import { tablesOf } from './load-tables.ts';
import { namePattern, nameRule } from '../model/version-name.ts';

/** Why a queries folder cannot be served, with what of it has no problems. */
export class CatalogError extends StartError {
  /** The files without problems of their own. */
  readonly catalog: Catalog;
  /** The SQL of the others, as far as it can be found. */
  readonly broken: readonly FileSql[];

  /** Otherwise the check of StartError, which takes more, would be inherited. */
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof StartError && 'broken' in error;
  }

  constructor(problems: readonly Problem[], catalog: Catalog, broken: readonly FileSql[]) {
    super('The saved queries have problems', problems);
    this.catalog = catalog;
    this.broken = broken;
  }
}

/**
 * Loads a queries folder: each `*.sql` in it is a saved query, each `tables/*.json` a table.
 *
 * @throws StartError if the folder cannot be read; CatalogError with every problem of its headers and tables
 */
export function loadCatalog(folder: string): Catalog {
  return parseCatalog(folder, readFolder(folder));
}

/** As `loadCatalog`, of files that have been read. @param parts those among the files */
export function parseCatalog(folder: string, files: CatalogFiles, parts = readParts(folder, files)): Catalog {
  const parsed = [...files]
    .filter(([path]) => parts.isServed(path))
    .map(([path, content]) => parseQueryFile(join(folder, path), content, parts.link));
  const valid = parsed.filter((file) => file.query !== undefined);
  const queries = valid.map(({ query }) => query);
  const { tables, problems: tableProblems } = tablesOf(folder, files);

  const problems = distinctProblems([
    ...parsed.flatMap((query) => query.problems),
    ...[...parts.problems.values()].flat(),
    ...checkCatalog(queries),
    ...checkAddresses(valid),
    ...tableProblems,
  ]);
  if (problems.length > 0) {
    const broken = parsed.flatMap((file) => (file.query === undefined ? (file.sql ?? []) : []));
    // Of two declarations of a table, neither is known to be the right one.
    const known = tables.filter(({ name }) => !tableProblems.some((one) => isOfTable(one, name)));
    throw new CatalogError(problems, { queries, tables: known }, broken);
  }
  return { queries, tables, unreadParts: parts.unread() };
}

const isOfTable = ({ file = '' }: Problem, name: string): boolean => sameName(basename(file, '.json'), name);

/** The saved query of one file, whose name is the query's. @param link as for `parseSavedQuery` */
export function parseQueryFile(file: string, content: FileContent, link?: Link): ParsedQuery {
  const name = basename(file, '.sql');
  const problems: Problem[] = [];
  if (!namePattern.test(name)) {
    problems.push({ file, message: `the name ${nameRule}` });
  }
  if ('problem' in content) return { problems: [...problems, contentProblem(file, content)] };
  const parsed = parseSavedQuery(name, file, content.text, link);
  return problems.length === 0
    ? parsed
    : { problems: [...problems, ...parsed.problems], sql: parsed.query ?? parsed.sql };
}
