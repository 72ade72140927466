import { sandboxSubject } from '../catalog/binding/caller-sql.ts';
import { type TenantParameter, unfilteredTables } from '@querygate/bigquery-sql/analysis';
import { problemAt } from '@querygate/bigquery-sql/problem';
import { openSandbox } from '@querygate/bigquery-sql/sandbox';
import { type Compiled, compileTree } from '@querygate/bigquery-sql/tree';
import type { Catalog, SavedQuery, Tenant } from '../catalog/model/saved-query.ts';
import { type Problem, StartError } from '../errors.ts';
import { queryProblems } from './query-problems.ts';

/**
 * The problems of saved queries that do not restrict every table to the tenant, for an engine that does not compile
 * them. A query whose SQL can't be compiled has the problem that it can't be checked: the engine may run it all the same.
 */
export const tenantProblems = ({ queries, tables }: Catalog): readonly Problem[] =>
  queries.flatMap((query) => tenantProblemsOf(query, tables));

/** As `tenantProblems`, of one query. */
export function tenantProblemsOf(query: SavedQuery, tables: Catalog['tables']): readonly Problem[] {
  if (!isChecked(query)) return [];
  try {
    return unfilteredProblems(query, compileTree(query, tables, { hasOpenTables: true }));
  } catch (error) {
    const [problem = { ...query.source, message: String(error) }] = queryProblems(query, error);
    const message = `it can't be checked that only rows of one tenant are returned: ${problem.message}; ${optOut}`;
    return [{ ...problem, message }];
  }
}

/**
 * The problems of saved queries that take SQL: callers choose the last SELECT, so that each common table that they can
 * name must be restricted to the tenant by itself.
 */
export const sandboxProblems = ({ queries, tables }: Catalog): readonly Problem[] =>
  queries.flatMap((query) => sandboxProblemsOf(query, tables));

/** As `sandboxProblems`, of one query. */
export function sandboxProblemsOf(query: SavedQuery, tables: Catalog['tables']): readonly Problem[] {
  if (query.querySandboxing !== 'enabled') return [];
  const { sql, source, tenant } = query;
  try {
    compileTree(query, tables, { hasOpenTables: true });
    const sandbox = openSandbox(query, tables, { hasOpenTables: true, subject: sandboxSubject });
    const found = new Map<string, Problem>();
    for (const common of sandbox.tables) {
      const { query: tree } = sandbox.readAll(common);
      if (tenant === undefined) continue;
      const parameter = tenantParameter(query, tenant);
      for (const { name, start } of unfilteredTables(tree, parameter)) {
        const problem = problemAt(sql, source, start, unfilteredCommonMessage(common, name, parameter));
        // A table that others read is named once, where it is read first.
        const key = `${problem.line}:${problem.column}`;
        if (!found.has(key)) found.set(key, problem);
      }
    }
    return [...found.values()];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.problems.map(({ message, ...place }) => ({
      ...place,
      message: message.startsWith('query_sandboxing')
        ? message
        : `query_sandboxing: enabled needs SQL that Querygate can check: ${message}`,
    }));
  }
}

/** The tables that a query does not restrict to the tenant, a problem each; none if it need not. */
export function unfilteredProblems(query: SavedQuery, { query: tree }: Compiled): readonly Problem[] {
  const { tenant, sql, source } = query;
  if (!tenant || !isChecked(query)) return [];
  const parameter = tenantParameter(query, tenant);
  return unfilteredTables(tree, parameter).map(({ name, start }) =>
    problemAt(sql, source, start, unfilteredMessage(name, parameter)),
  );
}

const tenantParameter = (
  { parameters }: SavedQuery,
  { parameter: name, pattern }: Tenant,
): TenantParameter => ({
  name,
  isPattern: pattern !== undefined,
  isList: parameters.some((parameter) => parameter.name === name && parameter.repeated),
});

const isChecked = ({ tenant, tenantUnchecked }: SavedQuery): boolean =>
  tenant !== undefined && tenantUnchecked === undefined;

/** The problems of a saved query whose SQL is that of another engine than BigQuery, so that nothing can be proved of it. */
export function uncheckableProblems(
  query: SavedQuery,
  engine: string,
  enforcesTenants: boolean,
): readonly Problem[] {
  const tenant = `it can't be checked that only rows of one tenant are returned: ${engine} runs SQL of its own; ${optOut}`;
  const sandbox = `query_sandboxing: enabled needs SQL that Querygate can check: ${engine} runs SQL of its own`;
  return [
    ...(isChecked(query) && !enforcesTenants ? [tenant] : []),
    ...(query.querySandboxing === 'enabled' ? [sandbox] : []),
  ].map((message) => ({ ...query.source, message }));
}

/** What to say of queries whose author vouches for the rows, one line each. */
export const uncheckedQueries = ({ queries }: Catalog): readonly string[] =>
  queries.flatMap(({ name, tenantUnchecked: reason }) =>
    reason === undefined
      ? []
      : [`${name}: it is not checked that only rows of one tenant are returned: ${reason}`],
  );

const optOut = 'if every caller may see what it returns, say why in the header: "tenant_unchecked: <reason>"';

function comparisonWith({ name, isPattern, isList }: TenantParameter): string {
  if (isPattern) return `REGEXP_CONTAINS(column, @${name})`;
  return isList ? `column IN UNNEST(@${name})` : `column = @${name}`;
}

function unfilteredMessage(table: string, parameter: TenantParameter): string {
  return `${table} is read without "${comparisonWith(parameter)}", so rows of other tenants could be returned; add it to the conditions of that table, joined by AND; ${optOut}`;
}

function unfilteredCommonMessage(common: string, table: string, parameter: TenantParameter): string {
  return `the common table ${common} reads ${table} without "${comparisonWith(parameter)}", so that with query_sandboxing: enabled a caller's SQL could return rows of other tenants; add it to the conditions of that table inside of ${common}`;
}
