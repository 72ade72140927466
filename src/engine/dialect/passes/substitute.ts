import { mapExpressions } from '../tree/map.ts';
import type { Column, Expression, Node } from '../tree/nodes.ts';
import { simplify } from './simplify.ts';

/** What to write for columns, by the alias of their FROM item; undefined leaves the column as it is. */
export type Substitution = (column: Column) => Expression | undefined;

/** Replaces columns everywhere in a tree; aliases are used once, so that no scope has to be regarded. */
export const substitute = <N extends Node>(node: N, replace: Substitution): N =>
  mapExpressions(node, (part) => (part.kind === 'column' ? (replace(part) ?? part) : simplify(part)));
