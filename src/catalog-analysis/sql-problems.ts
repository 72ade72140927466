import { basename, dirname } from 'node:path';
import { problemOf } from '@querygate/bigquery-sql/problem';
import { type Compiled, compileTree, schemaTables } from '@querygate/bigquery-sql/tree';
import { parameterTypeIn, sameName, unknown } from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';
import { CatalogError } from '../catalog/folder/load-catalog.ts';
import { tablesFolder } from '../catalog/folder/read-folder.ts';
import type { FileSql } from '../catalog/header/parse-saved-query.ts';
import type { Catalog } from '../catalog/model/saved-query.ts';
import { type Problem, StartError } from '../errors.ts';
import type { Dialect } from './analyze-catalog.ts';
import { checkReturned } from './check-columns.ts';
import { queryProblems } from './query-problems.ts';

/**
 * Runs what loads a queries folder. If headers have problems, it fails with those of the SQL too: an author mends both at once.
 *
 * @param dialect nothing is known of SQL that only its engine can read, and of tables that only the engine knows
 * @throws StartError
 */
export function withSqlProblems<T>(dialect: Dialect, load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    const { broken, catalog } = error;
    throw allProblems(error, sqlProblems(error, dialect, [...broken, ...catalog.queries]));
  }
}

/** The problems of some files of a folder in which headers have problems. */
export function sqlProblems(
  { catalog: { tables } }: CatalogError,
  dialect: Dialect,
  files: readonly FileSql[],
): readonly Problem[] {
  if (dialect.sql === 'native' || dialect.flags?.hasOwnTables) return [];
  return files.flatMap((file) => problemsOfSql(file, tables));
}

/** The problems of parts that no query reads; those of others are found in their readers. */
export function unreadProblems({ unreadParts = [], tables }: Catalog, dialect: Dialect): readonly Problem[] {
  if (dialect.sql === 'native' || dialect.flags?.hasOwnTables) return [];
  return unreadParts.flatMap((part) => problemsOfSql({ ...part, columns: undefined }, tables));
}

/**
 * Those of headers and SQL together, by file and line, and one at a place. That a table is not there whose file has a problem is
 * the same problem.
 */
export function allProblems({ message, problems }: CatalogError, others: readonly Problem[]): StartError {
  const [summary = ''] = message.split(':\n');
  const places = new Set(problems.map(placeOf));
  const broken = problems.flatMap(({ file = '' }) => (isTableFile(file) ? [basename(file, '.json')] : []));
  const added = others.filter(
    (problem) =>
      (problem.column === undefined || !places.has(placeOf(problem))) &&
      !broken.some((table) => isAbsence(problem, table)),
  );
  const byPlace = (a: Problem, b: Problem) =>
    (a.file ?? '') < (b.file ?? '') ? -1 : a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : 1;
  return new StartError(summary, [...problems, ...added].toSorted(byPlace));
}

const isTableFile = (file: string): boolean =>
  file.endsWith('.json') && basename(dirname(file)) === tablesFolder;

/** True if a problem is that a table is not there, or all those of a wildcard. */
function isAbsence({ message }: Problem, table: string): boolean {
  const [, path = ''] = /^no table is named ([^;]+?)(?:; |$)/.exec(message) ?? [];
  const name = path.split('.').at(-1) ?? '';
  return name.endsWith('*')
    ? name !== '*' && foldName(table).startsWith(foldName(name.slice(0, -1)))
    : sameName(name, table);
}

const placeOf = ({ file, line, column }: Problem): string => `${file}:${line}:${column}`;

/** The problems of SQL whose undeclared parameters are unknown. */
export function problemsOfSql(
  file: FileSql,
  tables: Catalog['tables'],
  hasOpenTables = false,
): readonly Problem[] {
  const { parameters, columns, problems = [] } = file;
  if (problems.length > 0) return problems;
  const declared = new Set(parameters.map(({ name }) => foldName(name)));
  const declaredType = parameterTypeIn(parameters);
  const parameterType = (name: string) => (declared.has(foldName(name)) ? declaredType(name) : unknown);
  const checkColumns: (returned: Compiled['columns']) => readonly string[] =
    columns === undefined ? () => [] : checkReturned({ columns });
  try {
    const compiled = compileTree(file, schemaTables(tables), {
      hasOpenTables,
      parameterType,
      checkColumns,
    });
    return checkColumns(compiled.columns).map((message) => problemOf(file.source, message));
  } catch (error) {
    return queryProblems(file, error);
  }
}
