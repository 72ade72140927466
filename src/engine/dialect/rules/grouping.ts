import type { GroupByClause, Node, NumberLiteral } from 'sql-parser-cst';
import { Refusal } from '../refusal.ts';
import type { Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { sameName } from '../type.ts';
import type { Output } from './select-list.ts';

/** GROUP BY; output columns are named by their place, which no column of FROM can hide. */
export function grouping(
  node: GroupByClause | undefined,
  columns: readonly Output[],
  scope: Scope,
  _named: Scope,
  to: Translator,
): string {
  if (!node) return '';
  const keys = node.columns.items.map((item) => key(item, columns, scope, to));
  return ` GROUP BY ${keys.join(', ')}`;
}

export const isOrdinal = (node: Node): node is NumberLiteral =>
  node.type === 'number_literal' && /^\d+$/.test(node.text);

function key(node: Node, columns: readonly Output[], scope: Scope, to: Translator): string {
  if (isOrdinal(node)) {
    if (node.value >= 1 && node.value <= columns.length) return node.text;
    throw new Refusal(node, `the select list has no column ${node.text}`);
  }
  if (node.type === 'identifier') {
    const place = columns.findIndex(({ name, aliased }) => aliased && sameName(name, node.name));
    if (place >= 0) return String(place + 1);
  }
  return to.expr(node, scope).text;
}
