import type { Syntax } from '@querygate/bigquery-sql/syntax';
import type { TableSchema } from '@querygate/bigquery-sql/table-schema';
import { compileTree, schemaTables } from '@querygate/bigquery-sql/tree';
import type { Type } from '@querygate/bigquery-sql/types';
import {
  analyzeQuery,
  checkReturned,
  compiler,
  type Dialect,
  parseSavedQuery,
  problemsOfSql,
  queryProblems,
  unfinishedTexts,
} from 'querygate/catalog';
import type { SavedQuery } from 'querygate';
import type { Problem } from '@querygate/bigquery-sql/problem';
import type { FileSql, FolderParts } from '../catalog-types.ts';
import { ownPlace } from '../own-place.ts';

/** Everything known about the text of a saved query. */
export interface CheckedDocument {
  readonly problems: readonly Problem[];
  /** Texts that its author has not written yet. */
  readonly unfinished: readonly Problem[];
  readonly query: SavedQuery | undefined;
  /** The types of the expressions of the SQL, with their offsets in it. */
  readonly types: readonly TypedPlace[];
}

export interface TypedPlace {
  readonly node: Syntax.Expression;
  readonly type: Type;
}

/** The tables and the dialect that a text is checked with. */
export interface CheckContext {
  readonly tables: readonly TableSchema[];
  readonly dialect: Dialect;
  /** Those of the folder, with the text itself. */
  readonly parts?: FolderParts;
}

/**
 * Checks one saved query as `querygate check` does, as far as its text and the tables allow.
 *
 * @param name the endpoint's name
 */
export function checkDocument(
  name: string,
  file: string,
  text: string,
  context: CheckContext,
): CheckedDocument {
  const { problems, ...checked } = check(name, file, text, context);
  // Those of parts are shown where these are open.
  return { ...checked, problems: problems.filter((problem) => problem.file === file) };
}

function check(
  name: string,
  file: string,
  text: string,
  { tables, dialect, parts }: CheckContext,
): CheckedDocument {
  const unfinished = unfinishedTexts(file, text);
  const { sql, flags } = dialect;
  const isKnown = sql === 'bigquery' && !flags?.hasOwnTables;
  const path = `${name}.sql`;
  if (parts && !parts.isServed(path)) {
    const own = parts.problems.get(path) ?? [];
    const compiled = isKnown && own.length === 0 ? parts.asQueries(path) : [];
    const ofSql = compiled.flatMap((part) => problemsOfSql({ ...part, columns: undefined }, tables));
    return { problems: [...own, ...ofSql], unfinished, query: undefined, types: [] };
  }
  const parsed = parseSavedQuery(name, file, text, parts?.link);
  if (parsed.query === undefined) {
    const ofSql = isKnown && parsed.sql !== undefined ? problemsIn(parsed.sql, parsed.problems, tables) : [];
    return { problems: [...parsed.problems, ...ofSql], unfinished, query: undefined, types: [] };
  }
  if (!isKnown) return { problems: [], unfinished, query: parsed.query, types: [] };
  const { query } = parsed;
  const found = checkQuery(query, tables);
  return { unfinished, ...found, types: found.types.flatMap((type) => placeInFile(type, query) ?? []) };
}

/** The place in the file's own SQL; undefined in a part of another file. */
function placeInFile({ node, type }: TypedPlace, { source }: SavedQuery): TypedPlace | undefined {
  const place = ownPlace(node, source);
  return place && { node: { ...node, ...place }, type };
}

/** The problems of SQL, at other places than those that are known. */
function problemsIn(
  sql: FileSql,
  known: readonly Problem[],
  tables: readonly TableSchema[],
): readonly Problem[] {
  return problemsOfSql(sql, tables).filter(
    ({ line, column }) =>
      column === undefined || !known.some((one) => one.line === line && one.column === column),
  );
}

function checkQuery(
  query: SavedQuery,
  tables: readonly TableSchema[],
): Pick<CheckedDocument, 'problems' | 'query' | 'types'> {
  const types: TypedPlace[] = [];
  const analysis = analyzeQuery(query, schemaTables(tables), false, {
    ...compiler,
    compileTree: (sql, stored, options) =>
      compileTree(sql, stored, { ...options, onExpression: (node, type) => types.push({ node, type }) }),
  });
  const { file, line } = query.source;
  try {
    const { columns } = analysis.compiled();
    const differences = checkReturned(query)(columns).map((message) => ({ file, line, message }));
    const { tenantProblems, sandboxProblems, recordProblems, zoneProblems } = analysis;
    const problems = [
      ...differences,
      ...tenantProblems(),
      ...sandboxProblems(),
      ...recordProblems(),
      ...zoneProblems(),
    ];
    return { problems, query, types };
  } catch (error) {
    return { problems: queryProblems(query, error), query, types };
  }
}
