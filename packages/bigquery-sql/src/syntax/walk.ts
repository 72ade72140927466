import type { Node } from './nodes.ts';

/** The value that `enter` returns so that `walk` does not go into the node. */
export const skip: unique symbol = Symbol('skip');

/**
 * Calls `enter` with a node and all nodes within it, each before those within it, in the order of the text.
 *
 * @param enter gets the nodes around the node, outermost first
 */
export function walk(root: Node, enter: (node: Node, around: readonly Node[]) => unknown): void {
  const around: Node[] = [];
  const walkNode = (node: Node): void => {
    if (enter(node, around) === skip) return;
    around.push(node);
    for (const child of childrenOf(node)) walkNode(child);
    around.pop();
  };
  walkNode(root);
}

/** The nodes directly within a node, in the order of the text. */
export function childrenOf(node: Node): readonly Node[] {
  const children: Node[] = [];
  let last = -1;
  let isSorted = true;
  forEachChild(node, (child) => {
    isSorted &&= child.start >= last;
    last = child.start;
    children.push(child);
  });
  return isSorted ? children : children.sort((a, b) => a.start - b.start);
}

/** Calls a function with the nodes directly within a node, in no particular order. */
export function forEachChild(node: Node, use: (child: Node) => void): void {
  for (const name in node) {
    const value: unknown = node[name as keyof Node];
    if (typeof value !== 'object' || value === null) continue;
    if (isNode(value)) use(value);
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) use(item);
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'kind');
