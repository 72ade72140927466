import { hoist } from '../passes/constants/hoist.ts';
import { someNode } from '../tree/map.ts';
import type { Node, Query } from '../tree/nodes.ts';
import { takes } from './condition-of.ts';

/**
 * True if anything can fail that a query computes to find its rows. The columns of its result do not count, which are
 * computed from rows that it has found, nor constants, which are computed before it.
 */
export function canFailOnTheWay(query: Query): boolean {
  const { query: hoisted } = hoist(query);
  const body = hoisted.kind === 'with' ? hoisted.body : hoisted;
  const rest = body.kind === 'select' ? { ...body, columns: [] } : body;
  const tables = hoisted.kind === 'with' ? hoisted.tables.map((table) => table.query) : [];
  return [rest, ...tables].some((part) => someNode(part, canFail));
}

function canFail(node: Node): boolean {
  switch (node.kind) {
    case 'call':
    case 'aggregate':
    case 'cast':
      return true;
    case 'operation':
      return !takes(
        node.operator,
        node.operands.map(({ type }) => type),
      );
    case 'subquery':
      return node.form === 'scalar';
    default:
      return false;
  }
}
