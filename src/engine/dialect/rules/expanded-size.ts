import { signaturesOf } from '../macros/macro-size.ts';
import { macroSizes, macros } from '../macros/macros.ts';
import { forEachPart } from '../tree/map.ts';
import type { Expression, Node } from '../tree/nodes.ts';

const sizes = new WeakMap<Node, number>();

/** About the number of tokens of an expression with all its macros expanded, as DuckDB plans it. */
export function expandedSize(node: Node): number {
  const known = sizes.get(node);
  if (known !== undefined) return known;
  const size = measure(node);
  sizes.set(node, size);
  return size;
}

function measure(node: Node): number {
  if (node.kind === 'call') {
    const uses = argumentUses(node.function, node.args);
    const args = node.args.reduce((sum, arg, at) => sum + expandedSize(arg) * (uses?.[at] ?? 1), 0);
    return args + (uses ? macroSize(node.function, node.args) : 3);
  }
  let size = 3;
  forEachPart(node, (part) => {
    size += expandedSize(part);
  });
  return size;
}

const macroSize = (callee: string, args: readonly Expression[]): number =>
  macroSizes.expansionOfCall({ signatures: signaturesOf(callee, args, macros), args: args.map(() => []) })
    .size;

/** How often a macro uses each of its arguments; undefined for other functions. */
export function argumentUses(callee: string, args: readonly Expression[]): readonly number[] | undefined {
  const signatures = signaturesOf(callee, args, macros);
  if (signatures.length === 0) return undefined;
  return macroSizes.expansionOfCall({ signatures, args: args.map(() => []) }).uses;
}
