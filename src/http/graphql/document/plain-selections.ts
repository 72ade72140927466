import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { responseKeyOf } from './collect-fields.ts';

/**
 * A document without its plain fields: leaves without arguments and directives, whose response key no other field of the
 * selection has. No rule can find anything wrong with them: documents with equal remainders are all valid or all invalid, and
 * a new selection is mostly one of other plain fields.
 *
 * @param document as parsed, with its locations
 * @returns undefined for fragments, several operations, or a response key twice in one selection, and for a subscription,
 * where one root field may matter to another
 */
export function withoutPlainFields(
  schema: GraphQLSchema,
  text: string,
  { definitions }: DocumentNode,
): string | undefined {
  const [operation, ...others] = definitions;
  const root = schema.getQueryType();
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0 || root == null) return undefined;
  if (operation.operation !== 'query') return undefined;
  const parts = [headOf(operation, text)];
  return appendSelection(operation.selectionSet, root, text, parts) ? parts.join('') : undefined;
}

/** Without the name: it is the only one. */
function headOf({ operation, name, loc, selectionSet }: OperationDefinitionNode, text: string): string {
  return operation + text.slice(name?.loc?.end ?? loc?.start, selectionSet.loc?.start);
}

/** @returns false if the selection is not as simple as it has to be */
function appendSelection(
  { selections }: SelectionSetNode,
  type: GraphQLObjectType | undefined,
  text: string,
  parts: string[],
): boolean {
  const responseKeys = new Set<string>();
  parts.push('{');
  for (const field of selections) {
    if (field.kind !== Kind.FIELD) return false;
    responseKeys.add(responseKeyOf(field));
    const definition = type?.getFields()[field.name.value];
    const fieldType = getNamedType(definition?.type);
    if (isPlain(field) && (field.name.value === '__typename' || isPlainLeaf(definition))) continue;
    const { loc, selectionSet } = field;
    parts.push(text.slice(loc?.start, selectionSet?.loc?.start ?? loc?.end));
    if (selectionSet === undefined) parts.push(',');
    else if (!appendSelection(selectionSet, isObjectType(fieldType) ? fieldType : undefined, text, parts))
      return false;
  }
  parts.push('}');
  return responseKeys.size === selections.length;
}

const isPlainLeaf = (definition: GraphQLField<unknown, unknown> | undefined): boolean =>
  definition !== undefined && isLeafType(getNamedType(definition.type)) && definition.args.length === 0;

const isPlain = ({ arguments: given = [], directives = [], selectionSet }: FieldNode): boolean =>
  given.length === 0 && directives.length === 0 && selectionSet === undefined;
