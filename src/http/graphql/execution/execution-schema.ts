import {
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLNonNull,
  GraphQLScalarType,
  type GraphQLSchema,
} from 'graphql';
import { getOrAdd } from '../../../get-or-add.ts';

/** The type of a field of lists as a leaf: bytes that are written into the response as they are. */
const writtenType = new GraphQLNonNull(new GraphQLScalarType({ name: 'Written' }));

type LeafResolver<Source, Context> = GraphQLFieldResolver<Source, Context, Record<string, unknown>>;

const leafKey = 'leaf';

/** The extension of a field that is a leaf when it is executed. @param resolve gives `Written`, of what is selected below it */
export const leafExtension = <Source, Context>(resolve: LeafResolver<Source, Context>) => ({
  [leafKey]: resolve,
});

/**
 * The schema that operations are executed with. Documents are validated against the one that callers see; here a field with
 * a leaf extension is a leaf, so that graphql-js executes nothing below it.
 *
 * @param more leaves of fields that can have no extension
 */
export function buildExecutionSchema(
  schema: GraphQLSchema,
  more: Readonly<Record<string, LeafResolver<unknown, never>>>,
): GraphQLSchema {
  const leaves = new WeakMap<GraphQLField<unknown, unknown>, GraphQLField<unknown, unknown>>();
  const getField: GraphQLSchema['getField'] = (parent, name) => {
    const field = schema.getField(parent, name);
    const resolve =
      field?.extensions[leafKey] ?? (field && Object.hasOwn(more, name) ? more[name] : undefined);
    if (field === undefined || resolve === undefined) return field;
    return getOrAdd(leaves, field, () =>
      Object.create(field, { type: { value: writtenType }, resolve: { value: resolve } }),
    );
  };
  return Object.create(schema, { getField: { value: getField } }) as GraphQLSchema;
}
