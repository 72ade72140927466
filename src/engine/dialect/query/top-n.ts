import type { LimitClause, Node, OrderByClause, SelectStmt } from 'sql-parser-cst';
import { markThreshold } from '../passes/hoist-constants.ts';
import type { Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { isScalar } from '../types.ts';
import { type Clauses, clauseOf, fromAndWhere } from './clauses.ts';

/**
 * For `ORDER BY key … LIMIT n` over wide rows: a condition that holds only for rows whose key is among the first n.
 * The keys are read first and separately, so that the wide columns are read for those rows only.
 *
 * @param isOutermost whether the query is not part of another one: then the keys can be read before it runs
 * @returns no condition if the rows are not wide or the key may be NULL
 */
export function topNCondition(
  node: SelectStmt,
  clauses: Clauses,
  isOutermost: boolean,
  tr: Translator,
): readonly string[] {
  const { ctes, columns, outputScope } = clauses;
  const order = clauseOf(node, 'order_by_clause');
  const limit = clauseOf(node, 'limit_clause');
  const count = limit && rowLimit(limit);
  const key = order && firstKey(order, outputScope, tr);
  if (count === undefined || key === undefined || !columns.some(({ shredded }) => shredded)) return [];
  const { text, type, descending } = key;
  const first = `SELECT ${text} AS "key"${fromAndWhere(clauses)} ORDER BY 1 ${descending ? 'DESC' : 'ASC'} LIMIT ${count}`;
  const threshold = `(SELECT ${descending ? 'min' : 'max'}("key") FROM (${isOutermost ? ctes.prependTo(first) : first}))`;
  return [`${text} ${descending ? '>=' : '<='} ${isOutermost ? markThreshold(threshold, type) : threshold}`];
}

/** LIMIT plus OFFSET, if both are numeric literals. */
function rowLimit({ count, offset }: LimitClause): number | undefined {
  const numbers = [count, offset].map((node) => (node === undefined ? 0 : numberOf(node)));
  const sum = numbers.reduce<number>((sum, number) => sum + (number ?? Number.NaN), 0);
  return Number.isSafeInteger(sum) ? sum : undefined;
}

const numberOf = (node: Node): number | undefined =>
  node.type === 'number_literal' && /^\d+$/.test(node.text) ? Number(node.text) : undefined;

function firstKey(order: OrderByClause, scope: Scope, tr: Translator) {
  const [first] = order.specifications.items;
  if (!first) return undefined;
  const sort = first.type === 'sort_specification' ? first : undefined;
  const { text, type, required } = tr.expr(sort?.expr ?? first, scope);
  // NaN is the smallest number in BigQuery, and the greatest in DuckDB.
  if (!required || isScalar(type, 'FLOAT64')) return undefined;
  return { text, type, descending: sort?.direction?.type === 'sort_direction_desc' };
}
