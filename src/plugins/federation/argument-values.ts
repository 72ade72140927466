import { type GraphQLResolveInfo, Kind, type SelectionSetNode, type ValueNode } from 'graphql';
import { getOrAdd } from '../../get-or-add.ts';

type Selection = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>;

/** The number of values that the document has in arguments below a field: graphql-js reads each again for every object. */
export const valuesBelow = ({ fieldNodes, fragments }: Selection): number =>
  sum(fieldNodes, ({ selectionSet }) => valuesIn(selectionSet, fragments));

const known = new WeakMap<SelectionSetNode, number>();

function valuesIn(selected: SelectionSetNode | undefined, fragments: Selection['fragments']): number {
  if (selected === undefined) return 0;
  return getOrAdd(known, selected, () =>
    sum(selected.selections, (one) => {
      if (one.kind === Kind.FRAGMENT_SPREAD)
        return valuesIn(fragments[one.name.value]?.selectionSet, fragments);
      const below = valuesIn(one.selectionSet, fragments);
      return one.kind === Kind.FIELD
        ? below + sum(one.arguments ?? [], ({ value }) => valuesOf(value))
        : below;
    }),
  );
}

function valuesOf(value: ValueNode): number {
  if (value.kind === Kind.LIST) return sum(value.values, valuesOf);
  return value.kind === Kind.OBJECT ? sum(value.fields, (field) => valuesOf(field.value)) : 1;
}

const sum = <T>(all: readonly T[], count: (one: T) => number): number =>
  all.reduce((total, one) => total + count(one), 0);
