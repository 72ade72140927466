import type { Node } from './nodes.ts';

/** What `enter` returns so that `walk` does not go into the node. */
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
  for (const value of Object.values(node) as readonly unknown[]) {
    if (isNode(value)) children.push(value);
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) children.push(item);
  }
  return children.sort((a, b) => a.start - b.start);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'kind');
