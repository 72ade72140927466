import type { Node, OrderByClause } from 'sql-parser-cst';
import type { Scope } from '../scope.ts';
import { endOf } from '../syntax.ts';
import type { Translator } from '../translator.ts';
import { isScalar, type Type } from '../types.ts';

/** What is sorted by: an expression, or the place of a column, whose value is the expression then. */
export interface SortKey {
  readonly text: string;
  readonly type: Type;
  readonly value?: string;
}

/** `ORDER BY …` with the place of NULLs written out. `key` writes a sort key; as an expression where absent. */
export function orderText(
  node: OrderByClause,
  scope: Scope,
  tr: Translator,
  key: (expr: Node) => SortKey = (expr) => tr.expr(expr, scope),
): string {
  const items = node.specifications.items.map((item) => {
    const sorted = item.type === 'sort_specification' ? item : undefined;
    const descending = sorted?.direction?.type === 'sort_direction_desc';
    const nulls = tr.nullOrder(endOf(item)) ?? (descending ? 'LAST' : 'FIRST');
    const sort = key(sorted?.expr ?? item);
    const written = `${sort.text} ${descending ? 'DESC' : 'ASC'} NULLS ${nulls}`;
    if (!isScalar(sort.type, 'FLOAT64') || sort.value === undefined) return written;
    // NaN comes before all other numbers; to DuckDB it is the greatest.
    return `isnan(${sort.value}) ${descending ? 'ASC' : 'DESC'} NULLS ${nulls}, ${written}`;
  });
  return `ORDER BY ${items.join(', ')}`;
}
