import { someNode } from './map.ts';
import type { Node } from './nodes.ts';

const volatileFunctions: readonly string[] = ['random', 'uuid', 'bq.rand', 'host_javascript_each_time'];

/** Whether a node has another value each time it is computed: it must be computed once, and where it is written. */
export const isVolatile = (node: Node): boolean =>
  someNode(node, (part) => part.kind === 'call' && volatileFunctions.includes(part.function));
