import type { Node, OrderByClause } from 'sql-parser-cst';
import type { Scope } from '../scope.ts';
import { endOf } from '../syntax.ts';
import type { Translator } from '../translator.ts';
import { isScalar, type Type } from '../types.ts';

/** An expression, or the position of an output column, with the column's expression as `value`. */
export interface SortKey {
  readonly text: string;
  readonly type: Type;
  readonly value?: string;
}

/**
 * `ORDER BY …` with an explicit position of NULLs.
 *
 * @param key translates a sort key; by default as an expression
 */
export function orderText(
  node: OrderByClause,
  scope: Scope,
  tr: Translator,
  key: (expr: Node) => SortKey = (expr) => tr.expr(expr, scope),
): string {
  const items = node.specifications.items.map((item) => {
    const specification = item.type === 'sort_specification' ? item : undefined;
    const descending = specification?.direction?.type === 'sort_direction_desc';
    const nulls = tr.nullOrder(endOf(item)) ?? (descending ? 'LAST' : 'FIRST');
    const sort = key(specification?.expr ?? item);
    const byValue = `${sort.text} ${descending ? 'DESC' : 'ASC'} NULLS ${nulls}`;
    if (!isScalar(sort.type, 'FLOAT64') || sort.value === undefined) return byValue;
    // NaN is the smallest number in BigQuery, and the greatest in DuckDB.
    return `isnan(${sort.value}) ${descending ? 'ASC' : 'DESC'} NULLS ${nulls}, ${byValue}`;
  });
  return `ORDER BY ${items.join(', ')}`;
}
