import { openSandbox, type Sandbox } from '@querygate/bigquery-sql/sandbox';
import { problemOf } from '@querygate/bigquery-sql/problem';
import { type Compiled, compileTree, type StoredTable } from '@querygate/bigquery-sql/tree';
import { sandboxSubject } from '../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../catalog/model/saved-query.ts';
import { type Problem, StartError } from '../errors.ts';
import { once } from '../memoize.ts';
import { checkReturned, repeatedNames } from './check-columns.ts';
import { recordProblemsOf } from './check-records.ts';
import { zoneProblemsOf } from './check-zones.ts';
import { type KnownColumn, knownColumns } from './known-columns.ts';
import { sandboxProblemsOf, tenantProblemsOf } from './tenant-filters.ts';

/** The facts that the files give about a saved query. Each part is computed when it is first needed, and once. */
export interface QueryAnalysis {
  /** The tree, over the schemas of the tables. @throws StartError with every problem of the SQL */
  readonly compiled: () => Compiled;
  /** The columns that the SQL returns; undefined if it cannot be compiled: an engine that needs it says why. */
  readonly columns: () => readonly KnownColumn[] | undefined;
  /** The rules for callers' SQL; undefined if the query takes none, or has a problem for which it must not. */
  readonly sandbox: () => Sandbox | undefined;
  /**
   * The tables that are not restricted to the tenant. A query whose SQL can't be compiled has the problem that it can't be
   * checked: an engine may run it all the same.
   */
  readonly tenantProblems: () => readonly Problem[];
  /** The same of each common table that a caller's SQL can name. */
  readonly sandboxProblems: () => readonly Problem[];
  /** The differences between the fields that the header declares for its records and those of the SQL. */
  readonly recordProblems: () => readonly Problem[];
  /** The values in the header that parameters for time zones cannot have. */
  readonly zoneProblems: () => readonly Problem[];
}

/** The compiler of saved queries' SQL; tests count its calls. */
export interface Compiler {
  readonly compileTree: typeof compileTree;
  readonly openSandbox: typeof openSandbox;
}

/** The compiler of saved queries. */
export const compiler: Compiler = { compileTree, openSandbox };

/**
 * Analyzes the SQL of a saved query when a part of the analysis is needed first.
 *
 * @param hasOpenTables whether the query may read other tables too
 */
export function analyzeQuery(
  query: SavedQuery,
  tables: readonly StoredTable[],
  hasOpenTables: boolean,
  { compileTree, openSandbox }: Compiler,
): QueryAnalysis {
  const compiled = once(() => {
    const tree = compileTree(query, tables, { hasOpenTables, checkColumns: checkReturned(query) });
    const problems = repeatedNames(tree.columns).map((message) => problemOf(query.source, message));
    if (problems.length > 0) throw new StartError('The SQL returns several columns of one name', problems);
    return tree;
  });
  const columns = once(() => knownColumns(compiled, tables));
  const opened = once(() => openSandbox(query, tables, { hasOpenTables, subject: sandboxSubject }));
  const sandboxProblems = once(() => sandboxProblemsOf(query, compiled, opened));
  const takesSql = query.querySandboxing === 'enabled';
  return {
    compiled,
    columns,
    sandbox: () => (takesSql && sandboxProblems().length === 0 ? opened() : undefined),
    tenantProblems: once(() => tenantProblemsOf(query, compiled)),
    sandboxProblems,
    recordProblems: once(() => recordProblemsOf(query, columns)),
    zoneProblems: once(() => (columns() === undefined ? [] : zoneProblemsOf(query, compiled()))),
  };
}
