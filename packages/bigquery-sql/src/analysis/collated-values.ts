import { forEachNode, forEachPart } from '../tree/map.ts';
import type { Column, CommonTable, Expression, From, Node, Query } from '../tree/nodes.ts';
import { resultMembers } from '../tree/query-parts.ts';
import { sameName } from '../types.ts';

/** The names of fields, from the outermost on. */
type Path = readonly string[];

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

  /** @param path of a field of the value; without one, all its fields count */
  const isCollated = (node: Node, path: Path = []): boolean => {
    if (node.kind === 'field') return isCollated(node.of, [node.name, ...path]);
    if (node.kind === 'column') return isCollatedColumn(node, path);
    let found = false;
    forEachPart(node, (part) => {
      found ||= isCollated(part);
    });
    return found;
  };
  const known = new Map<string, boolean>();
  const isCollatedColumn = ({ from, name }: Column, path: Path): boolean => {
    const key = JSON.stringify([from, name, ...path]);
    const found = known.get(key) ?? isCollatedIn(items.get(from), name, path);
    known.set(key, found);
    return found;
  };
  const isCollatedIn = (item: From | undefined, name: string, path: Path): boolean => {
    switch (item?.kind) {
      case 'table':
        return item.collated?.some((collated) => areNested(collated, [name, ...path])) ?? false;
      case 'derived':
        return isCollatedMember(item.query, name, path);
      case 'unnest':
        return isCollated(item.array);
      case 'reference': {
        const table = tables.get(item.name);
        // The columns of one that reads itself may be computed from each other.
        return table !== undefined && (table.recursive || isCollatedMember(table.query, name, path));
      }
      default:
        return false;
    }
  };
  const isCollatedMember = (inner: Query, name: string, path: Path): boolean => {
    if (inner.kind === 'with') return isCollatedMember(inner.body, name, path);
    const at = resultMembers(inner).findIndex((member) => member.name === name);
    // The fields of the inputs match by position, and have names of their own.
    if (inner.kind === 'set')
      return inner.inputs.some((input) => isCollatedMember(input, resultMembers(input)[at]?.name ?? '', []));
    const value = inner.columns[at]?.value;
    return value !== undefined && isCollated(value, path);
  };
  return isCollated;
}

/** True if one of two paths is, or is within, the other. */
const areNested = (a: Path, b: Path): boolean =>
  a.every((name, at) => b[at] === undefined || sameName(name, b[at]));
