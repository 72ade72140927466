import { GraphQLObjectType, type GraphQLObjectTypeConfig } from 'graphql';
import type { Context } from '../context.ts';

/** An object type whose fields are built at once: graphql-js would build those of all types together with the schema. */
export function objectType<Source>(
  config: GraphQLObjectTypeConfig<Source, Context>,
): GraphQLObjectType<Source, Context> {
  const type = new GraphQLObjectType(config);
  type.getFields();
  return type;
}
