import type { Catalog, SavedQuery } from '../catalog/saved-query.ts';
import type { Problem } from '../errors.ts';
import { type Compiled, compile } from './dialect/compile.ts';
import { problemAt } from './dialect/problem-at.ts';
import { unfilteredTables } from './dialect/tenant-filter.ts';
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
    return unfilteredProblems(query, compile(query, tables, { hasOpenTables: true }));
  } catch (error) {
    const [problem = { ...query.source, message: String(error) }] = queryProblems(query, error);
    const message = `it can't be checked that only rows of one tenant are returned: ${problem.message}; ${optOut}`;
    return [{ ...problem, message }];
  }
}

/** The tables that a query does not restrict to the tenant, a problem each; none if it need not. */
export function unfilteredProblems(query: SavedQuery, { query: tree }: Compiled): readonly Problem[] {
  const { tenant, sql, source } = query;
  if (!tenant || !isChecked(query)) return [];
  const parameter = { name: tenant.parameter, isPattern: tenant.pattern !== undefined };
  return unfilteredTables(tree, parameter).map(({ name, start }) =>
    problemAt(sql, source, start, unfilteredMessage(name, parameter)),
  );
}

const isChecked = ({ tenant, tenantUnchecked }: SavedQuery): boolean =>
  tenant !== undefined && tenantUnchecked === undefined;

/** What to say of queries whose author vouches for the rows, one line each. */
export const uncheckedQueries = ({ queries }: Catalog): readonly string[] =>
  queries.flatMap(({ name, tenantUnchecked: reason }) =>
    reason === undefined
      ? []
      : [`${name}: it is not checked that only rows of one tenant are returned: ${reason}`],
  );

const optOut = 'if every caller may see what it returns, say why in the header: "tenant_unchecked: <reason>"';

function unfilteredMessage(table: string, { name, isPattern }: { name: string; isPattern: boolean }): string {
  const comparison = isPattern ? `REGEXP_CONTAINS(column, @${name})` : `column = @${name}`;
  return `${table} is read without "${comparison}", so rows of other tenants could be returned; add it to the conditions of that table, joined by AND; ${optOut}`;
}
