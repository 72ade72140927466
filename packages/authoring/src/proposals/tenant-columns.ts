import { parseQuery, SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { unknown } from '@querygate/bigquery-sql/types';
import { parameterUses } from './parameter-uses.ts';

interface TenantQuery {
  readonly sql: string;
  readonly tenant?: { readonly parameter: string } | undefined;
}

/** The usual names of tenants, with which the names of their columns begin. */
const usualNames =
  'tenant project org organization organisation account customer workspace team company'.split(' ');

/** Names of columns that are compared with tenants: the usual ones, and those of the saved queries. In lower case. */
export function tenantColumns(queries: readonly TenantQuery[]): ReadonlySet<string> {
  const usual = usualNames.flatMap((name) =>
    ['', '_id', '_ref', '_key', '_slug', '_uuid'].map((end) => name + end),
  );
  return new Set([...usual, ...queries.flatMap(comparedColumns)]);
}

function comparedColumns({ sql, tenant }: TenantQuery): readonly string[] {
  if (tenant === undefined) return [];
  try {
    const uses = parameterUses(parseQuery(sql), () => unknown);
    return uses.flatMap(({ name, equals }) =>
      name === tenant.parameter && equals !== undefined ? [equals.toLowerCase()] : [],
    );
  } catch (error) {
    if (error instanceof SyntaxProblem) return [];
    throw error;
  }
}
