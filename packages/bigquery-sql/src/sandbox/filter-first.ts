import { sameName } from '../types.ts';
import { column, integerLiteral, select } from '../tree/build.ts';
import { forEachNode, someNode } from '../tree/map.ts';
import type { CommonTable, Expression, Query, Select, Table } from '../tree/nodes.ts';
import { resultMembers } from '../tree/query-parts.ts';

/** The parameter that chooses whose rows a query reads. */
export interface Tenant {
  readonly parameter: string;
  /** If it is a pattern: the one that runs, with the placeholder `{parameter}`. */
  readonly pattern?: string | undefined;
}

/**
 * A common table whose rows are filtered before a caller's SQL computes anything of them. DuckDB orders conditions as it
 * likes: a caller's condition that fails for a row would otherwise show that another tenant has the row. Only
 * comparisons of a stored column with a constant come first in any case, since the scan applies them; for others a LIMIT
 * that no table reaches keeps DuckDB from moving a caller's conditions below it.
 *
 * @param fresh makes aliases that are not in use
 */
export function filterFirst(
  table: CommonTable,
  tenant: Tenant | undefined,
  fresh: (prefix: string) => string,
): CommonTable {
  const { query } = table;
  if (!someNode(query, (node) => node.kind === 'table') || isFilteredByScans(query, tenant)) return table;
  const alias = fresh('filtered');
  const columns = resultMembers(query).map(({ name, value }) => ({
    name,
    value: column(alias, name, value.type),
  }));
  const from = { kind: 'derived', alias, query } as const;
  return { ...table, query: select({ columns, from, limit: noLimit }) };
}

/** More rows than any table has. */
export const noLimit = integerLiteral(Number.MAX_SAFE_INTEGER);

/** True if every stored table is alone in its FROM, and its scan applies each condition there. */
function isFilteredByScans(query: Query, tenant: Tenant | undefined): boolean {
  let tables = 0;
  let filtered = 0;
  forEachNode(query, (node) => {
    if (node.kind === 'table') tables += 1;
    if (node.kind === 'select' && node.from?.kind === 'table' && isFilteredByScan(node, node.from, tenant))
      filtered += 1;
  });
  return tables === filtered;
}

function isFilteredByScan({ where }: Select, { alias }: Table, tenant: Tenant | undefined): boolean {
  const comparisons = where.map((condition) => comparisonOf(condition, alias));
  if (comparisons.includes(undefined)) return false;
  if (tenant === undefined) return true;
  const { parameter, pattern } = tenant;
  const isTenant = (value: Expression) => value.kind === 'parameter' && sameName(value.name, parameter);
  return (
    pattern === undefined &&
    comparisons.some((comparison) => comparison?.operator === '=' && isTenant(comparison.constant))
  );
}

interface Comparison {
  readonly operator: string;
  readonly constant: Expression;
}

/** A comparison of a column with a value that is the same for all rows; undefined for another condition. */
function comparisonOf(condition: Expression, alias: string): Comparison | undefined {
  if (condition.kind !== 'operation' || !comparisons.has(condition.operator)) return undefined;
  const { operator, operands } = condition;
  const [left, right] = operands as readonly [Expression, Expression];
  const isColumn = (value: Expression) => value.kind === 'column' && value.from === alias;
  if (isColumn(left) && isConstant(right)) return { operator, constant: right };
  return isColumn(right) && isConstant(left) ? { operator, constant: left } : undefined;
}

const comparisons: ReadonlySet<string> = new Set(['=', '<', '<=', '>', '>=']);

const isConstant = (value: Expression): boolean =>
  !someNode(value, ({ kind }) => kind === 'column' || kind === 'subquery');
