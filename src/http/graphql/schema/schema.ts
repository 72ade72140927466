import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLNonNull,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { seenBySql, sqlParameter } from '../../../catalog/binding/caller-sql.ts';
import { type Catalog, followSeconds, type SavedQuery } from '../../../catalog/model/saved-query.ts';
import { publicNames } from '../../../catalog/model/versions.ts';
import { runSteps } from '../../../concurrency/loop-turns.ts';
import { memoize } from '../../../memoize.ts';
import { connectionFieldOf, sqlFieldOf } from '../../../names/graphql-names.ts';
import { EndpointRequest } from '../../../call/endpoint-request.ts';
import type { Context } from '../context.ts';
import { openArgumentTypes, parameterArguments, rawArguments } from './arguments.ts';
import { catalogFields } from './catalog-fields.ts';
import { deprecationReason } from './deprecation.ts';
import { FieldToFollow } from '../execution/field-to-follow.ts';
import { rootType } from './object-type.ts';
import { resultTypeWith, rowTypeOf } from './result-type.ts';
import { connectionType, pageArguments, readPageRequest } from './rows/connection-type.ts';
import type { ExtendSchema, QueryTypes } from '../schema-extension.ts';
import { scalars, sqlResult } from './shared-types.ts';

/** The GraphQL schema of a catalog: root fields for each name of a saved query, and `endpoints`, `endpoint`, which describe them. */
export const buildSchema = (catalog: Catalog, extend?: ExtendSchema): GraphQLSchema =>
  runSteps(buildSchemaInSteps(catalog, extend));

/** The same in steps of less than a millisecond, but for the last one: graphql-js collects all types at once. */
export function* buildSchemaInSteps(
  catalog: Catalog,
  extend?: ExtendSchema,
  hasSubscriptions = true,
): Generator<void, GraphQLSchema> {
  const typeOf = openArgumentTypes();
  const reasonOf = deprecationReason(catalog);
  const argumentsOf: QueryTypes['argumentsOf'] = memoize((query) => parameterArguments(query, typeOf));
  const resultOf = memoize(
    (query: SavedQuery): ResultType => resultTypeWith(query, extension?.rowFields(query)),
  );
  const extension = extend?.(catalog, {
    resultOf,
    argumentsOf,
    parametersOf: rawArguments,
    deprecationOf: reasonOf,
  });
  const fields: RootFields = {};
  const pageFields: RootFields = {};
  const sqlFields: RootFields = {};
  const followedFields: RootFields = {};
  for (const { name, field, query } of publicNames(catalog)) {
    const parts = { name, query, result: resultOf(query), argumentsOf, deprecationReason: reasonOf(query) };
    const queried = queryField(parts);
    fields[field] = queried;
    if (hasSubscriptions && followSeconds(query.caching) !== undefined)
      followedFields[field] = subscriptionField(query, queried);
    if (query.pages !== undefined) pageFields[connectionFieldOf(field)] = pageField(parts);
    if (query.querySandboxing === 'enabled') sqlFields[sqlFieldOf(field)] = sqlField(parts);
    yield;
  }
  const query = yield* rootType('Query', 'One field per saved query, and the catalog that describes them.', {
    ...fields,
    ...pageFields,
    ...sqlFields,
    ...catalogFields(catalog),
    ...extension?.rootFields,
  });
  const subscription =
    Object.keys(followedFields).length === 0
      ? undefined
      : yield* rootType(
          'Subscription',
          'One field per saved query that can be followed: its result, now and whenever it changes.',
          followedFields,
        );
  yield;
  // In any schema, also if no saved query has such an argument or column.
  const types = [scalars.DateTime, scalars.JSON, scalars.SafeInt];
  // graphql-js would check all of it in one turn with the first request: the catalog has been checked, and a test checks this.
  return new GraphQLSchema({ query, subscription, types, assumeValid: true });
}

type ResultType = ReturnType<typeof resultTypeWith>;

type RootField = GraphQLFieldConfig<unknown, Context>;
type RootFields = GraphQLFieldConfigMap<unknown, Context>;

/** The parts of the fields that a saved query has under one of its names. */
interface FieldParts extends Pick<QueryTypes, 'argumentsOf'> {
  readonly name: string;
  readonly query: SavedQuery;
  readonly result: ResultType;
  readonly deprecationReason: string | undefined;
}

const queryField = ({ query, result, argumentsOf, deprecationReason }: FieldParts): RootField => ({
  // Nullable: if one endpoint fails, the other fields of the request keep their data.
  type: result,
  description: query.description,
  deprecationReason,
  args: argumentsOf(query),
  resolve: (_root, args, context) => context.getResult(new EndpointRequest(query, rawArguments(query, args))),
});

/** The same field in `Subscription`. Each event has a result, which is the root value that it is executed with. */
const subscriptionField = (query: SavedQuery, queried: RootField): RootField => ({
  ...queried,
  subscribe: (_root, args, _context, info) =>
    new FieldToFollow(new EndpointRequest(query, rawArguments(query, args)), info),
  resolve: (result) => result,
});

/** The rows of a saved query in pages, as Relay reads them. */
const pageField = ({ name, query, result, argumentsOf, deprecationReason }: FieldParts): RootField => ({
  type: connectionType(query, rowTypeOf(result)),
  description: `The rows of ${name} in pages. ${query.description}`,
  deprecationReason,
  args: { ...argumentsOf(query), ...pageArguments },
  resolve: (_root, args, context) =>
    context.getPage(query, rawArguments(query, args), readPageRequest(query, args)),
});

/** SQL over the common tables of a saved query that takes it: with the parameters that these use, and the rows as JSON. */
const sqlField = ({ name, query, argumentsOf, deprecationReason }: FieldParts): RootField => ({
  type: sqlResult,
  description: `One SELECT over the common tables of ${name}. A key that is bound to tenants needs the permission sql.`,
  deprecationReason,
  args: {
    [sqlParameter]: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'The SELECT, in the BigQuery SQL dialect. It may use the parameters as @name.',
    },
    ...argumentsOf(seenBySql(query)),
  },
  resolve: (_root, args, context) => {
    const { [sqlParameter]: sql, ...rest } = args as { readonly sql: string };
    // Empty SQL would be absent, and give the saved query's own rows.
    const text = sql.trim() === '' ? ' ' : sql;
    return context.getResult(
      new EndpointRequest(query, new Map([...rawArguments(query, rest), [sqlParameter, [text]]])),
    );
  },
});
