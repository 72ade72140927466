import { type Expansion, signaturesOf } from '../macros/macro-size.ts';
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
    const { size = 3, uses } = expansionOf(node.function, node.args) ?? {};
    return node.args.reduce((sum, arg, at) => sum + expandedSize(arg) * (uses?.[at] ?? 1), size);
  }
  let size = 3;
  forEachPart(node, (part) => {
    size += expandedSize(part);
  });
  return size;
}

/** How often a macro uses each of its arguments; undefined for other functions. */
export const argumentUses = (callee: string, args: readonly Expression[]): readonly number[] | undefined =>
  expansionOf(callee, args)?.uses;

/** What DuckDB binds for the call of a macro; undefined for other functions. */
export const argumentBinds = (
  callee: string,
  args: readonly Expression[],
): Pick<Expansion, 'work' | 'binds'> | undefined => expansionOf(callee, args);

function expansionOf(callee: string, args: readonly Expression[]): Expansion | undefined {
  const signatures = signaturesOf(callee, args, macros);
  if (signatures.length === 0) return undefined;
  return macroSizes.expansionOfCall({ signatures, args: args.map(() => []) });
}
