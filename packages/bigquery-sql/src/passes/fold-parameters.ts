import { nullLiteral, textLiteral } from '../tree/build.ts';
import { mapExpressions } from '../tree/map.ts';
import type { Pass } from './pass.ts';
import { simplify } from './rewriting/simplify.ts';

/** Puts the known parameters into the query, and leaves out what they decide. */
export const foldParameters: Pass = (query, { known }) =>
  mapExpressions(query, (node) => {
    const value = node.kind === 'parameter' && Object.hasOwn(known, node.name) ? known[node.name] : undefined;
    if (value === undefined) return simplify(node);
    return value === null ? nullLiteral(node.type) : textLiteral(value);
  });
