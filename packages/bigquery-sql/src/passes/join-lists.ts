import { call, select } from '../tree/build.ts';
import { macroName } from '../tree/macro-name.ts';
import { mapSelects, someNode } from '../tree/map.ts';
import type { Expression, Select } from '../tree/nodes.ts';
import { isConstantList } from '../tree/volatile.ts';
import { isScalar } from '../types.ts';
import type { Pass } from './pass.ts';

/**
 * Reads `WHERE x IN UNNEST(@list)` as a join with the list: DuckDB then looks values up in a hash table, and skips blocks of
 * the table by the least and the greatest one, instead of searching the list for every row. It is a filter only: where the
 * list decides, NULL and FALSE leave out the same rows.
 */
export const joinLists: Pass = (query) => mapSelects(query, withJoins);

const withJoins = (node: Select): Select =>
  node.where.some((condition) => listOf(condition) !== undefined)
    ? { ...node, where: node.where.map(joined) }
    : node;

function joined(condition: Expression): Expression {
  const found = listOf(condition);
  if (found === undefined) return condition;
  const { list, value } = found;
  const items = select({ columns: [{ name: 'item', value: call('unnest', [list], value.type) }] });
  return { kind: 'subquery', form: 'in', query: items, value, type: condition.type };
}

/** The value and the list of a membership test whose list is the same for all rows. */
function listOf(
  condition: Expression,
): { readonly value: Expression; readonly list: Expression } | undefined {
  if (condition.kind !== 'call' || macroName(condition.function) !== 'op_in') return undefined;
  const [value, list] = condition.args;
  if (!list || !value || list.type.kind !== 'array' || !isConstantList(list)) return undefined;
  const { element } = list.type;
  // Floats have a NaN, which DuckDB takes for equal to itself.
  const isComparable = element.kind === 'scalar' && !isScalar(element, 'FLOAT64');
  return isComparable && !someNode(value, ({ kind }) => kind === 'subquery') ? { value, list } : undefined;
}
