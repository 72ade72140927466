import { forEachNode, someNode } from '../tree/map.ts';
import type { Column, CommonTable, Expression, From, Query } from '../tree/nodes.ts';
import { resultMembers } from '../tree/result-members.ts';

/**
 * A test of values of a query: true for one that is computed from a column of a table with a collation, by which BigQuery
 * takes different texts for equal.
 *
 * @param query before any pass
 */
export function collatedValues(query: Query): (value: Expression) => boolean {
  const items = new Map<string, From>();
  const tables = new Map<string, CommonTable>();
  let readsCollations = false;
  forEachNode(query, (node) => {
    if (node.kind === 'with') for (const table of node.tables) tables.set(table.name, table);
    if ('alias' in node) items.set(node.alias, node);
    readsCollations ||= node.kind === 'table' && node.collated !== undefined;
  });
  if (!readsCollations) return () => false;

  const isCollated = (value: Expression) =>
    someNode(value, (node) => node.kind === 'column' && isCollatedColumn(node));
  const known = new Map<string, boolean>();
  const isCollatedColumn = ({ from, name }: Column): boolean => {
    const key = JSON.stringify([from, name]);
    const found = known.get(key) ?? isCollatedIn(items.get(from), name);
    known.set(key, found);
    return found;
  };
  const isCollatedIn = (item: From | undefined, name: string): boolean => {
    switch (item?.kind) {
      case 'table':
        return item.collated?.includes(name) ?? false;
      case 'derived':
        return isCollatedMember(item.query, name);
      case 'unnest':
        return isCollated(item.array);
      case 'reference': {
        const table = tables.get(item.name);
        // The columns of one that reads itself may be computed from each other.
        return table !== undefined && (table.recursive || isCollatedMember(table.query, name));
      }
      default:
        return false;
    }
  };
  const isCollatedMember = (inner: Query, name: string): boolean => {
    if (inner.kind === 'with') return isCollatedMember(inner.body, name);
    const at = resultMembers(inner).findIndex((member) => member.name === name);
    if (inner.kind === 'set')
      return inner.inputs.some((input) => isCollatedMember(input, resultMembers(input)[at]?.name ?? ''));
    const value = inner.columns[at]?.value;
    return value !== undefined && isCollated(value);
  };
  return isCollated;
}
