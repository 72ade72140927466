import {
  type GraphQLFieldConfigMap,
  type GraphQLFieldMap,
  GraphQLObjectType,
  type GraphQLObjectTypeConfig,
} from 'graphql';
import type { Context } from '../context.ts';

/** An object type whose fields are built at once: graphql-js would build those of all types together with the schema. */
export function objectType<Source>(
  config: GraphQLObjectTypeConfig<Source, Context>,
): GraphQLObjectType<Source, Context> {
  const type = new GraphQLObjectType(config);
  type.getFields();
  return type;
}

/** Fields that are built in one step, which takes less than a millisecond. */
const perStep = 20;

/** A root type, in steps: graphql-js would build fields for thousands of saved queries in one turn of the event loop. */
export function* rootType(
  name: string,
  description: string,
  configs: GraphQLFieldConfigMap<unknown, Context>,
): Generator<void, GraphQLObjectType<unknown, Context>> {
  const type = new GraphQLObjectType<unknown, Context>({ name, description, fields: {} });
  const fields: GraphQLFieldMap<unknown, Context> = {};
  const entries = Object.entries(configs);
  for (let at = 0; at < entries.length; at += perStep) {
    const some = Object.fromEntries(entries.slice(at, at + perStep));
    const part = new GraphQLObjectType<unknown, Context>({ name, fields: some });
    for (const [key, field] of Object.entries(part.getFields()))
      fields[key] = Object.assign(field, { parentType: type });
    yield;
  }
  return Object.defineProperty(type, 'getFields', { value: () => fields });
}
