import { macroName } from '../tree/macro-name.ts';
import { forEachNode } from '../tree/map.ts';
import type { Query } from '../tree/nodes.ts';
import { macros } from './macros.ts';

/** The names of the macros that a query calls. */
export function calledMacros(query: Query): readonly string[] {
  const names = new Set<string>();
  forEachNode(query, (node) => {
    const called = node.kind === 'call' || node.kind === 'aggregate' ? node.function : '';
    const name = macroName(called);
    if (name !== undefined && macros.has(name)) names.add(name);
  });
  return [...names];
}
