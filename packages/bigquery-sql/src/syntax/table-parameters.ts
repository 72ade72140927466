import { foldName } from '@querygate/text';
import type { Statement } from './nodes.ts';
import { walk } from './walk.ts';

/**
 * The names, in lower case, of the parameters that the common tables of a statement use. Those of its functions are among them:
 * a table may call each function.
 */
export function tableParameters({
  functions,
  query,
}: Pick<Statement, 'functions' | 'query'>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const root of query.with === undefined ? functions : [query.with, ...functions])
    walk(root, (node) => {
      if (node.kind === 'NamedParameter') names.add(foldName(node.name.name));
    });
  return names;
}
