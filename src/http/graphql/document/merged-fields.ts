import { shorten } from '@querygate/text';
import { Kind, type SelectionSetNode } from 'graphql';
import { httpLimits } from '../../message/http-limits.ts';
import { operationTooLarge } from '../errors.ts';
import { type Fragments, responseKeyOf } from './collect-fields.ts';

const { maxExpandedFields, maxFieldDepth, maxFieldsPerPath } = httpLimits;

/**
 * Limits what the rule OverlappingFieldsCanBeMerged compares, of selections that need not be valid. The work is bounded: what
 * a fragment has counts wherever it is spread. @throws GraphQLError OPERATION_TOO_LARGE
 */
export function buildLimitMergedFields(fragments: Fragments): (root: SelectionSetNode) => void {
  let visited = 0;
  const countSelection = () => {
    visited += 1;
    if (visited <= maxExpandedFields) return;
    throw operationTooLarge(
      `The document has more than ${maxExpandedFields} fields with its fragments expanded; split it into several requests`,
    );
  };

  /** Adds the fields of one selection set by response key; a fragment that it spreads twice counts once. */
  const collect = (
    { selections }: SelectionSetNode,
    fields: Map<string, MergedField>,
    spread: Set<string>,
  ): void => {
    for (const selection of selections) {
      countSelection();
      if (selection.kind === Kind.FIELD) {
        const key = responseKeyOf(selection);
        const field = fields.get(key) ?? { count: 0, selectionSets: [] };
        field.count += 1;
        if (selection.selectionSet !== undefined) field.selectionSets.push(selection.selectionSet);
        fields.set(key, field);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet, fields, spread);
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) collect(fragment.selectionSet, fields, spread);
      }
    }
  };

  const limit = (selectionSets: readonly SelectionSetNode[], depth: number): void => {
    const fields = new Map<string, MergedField>();
    for (const selectionSet of selectionSets) collect(selectionSet, fields, new Set());
    for (const [key, { count, selectionSets }] of fields) {
      if (count > maxFieldsPerPath) throw tooManyFields(key);
      // Only a fragment that spreads itself is deeper: validation rejects it.
      if (selectionSets.length > 0 && depth < maxFieldDepth) limit(selectionSets, depth + 1);
    }
  };
  return (root) => limit([root], 1);
}

/** The fields that share one place in the response: their selections are merged. */
interface MergedField {
  count: number;
  readonly selectionSets: SelectionSetNode[];
}

function tooManyFields(responseKey: string) {
  return operationTooLarge(
    `The operation selects ${shorten(responseKey)} more than ${maxFieldsPerPath} times in one place; select it once`,
  );
}
