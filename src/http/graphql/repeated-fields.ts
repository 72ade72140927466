import { type DocumentNode, type FieldNode, type GraphQLError, Kind, type SelectionSetNode } from 'graphql';
import { refusal } from './errors.ts';

/** How often one operation may ask for a field again that it has under another alias, below its root fields. */
const mostCopies = 5;

/** @returns why a valid document is refused, where it is */
export function manyCopies(document: DocumentNode): readonly GraphQLError[] {
  if (copiesIn(document) <= mostCopies) return [];
  return [
    refusal(
      'OPERATION_TOO_LARGE',
      `The operation asks for fields again that it has under other aliases; at most ${mostCopies} are answered: read them twice instead`,
    ),
  ];
}

/**
 * How many fields below the root are copies of others. Each root field is a question of its own, but a copy below one
 * only makes the answer longer: fifty of its rows are an answer fifty times as long.
 */
function copiesIn({ definitions }: DocumentNode): number {
  const fragments = new Map(
    definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one.selectionSet]] : [],
    ),
  );
  /** By name, then by the key in the answer: fields with one key are one field. */
  const merged = (sets: readonly SelectionSetNode[], seen = new Set<string>()) =>
    sets.reduce<FieldNode[]>((fields, { selections }) => {
      for (const one of selections) {
        if (one.kind === Kind.FIELD) fields.push(one);
        else if (one.kind === Kind.INLINE_FRAGMENT) fields.push(...merged([one.selectionSet], seen));
        else if (!seen.has(one.name.value)) {
          seen.add(one.name.value);
          const set = fragments.get(one.name.value);
          if (set !== undefined) fields.push(...merged([set], seen));
        }
      }
      return fields;
    }, []);

  const below = (sets: readonly SelectionSetNode[]): number => {
    const byName = Map.groupBy(merged(sets), ({ name }) => name.value);
    return [...byName.values()].reduce((sum, fields) => sum + copies(fields) - 1 + inside(fields), 0);
  };
  const inside = (fields: readonly FieldNode[]): number =>
    [...Map.groupBy(fields, keyOf).values()]
      .map((same) => same.flatMap(({ selectionSet }) => selectionSet ?? []))
      .reduce((sum, sets) => sum + (sets.length === 0 ? 0 : below(sets)), 0);

  return definitions.reduce(
    (sum, one) => sum + (one.kind === Kind.OPERATION_DEFINITION ? inside(merged([one.selectionSet])) : 0),
    0,
  );
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

const copies = (fields: readonly FieldNode[]): number => new Set(fields.map(keyOf)).size;
