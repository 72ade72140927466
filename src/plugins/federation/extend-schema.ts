import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import { type Entity, entitiesOf } from '../../catalog/model/entities.ts';
import type { Catalog } from '../../catalog/model/saved-query.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import { GatewayError } from '../../errors.ts';
import type { PluginHost } from '../../gateway/plugin.ts';
import { ownerOf, type Principal } from '../../keys/principal.ts';
import { memoize } from '../../memoize.ts';
import { selectedNames } from '../../http/graphql/document/collect-fields.ts';
import type { ExtendSchema, ResolverContext, SchemaExtension } from '../../http/graphql/schema-extension.ts';
import { entityType, referenceFields } from './entity-types.ts';
import { buildIsDivided } from './divided-runs.ts';
import { countEntities, countRepresentations, mayHaveEntityFields } from './entity-counts.ts';
import { federationLimits } from './federation-limits.ts';
import { lookupFields } from './lookup-fields.ts';
import { type EntityValue, readRepresentation } from './representation.ts';
import { subgraphSdl } from './subgraph-sdl.ts';

/**
 * Builds the extension of a subgraph of Federation 2: entities, references to them in rows, and the fields by which routers
 * request entities and the schema.
 *
 * @param host undefined if the schema has no callers
 */
export function buildExtendSchema(host: Pick<PluginHost, 'turns' | 'derive'> | undefined): ExtendSchema {
  const isDivided = host === undefined ? async () => false : buildIsDivided(host);
  return (catalog, queries): SchemaExtension => {
    const entities = new Map(entitiesOf(catalog).map((entity) => [entity.name, entity]));
    const types = new Map(
      [...entities].map(([name, entity]) => [name, entityType(entity, queries, isDivided)]),
    );
    const readEntity = (one: unknown) => readRepresentation(entities, one);
    const extended = [...entities.values()].flatMap((entity) => {
      const type = types.get(entity.name);
      return entity.fields.length === 0 || type === undefined ? [] : [{ entity, type }];
    });
    const resolvable = extended.map(({ type }) => type);
    const lookups = extended.map(({ entity, type }) => lookupFields(entity, type, readEntity));
    return {
      rowFields: ({ federation }) => referenceFields(federation?.references ?? [], entities, types),
      rootFields: {
        _service: serviceField(catalog, host?.turns),
        // A union needs a member: without entities the field is left out.
        ...(resolvable.length > 0 && { _entities: entitiesField(resolvable, readEntity) }),
        ...Object.assign({}, ...lookups),
      },
    };
  };
}

/** Prints the schema that has the field, once for all who wait for it. */
type PrintSdl = (schema: GraphQLSchema, principal: Principal) => Promise<string>;

const service = new GraphQLObjectType<unknown, ResolverContext>({
  name: '_Service',
  description: 'A subgraph as routers see it.',
  fields: {
    sdl: {
      type: GraphQLString,
      description: 'The schema with the directives of Federation.',
      async resolve(_service, _args, { principal, shownSchema }) {
        if (shownSchema === undefined)
          throw new GatewayError(
            'FORBIDDEN',
            '_service: the schema may not be queried, for introspection is off; querygate schema --federation prints it',
          );
        const schema = await shownSchema();
        const { print } = schema.getQueryType()?.getFields()._service?.extensions ?? {};
        return (print as PrintSdl)(schema, principal);
      },
    },
  },
});

function serviceField(
  catalog: Catalog,
  turns: LoopTurns | undefined,
): GraphQLFieldConfig<unknown, ResolverContext> {
  let printed: Promise<string> | undefined;
  const print: PrintSdl = (schema, principal) => {
    printed ??= turns?.run(ownerOf(principal), subgraphSdl(schema, catalog, 'federation'));
    return printed ?? Promise.reject(new Error('a schema without callers'));
  };
  return {
    type: new GraphQLNonNull(service),
    description: 'The schema of this subgraph, for routers.',
    resolve: () => ({}),
    extensions: { print },
  };
}

// graphql-js reads a literal with the values of its variables; `coerceInputLiteral` would get a copy of each as syntax.
const any = new GraphQLScalarType({
  name: '_Any',
  description: 'A representation of an entity: its __typename, and the fields of one of its keys.',
});

const entitiesField = (
  types: readonly GraphQLObjectType<EntityValue, ResolverContext>[],
  readEntity: (representation: unknown) => EntityValue,
): GraphQLFieldConfig<unknown, ResolverContext> => ({
  type: new GraphQLNonNull(
    new GraphQLList(
      new GraphQLUnionType({
        name: '_Entity',
        description: 'The entities of which this subgraph has fields.',
        types: [...types],
        resolveType: (value) => (value as EntityValue).entity.name,
      }),
    ),
  ),
  description: 'The entities of some representations, in their order; null for one that cannot be resolved.',
  args: {
    representations: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(any))),
      description: `At most ${federationLimits.maxRepresentations} in an operation.`,
    },
  },
  resolve(_root, { representations }, context, info) {
    const given = representations as readonly unknown[];
    countRepresentations(context, given.length);
    const entities = given.map((one) => {
      try {
        return readEntity(one);
      } catch (error) {
        // An error in place of a value is that of this one alone.
        if (error instanceof GatewayError) return error;
        throw error;
      }
    });
    // Counted before any is resolved, which takes longer.
    const queriesOf = memoize(({ name, fields }: Entity) => {
      const selected = selectedNames(info, name);
      return selected.filter((one) => fields.some(({ field }) => field === one)).length;
    });
    const queries = entities.reduce((sum, one) => sum + ('entity' in one ? queriesOf(one.entity) : 0), 0);
    return countEntities(context, info, entities.length) && mayHaveEntityFields(context, queries)
      ? entities
      : [];
  },
});
