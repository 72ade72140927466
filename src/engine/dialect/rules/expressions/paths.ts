import type * as Syntax from '../../syntax/nodes.ts';

/** The name of a column without an alias: the last part of its path. */
export function impliedName(node: Syntax.Expression): string | undefined {
  if (node.kind === 'Path') return node.parts.at(-1)?.name;
  return node.kind === 'FieldAccess' ? node.field.name : undefined;
}
