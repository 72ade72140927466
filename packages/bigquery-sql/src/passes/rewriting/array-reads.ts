import { callOnce } from '../../tree/build.ts';
import { macroName } from '../../tree/macro-name.ts';
import type { Expression } from '../../tree/nodes.ts';

/** The index of the first element, by the macro that reads one. */
const firstIndex: ReadonlyMap<string, bigint> = new Map([
  ['at_offset', 0n],
  ['at_safe_offset', 0n],
  ['at_ordinal', 1n],
  ['at_safe_ordinal', 1n],
]);

/** `array[OFFSET(n)]` and the like with a literal, whose array may be computed before it; the offset is counted from 0. */
export function arrayRead(
  node: Expression,
): { readonly array: Expression; readonly offset: bigint } | undefined {
  const once = callOnce(node);
  const [computed] = once?.args ?? [];
  const read = once ? once.result : node;
  if (read.kind !== 'call') return undefined;
  const [given, index] = read.args;
  const first = firstIndex.get(macroName(read.function) ?? '');
  if (!given || first === undefined || index?.kind !== 'literal' || typeof index.value !== 'bigint')
    return undefined;
  const array = once && given.kind === 'local' ? computed : given;
  const offset = index.value - first;
  return array && offset >= 0n ? { array, offset } : undefined;
}
