import { type DocumentNode, type FieldNode, type GraphQLError, Kind, type SelectionSetNode } from 'graphql';
import { httpLimits } from '../../message/http-limits.ts';
import { requestError } from '../errors.ts';

/**
 * Limits fields that are selected again under other aliases.
 *
 * @param document must be valid: a fragment that spreads itself would not end here
 * @returns errors as validation returns them
 */
export function limitRepeatedFields(document: DocumentNode): readonly GraphQLError[] {
  const { maxRepeatedFields } = httpLimits;
  if (countRepeatedFields(document) <= maxRepeatedFields) return [];
  return [
    requestError(
      'OPERATION_TOO_LARGE',
      `The operation selects fields again under other aliases; at most ${maxRepeatedFields} repetitions are allowed: read the same field twice instead`,
    ),
  ];
}

/**
 * How many fields repeat others. Each root field is a query of its own, but a repetition below one only makes the response
 * longer: fifty times `rows` are a response fifty times as long. So do root fields without arguments that return objects,
 * such as `endpoints`.
 */
function countRepeatedFields({ definitions }: DocumentNode): number {
  const fragments = new Map(
    definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one.selectionSet]] : [],
    ),
  );
  /** The fields of selection sets that are merged, with fragments expanded once. */
  const fieldsOf = (sets: readonly SelectionSetNode[], seen = new Set<string>()) =>
    sets.reduce<FieldNode[]>((fields, { selections }) => {
      for (const one of selections) {
        if (one.kind === Kind.FIELD) fields.push(one);
        else if (one.kind === Kind.INLINE_FRAGMENT) fields.push(...fieldsOf([one.selectionSet], seen));
        else if (!seen.has(one.name.value)) {
          seen.add(one.name.value);
          const set = fragments.get(one.name.value);
          if (set !== undefined) fields.push(...fieldsOf([set], seen));
        }
      }
      return fields;
    }, []);

  const countIn = (sets: readonly SelectionSetNode[]): number => {
    const byName = Map.groupBy(fieldsOf(sets), ({ name }) => name.value);
    return [...byName.values()].reduce(
      (sum, fields) => sum + countResponseKeys(fields) - 1 + countBelow(fields),
      0,
    );
  };
  /** Fields with one response key are one field: their selection sets are merged. */
  const countBelow = (fields: readonly FieldNode[]): number =>
    [...Map.groupBy(fields, responseKey).values()]
      .map((same) => same.flatMap(({ selectionSet }) => selectionSet ?? []))
      .reduce((sum, sets) => sum + (sets.length === 0 ? 0 : countIn(sets)), 0);

  return definitions.reduce((sum, one) => {
    if (one.kind !== Kind.OPERATION_DEFINITION) return sum;
    const fields = fieldsOf([one.selectionSet]);
    const constant = Map.groupBy(fields.filter(isConstant), ({ name }) => name.value);
    const repeated = [...constant.values()].reduce((count, same) => count + countResponseKeys(same) - 1, 0);
    return sum + repeated + countBelow(fields);
  }, 0);
}

const isConstant = ({ arguments: given = [], selectionSet }: FieldNode): boolean =>
  given.length === 0 && selectionSet !== undefined;

const responseKey = ({ alias, name }: FieldNode): string => (alias ?? name).value;

const countResponseKeys = (fields: readonly FieldNode[]): number => new Set(fields.map(responseKey)).size;
