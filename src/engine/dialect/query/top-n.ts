import type { LimitClause, Node, OrderByClause, SelectStmt } from 'sql-parser-cst';
import { markThreshold } from '../passes/hoist-constants.ts';
import type { Scope } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { isScalar } from '../types.ts';
import { type Clauses, clauseOf, fromAndWhere } from './clauses.ts';

/**
 * For `ORDER BY key … LIMIT n` over wide rows: the condition that only rows can meet whose key is among the first n.
 * The keys are read first and by themselves, so that the wide columns are read for those rows alone.
 *
 * @param isWhole whether it is no part of another query: then the keys may be read before it
 * @returns no condition where the rows are not wide, or the key may be NULL
 */
export function topNCondition(
  node: SelectStmt,
  clauses: Clauses,
  isWhole: boolean,
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
  const edge = `(SELECT ${descending ? 'min' : 'max'}("key") FROM (${isWhole ? ctes.before(first) : first}))`;
  return [`${text} ${descending ? '>=' : '<='} ${isWhole ? markThreshold(edge, type) : edge}`];
}

/** How many rows LIMIT and OFFSET ask for, where they are written as numbers. */
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
  // NaN is the least of all numbers here, and the greatest to DuckDB.
  if (!required || isScalar(type, 'FLOAT64')) return undefined;
  return { text, type, descending: sort?.direction?.type === 'sort_direction_desc' };
}
