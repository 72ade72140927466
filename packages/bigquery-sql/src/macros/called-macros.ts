import { forEachNode } from '../tree/map.ts';
import type { Query } from '../tree/nodes.ts';
import { isMacro } from './macros.ts';

/** The macros that a query calls, as it calls them: by a signature, or by a name. */
export function calledMacros(query: Query): readonly string[] {
  const callees = new Set<string>();
  forEachNode(query, (node) => {
    const called = node.kind === 'call' || node.kind === 'aggregate' ? node.function : '';
    if (isMacro(called)) callees.add(called);
  });
  return [...callees];
}
