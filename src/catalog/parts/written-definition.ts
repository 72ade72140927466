import type { WrittenDefinition } from '../model/saved-query.ts';
import type { Unit } from './part-file.ts';

/** A view or a function as its file has it; undefined for a query. */
export function writtenDefinition({ name, file, line, text, tree }: Unit): WrittenDefinition | undefined {
  if (tree.kind === 'Statement') return undefined;
  const slice = (start: number, end: number) => ({ start, text: text.slice(start, end) });
  const common = { name, source: { file, line, text }, start: tree.name.start };
  if (tree.kind === 'CreateView')
    return { ...common, kind: 'view', sql: slice(tree.query.start, tree.query.end) };
  const { body, parameters } = tree;
  const [first, last] = [parameters[0], parameters.at(-1)];
  return {
    ...common,
    kind: 'function',
    parameters: slice(first?.start ?? tree.name.end, last?.end ?? tree.name.end),
    ...(body.kind === 'ForeignBody' ? { code: body.code.value } : { sql: slice(body.start, body.end) }),
  };
}
