import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Values of variables that decide on `@skip` and `@include`, by name. */
export type Conditions = Readonly<Record<string, unknown>>;

/** The fragments of a document by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** The fragments, conditions and type that decide which fields a selection has. */
export interface SelectionScope {
  readonly fragments: Fragments;
  /** undefined for what a document has whatever its variables are: no field is left out. */
  readonly conditions: Conditions | undefined;
  /** The object type that is selected of, where it may be one of several; undefined: every fragment applies. */
  readonly type?: string | undefined;
}

/** The field nodes that share one response key, in the order in which the document has them. */
export interface CollectedField {
  readonly responseKey: string;
  readonly name: string;
  readonly nodes: readonly FieldNode[];
}

/**
 * The fields of a selection as the response has them: fragments are written out, equal response keys are one field, and what
 * `@skip` or `@include` leaves out is gone. After validation each fragment applies, but for entities, which `type` chooses.
 *
 * @see GraphQL specification, 6.3.2 "Field Collection"
 */
export function collectFields(
  selectionSets: readonly SelectionSetNode[],
  { fragments, conditions, type }: SelectionScope,
): readonly CollectedField[] {
  const fields = new Map<string, FieldNode[]>();
  const expanded = new Set<string>();
  const applies = (condition: NamedTypeNode | undefined) =>
    type === undefined || condition === undefined || [type, unionOfEntities].includes(condition.name.value);
  const collect = ({ selections }: SelectionSetNode) => {
    for (const selection of selections) {
      if (conditions !== undefined && !isIncluded(selection, conditions)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = responseKeyOf(selection);
        const known = fields.get(key);
        if (known === undefined) fields.set(key, [selection]);
        else known.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (applies(selection.typeCondition)) collect(selection.selectionSet);
      } else if (!expanded.has(selection.name.value)) {
        expanded.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined && applies(fragment.typeCondition)) collect(fragment.selectionSet);
      }
    }
  };
  for (const selectionSet of selectionSets) collect(selectionSet);
  return [...fields].map(([responseKey, nodes]) => ({
    responseKey,
    name: nodes[0]?.name.value ?? '',
    nodes,
  }));
}

/** The only type with several kinds of objects. */
const unionOfEntities = '_Entity';

/** The field that is resolved. */
export type ResolvedField = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

/** The fields that an operation selects below the one that is resolved, of an object of `type` if it may be one of several. */
export function selectionOf(
  { fieldNodes, fragments, variableValues }: ResolvedField,
  type?: string,
): readonly [fields: readonly CollectedField[], scope: SelectionScope] {
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  const scope = { fragments: new Map(Object.entries(fragments)), conditions: variableValues.coerced, type };
  return [collectFields(selections, scope), scope];
}

/** The names of the same fields, one for each time that the response has it. */
export const selectedNames = (info: Parameters<typeof selectionOf>[0], type?: string): readonly string[] =>
  selectionOf(info, type)[0].map(({ name }) => name);

/** The selections below the nodes of one field, which are merged. */
export function selectionsBelow({ nodes }: CollectedField): readonly SelectionSetNode[] {
  return nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
}

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );

export const responseKeyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

function isIncluded({ directives = [] }: SelectionNode, conditions: Conditions): boolean {
  return directives.every((directive) => {
    const { value } = directive.name;
    if (value === 'skip') return conditionOf(directive, conditions) !== true;
    if (value === 'include') return conditionOf(directive, conditions) !== false;
    return true;
  });
}

/** The argument `if`, which validation has found to be there and a Boolean. */
function conditionOf({ arguments: given = [] }: DirectiveNode, conditions: Conditions): unknown {
  const value = given.find(({ name }) => name.value === 'if')?.value;
  if (value?.kind === Kind.BOOLEAN) return value.value;
  return value?.kind === Kind.VARIABLE ? conditions[value.name.value] : undefined;
}
