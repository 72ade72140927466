import { ownerOf } from '../../../keys/principal.ts';
import {
  type GraphQLFieldConfig,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import { type Entity, entitiesOf } from '../../../catalog/model/entities.ts';
import type { Catalog } from '../../../catalog/model/saved-query.ts';
import type { Owner } from '../../../concurrency/fair-share.ts';
import { GatewayError } from '../../../errors.ts';
import { memoize } from '../../../memoize.ts';
import { httpLimits } from '../../message/http-limits.ts';
import type { Context } from '../context.ts';
import { selectionOf } from '../document/selection-of.ts';
import { objectType } from '../schema/object-type.ts';
import type { ExtendSchema, SchemaExtension } from '../schema/schema-extension.ts';
import { entityType, referenceFields } from './entity-types.ts';
import { lookupFields } from './lookup-fields.ts';
import { type EntityValue, readRepresentation } from './representation.ts';

const { maxRepresentations } = httpLimits;

/** Prints a schema with its directives, once for all who wait for it. @param owner whose turns it takes */
export type PrintSdl = (schema: GraphQLSchema, catalog: Catalog, owner: Owner) => Promise<string>;

type ServiceSdl = (schema: GraphQLSchema, owner: Owner) => Promise<string>;

function keepFirst(print: ServiceSdl): ServiceSdl {
  let printed: Promise<string> | undefined;
  return (schema, owner) => {
    printed ??= print(schema, owner);
    return printed;
  };
}

/**
 * What makes a schema a subgraph of Federation 2: entities, references to them in rows, and the fields by which routers
 * request entities and the schema.
 *
 * @param sdlOf undefined if callers may not have it
 */
export function buildExtendSchema(sdlOf: PrintSdl | undefined): ExtendSchema {
  return (catalog, queries): SchemaExtension => {
    const entities = new Map(entitiesOf(catalog).map((entity) => [entity.name, entity]));
    const types = new Map([...entities].map(([name, entity]) => [name, entityType(entity, queries)]));
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
        _service: serviceField(sdlOf && keepFirst((schema, owner) => sdlOf(schema, catalog, owner))),
        // A union needs a member: without entities there is no such field.
        ...(resolvable.length > 0 && { _entities: entitiesField(resolvable, readEntity) }),
        ...Object.assign({}, ...lookups),
      },
    };
  };
}

const service = objectType<unknown>({
  name: '_Service',
  description: 'A subgraph as routers see it.',
  fields: {
    sdl: {
      type: GraphQLString,
      description: 'The schema with the directives of Federation.',
      resolve: (sdl, _args, { principal }, { schema }) => (sdl as ServiceSdl)(schema, ownerOf(principal)),
    },
  },
});

const serviceField = (sdl: ServiceSdl | undefined): GraphQLFieldConfig<unknown, Context> => ({
  type: new GraphQLNonNull(service),
  description: 'The schema of this subgraph, for routers.',
  resolve: () =>
    sdl ??
    (() => {
      throw new GatewayError(
        'FORBIDDEN',
        '_service: the schema may not be queried, for introspection is off; querygate schema --federation prints it',
      );
    }),
});

// graphql-js reads a literal with the values of its variables; `coerceInputLiteral` would get a copy of each as syntax.
const any = new GraphQLScalarType({
  name: '_Any',
  description: 'A representation of an entity: its __typename, and the fields of one of its keys.',
});

/** How many representations an operation had in the fields before. */
const countOf = new WeakMap<Context, number>();

const entitiesField = (
  types: readonly GraphQLObjectType<EntityValue, Context>[],
  readEntity: (representation: unknown) => EntityValue,
): GraphQLFieldConfig<unknown, Context> => ({
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
      description: `At most ${maxRepresentations} in an operation.`,
    },
  },
  resolve(_root, { representations }, context, info) {
    const given = representations as readonly unknown[];
    const count = (countOf.get(context) ?? 0) + given.length;
    countOf.set(context, count);
    if (count > maxRepresentations)
      throw new GatewayError(
        'OPERATION_TOO_LARGE',
        `The operation has ${count} representations; at most ${maxRepresentations} are allowed: send several operations`,
        { parameter: 'representations' },
      );
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
      const [selected] = selectionOf(info, name);
      return selected.filter((one) => fields.some(({ field }) => field === one.name)).length;
    });
    const queries = entities.reduce((sum, one) => sum + ('entity' in one ? queriesOf(one.entity) : 0), 0);
    return context.mayHaveEntityFields(queries) ? entities : [];
  },
});
