import type { From, Join } from '../../tree/nodes.ts';

/** The items of FROM of which no row is missing in the result of the joins: none is on the optional side of one. */
export function requiredItems(from: From): readonly From[] {
  if (from.kind !== 'join') return [from];
  const { join, left, right } = from;
  return [
    ...(join === 'RIGHT' || join === 'FULL' ? [] : requiredItems(left)),
    ...(join === 'LEFT' || join === 'FULL' ? [] : requiredItems(right)),
  ];
}

/** FROM with one item replaced, or left out of its join. */
export function replaceItem(from: From, item: From, replacement: From | undefined): From | undefined {
  if (from === item) return replacement;
  if (from.kind === 'sample') {
    const of = replaceItem(from.of, item, replacement);
    return of && { ...from, of };
  }
  if (from.kind !== 'join') return from;
  const left = replaceItem(from.left, item, replacement);
  const right = replaceItem(from.right, item, replacement);
  if (!left || !right) return left ?? right;
  return left === from.left && right === from.right ? from : { ...from, left, right };
}

/** Every join of FROM. */
export const joinsOf = (from: From): readonly Join[] =>
  from.kind === 'join' ? [...joinsOf(from.left), ...joinsOf(from.right), from] : [];

/** True if every row of the left side meets every row of the right one. */
export const isUnconditional = ({ join, on }: Join): boolean =>
  join === 'CROSS' || ((join === 'INNER' || join === 'LEFT') && on?.kind === 'literal' && on.value === true);
