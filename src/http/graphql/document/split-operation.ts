import {
  type DocumentNode,
  type FieldNode,
  GraphQLDeferDirective,
  getDirectiveValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type VariableValues,
} from 'graphql';
import { type Fragments, fragmentsOf, isIncluded, responseKeyOf } from './collect-fields.ts';

/** A fragment with `@defer`. */
export interface DeferredFragment {
  readonly label: string | undefined;
  /** The one that it is in: it is sent after that. */
  readonly parent: DeferredFragment | undefined;
}

/** Root fields that are sent together, as an operation of their own. */
export interface OperationPart {
  readonly document: DocumentNode;
  /** The fragments that are complete only with this part; none if it is sent at once. */
  readonly fragments: readonly DeferredFragment[];
}

/** The same document, of which everything is sent at once. */
export const withoutDefer = ({ definitions, ...document }: DocumentNode): DocumentNode => ({
  ...document,
  definitions: definitions.map((one) =>
    'selectionSet' in one ? { ...one, selectionSet: undeferred(one.selectionSet) } : one,
  ),
});

const undeferred = ({ selections, ...set }: SelectionSetNode): SelectionSetNode => ({
  ...set,
  selections: selections.map((one) => {
    const { directives = [] } = one;
    const plain = { ...one, directives: directives.filter(({ name }) => name.value !== 'defer') };
    if (!('selectionSet' in plain) || plain.selectionSet === undefined) return plain;
    return { ...plain, selectionSet: undeferred(plain.selectionSet) };
  }),
});

/**
 * Splits an operation where a fragment of the root has `@defer`. A field that is also selected outside of the fragment, or
 * in several, is not split: the result of a saved query is there as a whole. For the same reason `@defer` below a root
 * field is ignored.
 *
 * @param document must be valid
 * @param variables as they are coerced
 * @param isDeferrable whether a root field, by its name, may come later: limits that several fields share hold for those of one part
 * @returns undefined if nothing is deferred
 * @throws GraphQLError for a value that `@defer` must not have
 */
export function splitOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: VariableValues,
  isDeferrable: (name: string) => boolean,
): readonly OperationPart[] | undefined {
  const fields = collectPlaces(operation.selectionSet, fragmentsOf(document), variables);
  const parts = new Map<string, { nodes: FieldNode[]; fragments: readonly DeferredFragment[] }>();
  const numbers = new Map<DeferredFragment, number>();
  for (const { nodes, places } of fields.values()) {
    const fragments = nodes.every(({ name }) => isDeferrable(name.value)) ? withoutNested(places) : [];
    for (const one of fragments) if (!numbers.has(one)) numbers.set(one, numbers.size);
    const key = fragments.map((one) => numbers.get(one)).join();
    const part = parts.get(key) ?? { nodes: [], fragments };
    part.nodes.push(...nodes);
    parts.set(key, part);
  }
  if (numbers.size === 0) return undefined;
  // Shared by all parts: they are kept with the text of the request.
  const others = withoutDefer(document).definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  return [...parts.values()].map(({ nodes, fragments }) => {
    const selectionSet = undeferred({ kind: Kind.SELECTION_SET, selections: nodes });
    return {
      document: { kind: Kind.DOCUMENT, definitions: [{ ...operation, selectionSet }, ...others] },
      fragments,
    };
  });
}

/** A root field, with the fragments that select it; undefined among them: it is selected outside of them. */
interface PlacedField {
  readonly nodes: FieldNode[];
  readonly places: Set<DeferredFragment | undefined>;
}

/** The root fields by response key, in the order of the document. */
function collectPlaces(
  root: SelectionSetNode,
  fragments: Fragments,
  variables: VariableValues,
): ReadonlyMap<string, PlacedField> {
  const fields = new Map<string, PlacedField>();
  const collect = (
    { selections }: SelectionSetNode,
    place: DeferredFragment | undefined,
    expanded: Set<string>,
  ): void => {
    for (const selection of selections) {
      if (!isIncluded(selection, variables.coerced)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = responseKeyOf(selection);
        const field = fields.get(key) ?? { nodes: [], places: new Set() };
        if (!field.nodes.includes(selection)) field.nodes.push(selection);
        field.places.add(place);
        fields.set(key, field);
        continue;
      }
      const defer = getDirectiveValues(GraphQLDeferDirective, selection, variables);
      const isDeferred = defer !== undefined && defer.if !== false;
      const label = typeof defer?.label === 'string' ? defer.label : undefined;
      const inner = isDeferred ? { label, parent: place } : place;
      const seen = isDeferred ? new Set<string>() : expanded;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet, inner, seen);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) collect(fragment.selectionSet, inner, seen);
      }
    }
  };
  collect(root, undefined, new Set());
  return fields;
}

/** Without those that are in another one of them: what is there already is not sent again. */
function withoutNested(places: ReadonlySet<DeferredFragment | undefined>): readonly DeferredFragment[] {
  if (places.has(undefined)) return [];
  return [...places].flatMap((place) => {
    for (let outer = place?.parent; outer !== undefined; outer = outer.parent) {
      if (places.has(outer)) return [];
    }
    return place ?? [];
  });
}
