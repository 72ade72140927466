import {
  NotDerivable,
  requireExactSums,
  separateColumns,
  type SharedStatement,
  shareTenants,
} from '@querygate/bigquery-sql/derive';
import { type Compiled, forEachNode } from '@querygate/bigquery-sql/tree';
import { isScalar } from '@querygate/bigquery-sql/types';
import type { Derivation } from '../../catalog-analysis/derived/derive-query.ts';
import { extractTenant, type TenantExtraction } from '../../catalog/binding/patterns/tenant-pattern.ts';
import type { Column, Parameter, SavedQuery } from '../../catalog/model/saved-query.ts';

/** How many rows a shared run has at most, of all tenants. */
export const maxSharedRows = 100_000;

/** The statement that computes a query for many tenants. */
export interface SharedForm extends SharedStatement {
  /** The parameter that names the tenant. */
  readonly parameter: string;
  /** Finds the tenant in the value of that parameter, if it is a pattern. */
  readonly extraction: TenantExtraction | undefined;
}

/** @throws NotDerivable */
function sharedFormOf(query: SavedQuery): SharedForm {
  const { tenant, sql, columns, maxRows, tenantUnchecked, batch } = query;
  if (tenant === undefined) throw new NotDerivable('it has no tenant');
  if (batch === 'off') throw new NotDerivable('batch: off');
  if (tenantUnchecked !== undefined)
    throw new NotDerivable('tenant_unchecked: it is not proved that rows of tenants are separate');
  const parameter = query.parameters.find(({ name }) => name === tenant.parameter);
  if (parameter?.repeated) throw new NotDerivable('its tenant is a list');
  const isPattern = parameter?.type === 'pattern';
  const extraction =
    tenant.pattern === undefined ? undefined : extractTenant(tenant.pattern, tenant.parameter);
  if (isPattern && extraction === undefined)
    throw new NotDerivable('its tenant is a pattern that names the tenant more than once, or not at all');
  const names = columns.map(({ name }) => name);
  const shared = shareTenants({
    ...{ sql, maxRows, isPattern, columns: names, tenant: tenant.parameter },
    extract: extraction?.expression,
  });
  return { ...shared, parameter: tenant.parameter, extraction };
}

/** The derivation of the rows of many tenants; `form` is known once it has succeeded. */
export function sharedQuery(): { readonly derivation: Derivation; form: SharedForm | undefined } {
  const made: ReturnType<typeof sharedQuery> = {
    form: undefined,
    derivation(query, compiled) {
      const form = sharedFormOf(query);
      const { query: tree } = compiled();
      requireExactSums(tree);
      requireExactTexts(tree);
      requireKeys(tree);
      made.form = form;
      const isPattern = form.extraction !== undefined;
      return {
        sql: form.sql,
        parameters: [...query.parameters.filter(({ name }) => name !== form.parameter), listOf(form.list)],
        columns: columnsOf(form, query),
        maxRows: maxSharedRows,
        // The tenant of a pattern is a part of a column, which only the check below follows.
        tenant: isPattern ? null : { parameter: form.list, pattern: undefined },
        check: (shared) => requireSeparate(shared, form),
      };
    },
  };
  return made;
}

/** Equal tenants must be one tenant. */
function requireExactTexts(tree: Compiled['query']): void {
  forEachNode(tree, (node) => {
    if (node.kind === 'table' && node.collated)
      throw new NotDerivable(
        `the table ${node.name} has a collation, by which BigQuery takes different texts for equal`,
        node.start,
      );
  });
}

/** GROUP BY ALL without columns is a group of all rows, which has a row also for a tenant without rows. */
function requireKeys(tree: Compiled['query']): void {
  forEachNode(tree, (node) => {
    if (node.kind === 'select' && node.groupBy?.sets?.some((set) => set.length === 0))
      throw new NotDerivable('GROUP BY without a column has a row also for a tenant without rows');
  });
}

/** The security of shared runs: whatever made the text, rows of two tenants never meet in it. */
function requireSeparate({ query, columns }: Compiled, { tenant }: SharedForm): void {
  const type = columns.find(({ name }) => name === tenant)?.type;
  if (type === undefined || !(isScalar(type, 'STRING') || type.kind === 'unknown'))
    throw new NotDerivable('the column that is compared with the tenant is not a STRING, or has a collation');
  if (!separateColumns(query).has(tenant))
    throw new NotDerivable('it is not proved that rows of different tenants never meet');
  // The values of a caller would have the column that shared runs add.
  forEachNode(query, (node) => {
    if (node.kind === 'struct' && node.fields.some(({ name }) => name === tenant))
      throw new NotDerivable('a row as a whole is a value; name the columns that it needs');
  });
}

const columnsOf = ({ tenant, rank }: SharedForm, { columns }: SavedQuery): readonly Column[] => [
  added(tenant, 'string'),
  added(rank, 'integer'),
  ...columns,
];

const added = (name: string, type: Column['type']): Column => ({
  ...{ name, type, repeated: false, required: true },
  ...{ unit: undefined, description: 'Of a shared run.' },
});

const listOf = (name: string): Parameter => ({
  ...{ name, type: 'string', repeated: true, required: true },
  ...{ default: undefined, example: undefined, description: 'Of a shared run.' },
});
