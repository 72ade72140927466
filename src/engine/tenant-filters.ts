import type { Catalog, SavedQuery, Tenant } from '../catalog/saved-query.ts';
import { type Problem, StartError } from '../errors.ts';
import { compile } from './dialect/compile.ts';
import { unfilteredTables } from './dialect/tenant-filter.ts';

/**
 * The problems of saved queries that do not restrict every table to the tenant. A query whose SQL can't be compiled has
 * the problem that it can't be checked: the engine may run it all the same.
 */
export const tenantProblems = ({ queries, tables }: Catalog): readonly Problem[] =>
  queries.flatMap((query) => tenantProblemsOf(query, tables));

/** As `tenantProblems`, of one query. */
export function tenantProblemsOf(query: SavedQuery, tables: Catalog['tables']): readonly Problem[] {
  const { tenant, tenantUnchecked } = query;
  return tenant && tenantUnchecked === undefined ? problemsOf(query, tenant, tables) : [];
}

/** What to say of queries whose author vouches for the rows, one line each. */
export const uncheckedQueries = ({ queries }: Catalog): readonly string[] =>
  queries.flatMap(({ name, tenantUnchecked: reason }) =>
    reason === undefined
      ? []
      : [`${name}: it is not checked that only rows of one tenant are returned: ${reason}`],
  );

function problemsOf(query: SavedQuery, tenant: Tenant, tables: Catalog['tables']): readonly Problem[] {
  const { sql, source } = query;
  const parameter = { name: tenant.parameter, isPattern: tenant.pattern !== undefined };
  try {
    const { query: tree } = compile(query, tables, { hasOpenTables: true });
    return unfilteredTables(tree, parameter).map(({ name, start }) => ({
      ...placeOf(sql, source, start),
      message: unfilteredMessage(name, parameter),
    }));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const [{ line, column, message } = { message: error.message }] = error.problems;
    return [
      {
        ...source,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
        message: `it can't be checked that only rows of one tenant are returned: ${message}; ${optOut}`,
      },
    ];
  }
}

const optOut = 'if every caller may see what it returns, say why in the header: "tenant_unchecked: <reason>"';

function unfilteredMessage(table: string, { name, isPattern }: { name: string; isPattern: boolean }): string {
  const comparison = isPattern ? `REGEXP_CONTAINS(column, @${name})` : `column = @${name}`;
  return `${table} is read without "${comparison}", so rows of other tenants could be returned; add it to the conditions of that table, joined by AND; ${optOut}`;
}

function placeOf(sql: string, { file, line }: SavedQuery['source'], start: number): Omit<Problem, 'message'> {
  const before = sql.slice(0, start).split('\n');
  return { file, line: line + before.length - 1, column: (before.at(-1)?.length ?? 0) + 1 };
}
