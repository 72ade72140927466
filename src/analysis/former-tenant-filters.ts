import { sandboxSubject } from '../catalog/binding/caller-sql.ts';
import { type TenantParameter, unfilteredTables } from '@querygate/bigquery-sql/analysis';
import { problemAt } from '@querygate/bigquery-sql/problem';
import { openSandbox } from '@querygate/bigquery-sql/sandbox';
import { type Compiled, compileTree } from '@querygate/bigquery-sql/tree';
import type { Catalog, SavedQuery, Tenant } from '../catalog/model/saved-query.ts';
import { type Problem, StartError } from '../errors.ts';
import { queryProblems } from './query-problems.ts';

/**
 * The former proof, which compiles by itself. It runs beside the one of `tenant-filters.ts` for one commit: a query must
 * pass both.
 */
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

/** The former proof of queries that take SQL of callers. */
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
