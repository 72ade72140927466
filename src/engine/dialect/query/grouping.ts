import type { GroupByClause, Node, NumberLiteral } from 'sql-parser-cst';
import type { Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { sameName } from '../types.ts';
import { Unsupported } from '../unsupported.ts';
import type { Output } from './select-list.ts';

/** GROUP BY. Output columns are referred to by position, which no column of FROM can hide. */
export function grouping(
  node: GroupByClause | undefined,
  columns: readonly Output[],
  scope: Scope,
  tr: Translator,
): string {
  if (!node) return '';
  // The parser wraps ALL in a list of its own.
  const items = node.columns.items.flat() as readonly (Node | null)[];
  const elements = items
    .filter((item) => item !== null && item !== undefined)
    .map((item) => element(item, columns, scope, tr));
  return ` GROUP BY ${elements.join(', ')}`;
}

export const isOrdinal = (node: Node): node is NumberLiteral =>
  node.type === 'number_literal' && /^\d+$/.test(node.text);

function element(node: Node, columns: readonly Output[], scope: Scope, tr: Translator): string {
  const list = (items: readonly Node[]) =>
    `(${items.map((item) => groupingSet(item, columns, scope, tr)).join(', ')})`;
  switch (node.type) {
    case 'group_by_all':
      return 'ALL';
    case 'group_by_rollup':
      return `ROLLUP ${list(node.columns.expr.items)}`;
    case 'group_by_cube':
      return `CUBE ${list(node.columns.expr.items)}`;
    case 'group_by_grouping_sets':
      return `GROUPING SETS ${list(node.columns.expr.items)}`;
    default:
      return key(node, columns, scope, tr);
  }
}

/** One member of ROLLUP, CUBE or GROUPING SETS: a key, or any number of keys in parentheses. */
function groupingSet(node: Node, columns: readonly Output[], scope: Scope, tr: Translator): string {
  const keys = (items: readonly Node[]) =>
    `(${items.map((item) => key(item, columns, scope, tr)).join(', ')})`;
  if (node.type === 'struct_expr') return keys(node.expr.items);
  if (node.type === 'paren_expr') return keys(node.expr.type === 'list_expr' ? node.expr.items : [node.expr]);
  return element(node, columns, scope, tr);
}

function key(node: Node, columns: readonly Output[], scope: Scope, tr: Translator): string {
  if (isOrdinal(node)) {
    if (node.value >= 1 && node.value <= columns.length) return node.text;
    throw new Unsupported(node, `the select list has no column ${node.text}`);
  }
  if (node.type === 'identifier') {
    const position = columns.findIndex(({ name, aliased }) => aliased && sameName(name, node.name));
    if (position >= 0) return String(position + 1);
  }
  const { text } = tr.expr(node, scope);
  const same = columns.findIndex((column) => column.text === text);
  return same < 0 ? text : String(same + 1);
}
