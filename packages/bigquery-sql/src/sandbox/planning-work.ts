import { argumentBinds } from '../rules/expanded-size.ts';
import { forEachPart } from '../tree/map.ts';
import type { Node } from '../tree/nodes.ts';

const works = new WeakMap<Node, number>();

/**
 * About how many tokens DuckDB binds to plan a node, some microseconds each. It can't be interrupted meanwhile, and binds
 * the arguments of a macro, and lambdas, more than once: calls inside each other take exponentially long.
 */
export function planningWork(node: Node): number {
  const known = works.get(node);
  if (known !== undefined) return known;
  const work = measure(node);
  works.set(node, work);
  return work;
}

function measure(node: Node): number {
  if (node.kind === 'call') {
    const { work = 3, binds } = argumentBinds(node.function, node.args) ?? {};
    return node.args.reduce((sum, arg, at) => sum + planningWork(arg) * (binds?.[at] ?? 1), work);
  }
  let parts = 0;
  forEachPart(node, (part) => {
    parts += planningWork(part);
  });
  return 3 + parts * (isRepeated(node) ? 2 : 1);
}

/** Whether DuckDB binds the parts of a node twice; BETWEEN becomes two comparisons. */
function isRepeated(node: Node): boolean {
  switch (node.kind) {
    case 'lambda':
      return true;
    case 'subquery':
      return node.form === 'array';
    case 'operation':
      return node.operator === 'BETWEEN' || node.operator === 'NOT BETWEEN';
    default:
      return false;
  }
}
