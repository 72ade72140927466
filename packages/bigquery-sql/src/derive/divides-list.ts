import { isParameter } from '../analysis/tenant-conditions.ts';
import { forEachNode } from '../tree/map.ts';
import type { Query } from '../tree/nodes.ts';
import { isElementsOf, membersOf, separateColumns } from './separate-columns.ts';

/**
 * True if a run for several values of a list gives for each the rows that a run for it alone gives: those that have it in a
 * column. Rows of different values must not meet, as they do before a LIMIT, and nothing may depend on the list as a whole.
 *
 * @param query before any pass
 * @param list the name of the parameter
 */
export const dividesList = (query: Query, list: string, column: string): boolean =>
  usesElements(query, list) && separateColumns(query, list).has(column);

/**
 * True if nothing but elements of a list are used: in `x IN UNNEST(@list)` as a condition of rows, and in FROM. A collation
 * takes different texts for one of them.
 */
function usesElements(query: Query, list: string): boolean {
  let [uses, ofElements] = [0, 0];
  let isCollated = false;
  forEachNode(query, (node) => {
    if (isParameter(node, list)) uses += 1;
    else if (node.kind === 'unnest' && isElementsOf(node, list)) ofElements += 1;
    else if (node.kind === 'select') ofElements += membersOf(node, list).length;
    else if (node.kind === 'table') isCollated ||= node.collated !== undefined;
  });
  return uses === ofElements && !isCollated;
}
