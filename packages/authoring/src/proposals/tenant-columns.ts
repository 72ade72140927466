import { parseQuery, SyntaxProblem } from '@querygate/bigquery-sql/syntax';
import { unknown } from '@querygate/bigquery-sql/types';
import { foldName } from '@querygate/text';
import { parameterUses } from './parameter-uses.ts';
import { snakeCase } from './snake-case.ts';

interface TenantQuery {
  readonly sql: string;
  readonly tenant?: { readonly parameter: string } | undefined;
}

/** The usual names of columns of tenants, as words: `tenant_id`, `customer_account`. */
const usualNames =
  /^(?:(?:tenant|project|org|organization|organisation|account|customer|workspace|team|company)(?:_|$))+(?:id|ref|key|slug|uuid)?$/;

/** True for a column of tenants: its name is a usual one, or saved queries compare it with their tenants. */
export const isTenantColumn = (name: string, ofQueries: ReadonlySet<string>): boolean =>
  usualNames.test(snakeCase(name)) || ofQueries.has(foldName(name));

/** Names of columns that the saved queries compare with their tenants. In lower case. */
export const tenantColumns = (queries: readonly TenantQuery[]): ReadonlySet<string> =>
  new Set(queries.flatMap(comparedColumns));

function comparedColumns({ sql, tenant }: TenantQuery): readonly string[] {
  if (tenant === undefined) return [];
  try {
    const uses = parameterUses(parseQuery(sql), () => unknown);
    return uses.flatMap(({ name, equals }) =>
      name === tenant.parameter && equals !== undefined ? [foldName(equals)] : [],
    );
  } catch (error) {
    if (error instanceof SyntaxProblem) return [];
    throw error;
  }
}
