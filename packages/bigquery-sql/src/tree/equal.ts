import type { Node } from './nodes.ts';

/** True if two trees are the same, up to the numbers of lambda parameters. */
export const isEqual = (a: Node, b: Node): boolean => a === b || equalParts(a, b, new Map());

function equalParts(a: unknown, b: unknown, locals: Map<number, number>): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a))
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, at) => equalParts(item, b[at], locals))
    );
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  if (left.kind === 'local' && right.kind === 'local')
    return locals.get(left.id as number) === right.id || left.id === right.id;
  if (left.kind === 'lambda' && right.kind === 'lambda') {
    const [own, other] = [left.parameters, right.parameters] as readonly (readonly number[])[];
    if (own?.length !== other?.length) return false;
    own?.forEach((id, at) => void locals.set(id, other?.[at] ?? -1));
    return equalParts(left.body, right.body, locals);
  }
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && equalParts(left[name], right[name], locals))
  );
}
