import type { GraphQLResolveInfo } from 'graphql';
import { type CollectedField, collectFields, type SelectionScope } from './collect-fields.ts';

/**
 * The fields that an operation selects below the one that is resolved, as the response has them.
 *
 * @param type the object type that is selected of, where it may be one of several
 */
export function selectionOf(
  {
    fieldNodes,
    fragments,
    variableValues,
  }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>,
  type?: string,
): readonly [fields: readonly CollectedField[], scope: SelectionScope] {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const scope = { fragments: new Map(Object.entries(fragments)), conditions: variableValues.coerced, type };
  return [collectFields(selections, scope), scope];
}

/** The names of the same fields, one for each time that the response has it. */
export const selectedNames = (info: Parameters<typeof selectionOf>[0], type?: string): readonly string[] =>
  selectionOf(info, type)[0].map(({ name }) => name);
