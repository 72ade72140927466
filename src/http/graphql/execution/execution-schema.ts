import {
  type GraphQLField,
  type GraphQLFieldResolver,
  GraphQLNonNull,
  GraphQLScalarType,
  type GraphQLSchema,
} from 'graphql';
import { memoize } from '../../../memoize.ts';

/** The type of a field of lists as a leaf: bytes that are written into the response as they are. */
const writtenType = new GraphQLNonNull(new GraphQLScalarType({ name: 'Written' }));

const leafKey = 'leaf';

/** The extension of a field that is a leaf when it is executed. @param resolve gives `Written`, of what is selected below it */
export const leafExtension = <Source, Context>(
  resolve: GraphQLFieldResolver<Source, Context, Record<string, unknown>>,
) => ({ [leafKey]: resolve });

/**
 * The schema that operations are executed with; documents are validated against the one that callers see. graphql-js executes
 * nothing below a field with a leaf extension, and reads long lists of introspection in turns.
 */
export function buildExecutionSchema(schema: GraphQLSchema): GraphQLSchema {
  const getField: GraphQLSchema['getField'] = (parent, name) => {
    const field = schema.getField(parent, name);
    return field && executedField(field);
  };
  return Object.create(schema, { getField: { value: getField } }) as GraphQLSchema;
}

type Field = GraphQLField<unknown, unknown>;

const executedField = memoize((field: Field): Field => {
  const leaf = field.extensions[leafKey];
  if (leaf !== undefined)
    return Object.create(field, { type: { value: writtenType }, resolve: { value: leaf } });
  if (longLists[field.parentType?.name ?? ''] !== field.name) return field;
  return Object.create(field, { resolve: { value: resolveInTurns(field) } });
});

interface Turns {
  nextTurn(): Promise<unknown> | undefined;
}

/** Of a large catalog they have megabytes, which graphql-js would execute in one turn of the event loop. */
const longLists: Readonly<Record<string, string>> = { __Schema: 'types', __Type: 'fields' };

/** The elements that are executed in one turn, which take less than a millisecond. */
const perTurn = 20;

const resolveInTurns =
  ({ resolve }: Field): GraphQLFieldResolver<unknown, Turns> =>
  (source, args, context, info) => {
    const list = resolve?.(source, args, context, info);
    return Array.isArray(list) && list.length > perTurn ? inTurns(list, context) : list;
  };

async function* inTurns(list: readonly unknown[], turns: Turns): AsyncGenerator<unknown> {
  for (const element of list) {
    const turn = turns.nextTurn();
    if (turn !== undefined) await turn;
    yield element;
  }
}
