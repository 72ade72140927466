import type { Node } from './nodes.ts';
import { walk } from './walk.ts';

/** The names of the parameters, `@name`, that a part of a query uses, as they are written. */
export function parametersIn(root: Node): ReadonlySet<string> {
  const names = new Set<string>();
  walk(root, (node) => {
    if (node.kind === 'NamedParameter') names.add(node.name.name);
  });
  return names;
}
