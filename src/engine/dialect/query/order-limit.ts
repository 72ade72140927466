import type { Node, SelectStmt } from 'sql-parser-cst';
import { orderText, type SortKey } from '../expr/order-by.ts';
import type { Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { Unsupported } from '../unsupported.ts';
import { type ClauseOf, clauseOf, isDistinct } from './clauses.ts';
import { isOrdinal } from './grouping.ts';
import type { Output } from './select-list.ts';

/** ORDER BY and LIMIT. */
export const orderAndLimitText = (
  node: SelectStmt,
  columns: readonly Output[],
  scope: Scope,
  tr: Translator,
): string =>
  orderByText(clauseOf(node, 'order_by_clause'), columns, isDistinct(node), scope, tr) +
  limitText(clauseOf(node, 'limit_clause'), scope, tr);

function orderByText(
  clause: ClauseOf<'order_by_clause'> | undefined,
  columns: readonly Output[],
  distinct: boolean,
  scope: Scope,
  tr: Translator,
): string {
  if (!clause) return '';
  return ` ${orderText(clause, scope, tr, (expr) => sortKey(expr, columns, distinct, scope, tr))}`;
}

/** Output columns are referred to by position, which no column of FROM can hide. */
function sortKey(
  node: Node,
  columns: readonly Output[],
  distinct: boolean,
  scope: Scope,
  tr: Translator,
): SortKey {
  const byPosition = (index: number): SortKey => {
    const column = columns[index];
    if (!column) throw new Unsupported(node, `the select list has no column ${index + 1}`);
    // With DISTINCT, ORDER BY can use output columns only.
    return { text: String(index + 1), type: column.type, ...(distinct ? {} : { value: column.text }) };
  };
  if (isOrdinal(node)) return byPosition(node.value - 1);
  if (node.type === 'identifier') {
    const position = columns.findIndex(
      ({ name, aliased }) => aliased && name.toLowerCase() === node.name.toLowerCase(),
    );
    if (position >= 0) return byPosition(position);
  }
  const sort = tr.expr(node, scope);
  if (!distinct) return { ...sort, value: sort.text };
  const position = columns.findIndex(({ text }) => text === sort.text);
  if (position < 0)
    throw new Unsupported(node, 'with SELECT DISTINCT, ORDER BY takes columns of the select list only');
  return byPosition(position);
}

function limitText(clause: ClauseOf<'limit_clause'> | undefined, scope: Scope, tr: Translator): string {
  if (!clause) return '';
  if (!clause.count || clause.count.type === 'limit_all')
    throw new Unsupported(clause, 'LIMIT takes a number');
  const count = ` LIMIT ${tr.expr(clause.count, scope).text}`;
  return clause.offset ? `${count} OFFSET ${tr.expr(clause.offset, scope).text}` : count;
}
