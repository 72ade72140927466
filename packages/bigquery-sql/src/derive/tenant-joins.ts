import type * as Syntax from '../syntax/nodes.ts';
import { type CarriedTenant, nameOfTable, quoteName, refuse, type Scope } from './carried-tenant.ts';

/** The rows of FROM, by tenant. */
export interface JoinedTenant {
  /** The tenant of each row, as SQL; undefined if rows are those of every tenant. */
  tenant: string | undefined;
  /** The names of items that have the tenant's column. */
  readonly owners: string[];
  /** Conditions for WHERE. */
  readonly conditions: string[];
  /** Where a condition of an inner join compares the tenant: it is as good as one of WHERE. */
  readonly inner: Syntax.Expression[];
}

interface FromOptions {
  readonly scope: Scope;
  /** Makes the rows of a query carry the tenant. */
  readonly carry: (query: Syntax.Query) => void;
}

/** Makes the items of a FROM clause carry the tenant, and compares those of one row. @throws NotDerivable */
export function joinTenants(
  carried: CarriedTenant,
  from: Syntax.FromItem | undefined,
  options: FromOptions,
): JoinedTenant {
  const joined: JoinedTenant = { tenant: undefined, owners: [], conditions: [], inner: [] };
  if (from === undefined) return joined;
  let list: string | undefined;
  const listed = () => {
    list ??= listBefore(carried, from, joined);
    return list;
  };
  joined.tenant = tenantOfItem(carried, from, { ...options, joined, listed, isOptional: false });
  return joined;
}

/** Puts the tenants of the list before all items. @returns the tenant of a row, as SQL */
export function listBefore(carried: CarriedTenant, from: Syntax.FromItem, joined: JoinedTenant): string {
  const { names, members } = carried;
  const alias = `${names.rows}_list`;
  const list = `(SELECT ${names.tenant} FROM ${members} AS ${names.tenant}) AS ${alias}`;
  carried.insert(from.start, `${list} CROSS JOIN `);
  return ownedBy(carried, joined, alias);
}

interface ItemOptions extends FromOptions {
  readonly joined: JoinedTenant;
  readonly listed: () => string;
  /** True in the part of an outer join that a row may lack. */
  readonly isOptional: boolean;
}

function tenantOfItem(
  carried: CarriedTenant,
  item: Syntax.FromItem,
  options: ItemOptions,
): string | undefined {
  const { scope, joined } = options;
  switch (item.kind) {
    case 'Unnest':
      return undefined;
    case 'Table': {
      const name = nameOfTable(item);
      if (name === undefined || scope.get(name) !== true) return undefined;
      return ownedBy(carried, joined, item.alias?.name ?? item.path.parts[0].name);
    }
    case 'DerivedTable': {
      if (!carried.depends(item, scope)) return undefined;
      options.carry(item.query);
      if (item.alias !== undefined) return ownedBy(carried, joined, item.alias.name);
      const alias = `${carried.names.rows}_${item.start}`;
      carried.insert(item.end, ` AS ${alias}`);
      return ownedBy(carried, joined, alias);
    }
    case 'Join':
      return tenantOfJoin(carried, item, options);
    default:
      if (carried.depends(item, scope)) refuse(item, `${described[item.kind]} reads rows of the tenant`);
      return undefined;
  }
}

const described = {
  Pivot: 'PIVOT',
  Unpivot: 'UNPIVOT',
  TableSample: 'TABLESAMPLE',
  TableFunction: 'a table function',
} as const;

function ownedBy({ names }: CarriedTenant, { owners }: JoinedTenant, alias: string): string {
  owners.push(alias);
  return `${quoteName(alias)}.${names.tenant}`;
}

function tenantOfJoin(carried: CarriedTenant, join: Syntax.Join, options: ItemOptions): string | undefined {
  const { type, condition } = join;
  const { joined, isOptional } = options;
  const isOuter = type === 'LEFT' || type === 'RIGHT' || type === 'FULL';
  const left = tenantOfItem(carried, join.left, {
    ...options,
    isOptional,
  });
  const right = tenantOfItem(carried, join.right, { ...options, isOptional: isOptional || isOuter });
  if (!isOuter && !isOptional && condition?.kind === 'On') joined.inner.push(condition.condition);
  if (left === undefined && right === undefined) return undefined;
  if (type === 'RIGHT' || type === 'FULL') refuse(join, `${type} JOIN of rows of the tenant`);
  if (right === undefined) return left;
  if (left === undefined && !isOuter) return right;
  const tenant = left ?? options.listed();
  compare(carried, join, tenant, right, isOuter, options);
  return tenant;
}

function compare(
  carried: CarriedTenant,
  join: Syntax.Join,
  left: string,
  right: string,
  isOuter: boolean,
  { joined, isOptional }: ItemOptions,
): void {
  const { condition } = join;
  if (condition?.kind === 'On') {
    carried.insert(condition.condition.start, '(');
    carried.insert(condition.condition.end, `) AND ${left} = ${right}`);
  } else if (condition?.kind === 'Using' && isOuter) {
    carried.insert(condition.columns.at(-1)?.end ?? condition.end, `, ${carried.names.tenant}`);
  } else if (isOptional) refuse(join, 'a join without ON inside of an outer join');
  else joined.conditions.push(`${left} = ${right}`);
}
