import type { Node, OrderByClause } from 'sql-parser-cst';
import type { Scope } from '../scope.ts';
import { endOf } from '../syntax.ts';
import type { Translator } from '../translator.ts';

/** `ORDER BY …` with the place of NULLs written out. `key` writes a sort key; as an expression where absent. */
export function orderText(
  node: OrderByClause,
  scope: Scope,
  to: Translator,
  key: (expr: Node) => string = (expr) => to.expr(expr, scope).text,
): string {
  const items = node.specifications.items.map((item) => {
    const sorted = item.type === 'sort_specification' ? item : undefined;
    const descending = sorted?.direction?.type === 'sort_direction_desc';
    const nulls = to.nullOrder(endOf(item)) ?? (descending ? 'LAST' : 'FIRST');
    return `${key(sorted?.expr ?? item)} ${descending ? 'DESC' : 'ASC'} NULLS ${nulls}`;
  });
  return `ORDER BY ${items.join(', ')}`;
}
