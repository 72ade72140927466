import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { arrayOf, literalUnion, type Member, objectType } from './members.ts';

/** Its `id` identifies an endpoint wherever it is; the `id` of a row is a column like any other. */
const entityType = 'Endpoint';

/** The types of a GraphQL schema. They are members of one interface, so that no name is one of TypeScript's. */
export function graphqlTypes(schema: GraphQLSchema): string {
  const query = schema.getQueryType();
  const subscription = schema.getSubscriptionType();
  const fields = Object.values(query?.getFields() ?? {});
  const followed = Object.keys(subscription?.getFields() ?? {});
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => type !== query && type !== subscription && !isIntrospectionType(type),
  );
  return `/** What each root field of GraphQL takes and returns. */
export interface GraphqlFields ${objectType(fields.map(rootField))}

/** The root fields that are subscriptions too, with the same arguments and results. */
export type GraphqlSubscriptions = Pick<GraphqlFields, ${followed.length === 0 ? 'never' : literalUnion(followed)}>;

/** The object types and enums of GraphQL, by their names. */
export interface GraphqlTypes ${objectType(types.flatMap(namedType))}

/** The object types without an identity, for caches: they must not merge their objects by a field \`id\`. */
export const valueTypes = [
${types
  .filter((type) => isObjectType(type) && type.name !== entityType)
  .map(({ name }) => `  ${JSON.stringify(name)},\n`)
  .join('')}] as const;
`;
}

function rootField(field: GraphQLField<unknown, unknown>): Member {
  const { name, description, args, type, deprecationReason } = field;
  const members = args.map(
    (argument): Member => ({
      name: argument.name,
      description: argument.description ?? undefined,
      isOptional: !isRequiredArgument(argument),
      type: typeText(argument.type),
    }),
  );
  return {
    name,
    description: [description, deprecationReason && `@deprecated ${deprecationReason}`]
      .filter(Boolean)
      .join('\n'),
    type: objectType([
      { name: 'arguments', type: objectType(members) },
      { name: 'result', type: typeText(type) },
    ]),
  };
}

function namedType(type: GraphQLNamedType): readonly Member[] {
  const description = type.description ?? undefined;
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => name);
    return [{ name: type.name, description, type: literalUnion(names) }];
  }
  if (!isObjectType(type)) return [];
  const fields = Object.values(type.getFields()).map(
    (field): Member => ({
      name: field.name,
      description: field.description ?? undefined,
      type: typeText(field.type),
    }),
  );
  return [{ name: type.name, description, type: objectType(fields) }];
}

function typeText(type: GraphQLInputType | GraphQLOutputType): string {
  if (isNonNullType(type)) return presentText(type.ofType);
  return `${presentText(type)} | null`;
}

function presentText(type: GraphQLInputType | GraphQLOutputType): string {
  if (isNonNullType(type)) return presentText(type.ofType);
  if (isListType(type)) return arrayOf(typeText(type.ofType));
  const { name } = type;
  return scalars[name] ?? `GraphqlTypes[${JSON.stringify(name)}]`;
}

const scalars: Readonly<Record<string, string>> = {
  Boolean: 'boolean',
  Date: 'string',
  DateTime: 'string',
  Float: 'number',
  ID: 'string',
  Int: 'number',
  JSON: 'unknown',
  LocalDateTime: 'string',
  SafeInt: 'number',
  String: 'string',
  UUID: 'string',
};
