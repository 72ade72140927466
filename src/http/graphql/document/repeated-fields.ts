import { type DocumentNode, type GraphQLError, Kind } from 'graphql';
import { httpLimits } from '../../message/http-limits.ts';
import { operationTooLarge } from '../errors.ts';
import { type CollectedField, collectFields, fragmentsOf, selectionsBelow } from './collect-fields.ts';

/** The error of a document that selects too many fields again under other aliases. It must be valid: no fragment spreads itself. */
export function limitRepeatedFields(document: DocumentNode): readonly GraphQLError[] {
  const { maxRepeatedFields } = httpLimits;
  if (countRepeatedFields(document) <= maxRepeatedFields) return [];
  return [
    operationTooLarge(
      `The operation selects fields again under other aliases; at most ${maxRepeatedFields} repetitions are allowed: read the same field twice instead`,
    ),
  ];
}

/**
 * How many fields repeat others. A root field is a query of its own, but a repetition below one, or of one without arguments
 * such as `endpoints`, only makes the response longer: fifty times `rows`, fifty times as long.
 */
function countRepeatedFields(document: DocumentNode): number {
  const scope = { fragments: fragmentsOf(document), conditions: undefined };
  const countBelow = (fields: readonly CollectedField[]): number =>
    fields.reduce((sum, field) => sum + countIn(collectFields(selectionsBelow(field), scope)), 0);
  const countIn = (fields: readonly CollectedField[]): number => countAgain(fields) + countBelow(fields);

  return document.definitions.reduce((sum, one) => {
    if (one.kind !== Kind.OPERATION_DEFINITION) return sum;
    const fields = collectFields([one.selectionSet], scope);
    return sum + countAgain(fields.filter(isConstant)) + countBelow(fields);
  }, 0);
}

const countAgain = (fields: readonly CollectedField[]): number =>
  fields.length - new Set(fields.map(({ name }) => name)).size;

const isConstant = ({ nodes }: CollectedField): boolean =>
  nodes.every(({ arguments: given = [], selectionSet }) => given.length === 0 && selectionSet !== undefined);
