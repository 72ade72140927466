import { sameName } from '@querygate/bigquery-sql/types';
import type { TenantParameter } from '@querygate/bigquery-sql/analysis';
import { parseQuery, type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';

/** A comparison with the tenant that does not count, because OR joins it to another condition. */
export interface UnderOr {
  /** The column as the SQL writes it. */
  readonly column: string;
  /** Its offset in the SQL. */
  readonly start: number;
}

/**
 * The first comparison of a table's column with the tenant that is under OR.
 *
 * @param tableStart where the SQL names the table
 * @throws SyntaxProblem
 */
export function tenantUnderOr(sql: string, tenant: TenantParameter, tableStart: number): UnderOr | undefined {
  const found: UnderOr[] = [];
  walk(parseQuery(sql), (node, around) => {
    if (node.kind !== 'NamedParameter' || foldName(node.name.name) !== foldName(tenant.name)) return;
    const column = comparedPath(node, around, tenant);
    const at = around.findLastIndex(({ kind }) => kind === 'Select');
    const select = around[at];
    const isUnderOr = around.slice(at).some((one) => one.kind === 'Logical' && one.operator === 'OR');
    if (column === undefined || select?.kind !== 'Select' || !isUnderOr) return;
    if (readsFrom(select, column, tableStart))
      found.push({ column: sql.slice(column.start, column.end), start: column.start });
  });
  return found[0];
}

/** The column in `column = @tenant`, `column IN UNNEST(@tenants)` or `REGEXP_CONTAINS(column, @tenant)`. */
function comparedPath(
  node: Syntax.Node,
  around: readonly Syntax.Node[],
  { isList, isPattern }: TenantParameter,
): Syntax.Path | undefined {
  const [owner, parent] = around.slice(-2);
  let other: Syntax.Node | undefined;
  if (isPattern) {
    const isMatch = parent?.kind === 'FunctionCall' && /^regexp_contains$/i.test(parent.name.parts[0].name);
    if (isMatch) [other] = parent.args;
  } else if (isList) {
    if (parent?.kind === 'UnnestedValues' && owner?.kind === 'In') other = owner.operand;
  } else if (parent?.kind === 'Comparison' && parent.operator === '=')
    other = parent.left === node ? parent.right : parent.left;
  return other?.kind === 'Path' ? other : undefined;
}

/** True if a column of a SELECT is one of a table in its FROM: the only table, or the one that the column names. */
function readsFrom({ from }: Syntax.Select, { parts }: Syntax.Path, tableStart: number): boolean {
  const tables: Syntax.Table[] = [];
  if (from !== undefined)
    walk(from, (node) => {
      if (node.kind === 'Table') tables.push(node);
    });
  const table = tables.find(({ start }) => start === tableStart);
  if (table === undefined || tables.length === 1) return table !== undefined;
  const name = table.alias?.name ?? table.path.parts.at(-1)?.name;
  return parts.length > 1 && sameName(parts[0].name, name ?? '');
}
