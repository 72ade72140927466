import { type Syntax, walk } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';
import { columnName } from './parameter-uses.ts';
import { snakeCase } from './snake-case.ts';

/** The nodes that contain a node, outermost first. */
export type Around = readonly Syntax.Node[];

/** The names that stand for tables: `o.id` is the column `id`, `order.id` may be a field of the record `order`. */
export function tableNames(statement: Syntax.Statement): ReadonlySet<string> {
  const names = new Set<string>();
  walk(statement, (node) => {
    if (node.kind === 'CommonTable') names.add(foldName(node.name.name));
    if (node.kind === 'Table') names.add(foldName(node.path.parts.at(-1)?.name ?? ''));
    if ('alias' in node && node.alias) names.add(foldName(node.alias.name));
  });
  return names;
}

/** `repo` for `repo.name`, `repo_id` for `repo.id`, `repo_type` for `repo.type`, otherwise the name of the column. */
export function idName(node: Syntax.Node, around: Around, tables: ReadonlySet<string>): string {
  const path = comparedWith(node, around).find((other) => other.kind === 'Path');
  const names = path?.kind === 'Path' ? path.parts.map((part) => part.name) : [];
  const [record, last = 'id'] = names.length > 1 ? names.slice(-2) : [undefined, names[0]];
  const field = snakeCase(last) || 'value';
  const isName = /^(?:id|name|uuid|ref|key|slug|type|kind)$/.test(field);
  if (record === undefined || tables.has(foldName(record)) || !isName) return field;
  return field === 'name' ? snakeCase(record) || field : snakeCase(`${record}_${field}`);
}

/** The expressions that a literal is compared with; empty if it is not compared. */
export function comparedWith(node: Syntax.Node, around: Around): readonly Syntax.Expression[] {
  const parent = around.at(-1);
  const owner = around.at(-2);
  if (parent?.kind === 'Comparison') return [parent.left, parent.right].filter((other) => other !== node);
  if (parent?.kind === 'Between' && parent.operand !== node) return [parent.operand];
  return parent?.kind === 'ExpressionList' && owner?.kind === 'In' ? [owner.operand] : [];
}

/** The name of the column with which a literal is compared. */
export const comparedColumn = (node: Syntax.Node, around: Around): string | undefined =>
  comparedWith(node, around)
    .map(columnName)
    .find((name) => name !== undefined);

/** The values of `column IN ('a', 'b')`, if it is a condition of the query. */
export function listedValues(
  { items }: Syntax.ExpressionList,
  around: Around,
): { readonly column: string; readonly values: readonly string[] } | undefined {
  const parent = around.at(-1);
  if (parent?.kind !== 'In' || parent.negated || !isRequired(parent, around.slice(0, -1))) return undefined;
  const column = columnName(parent.operand);
  const values = items.flatMap((item) =>
    item.kind === 'StringLiteral' ? [item.value] : item.kind === 'IntegerLiteral' ? [item.text] : [],
  );
  if (column === undefined || values.length < items.length || values.includes('')) return undefined;
  return { column, values };
}

export const pluralOf = (name: string): string =>
  name.endsWith('s') ? name : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;

/** True if a literal is compared by a condition that must hold in every row that the query returns. */
export function isCondition(around: Around): boolean {
  const parent = around.at(-1);
  return parent?.kind === 'Comparison' && parent.operator === '=' && isRequired(parent, around.slice(0, -1));
}

/** True if a condition is part of WHERE, HAVING or QUALIFY, with only AND above it. */
export function isRequired(condition: Syntax.Node, around: Around): boolean {
  let child = condition;
  for (const node of around.toReversed()) {
    if (node.kind === 'Select')
      return [node.where, node.having, node.qualify].includes(child as Syntax.Expression);
    if (node.kind === 'PipeWhere') return true;
    if (node.kind !== 'Logical' || node.operator !== 'AND') return false;
    child = node;
  }
  return false;
}
