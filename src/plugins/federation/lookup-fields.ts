import { type GraphQLFieldConfig, GraphQLNonNull, type GraphQLObjectType } from 'graphql';
import type { Entity } from '../../catalog/model/entities.ts';
import type { KeyField } from '../../catalog/model/entity-keys.ts';
import { pascalCase } from '../../names/graphql-names.ts';
import type { ResolverContext } from '../../http/graphql/schema-extension.ts';
import { scalarOf } from './entity-types.ts';
import type { EntityValue } from './representation.ts';

/** A root field that finds an entity by a key. No saved query has a name like it, because of its first character. */
export const lookupName = ({ name }: Entity, key: readonly KeyField[]): string =>
  `_find${name}By${key.map((field) => pascalCase(field.name)).join('And')}`;

/**
 * The fields by which routers of composite schemas find entities, as routers of Federation do by `_entities`.
 *
 * @param readEntity throws GatewayError INVALID_PARAMETER
 */
export function lookupFields(
  entity: Entity,
  type: GraphQLObjectType<EntityValue, ResolverContext>,
  readEntity: (representation: unknown) => EntityValue,
): Record<string, GraphQLFieldConfig<unknown, ResolverContext>> {
  const fields = entity.keys.map((key): [string, GraphQLFieldConfig<unknown, ResolverContext>] => {
    const names = key.map(({ name }) => name);
    return [
      lookupName(entity, key),
      {
        type,
        description: `The ${entity.name} of ${names.join(' and ')}, for routers of composite schemas.`,
        args: Object.fromEntries(
          key.map((field) => [field.name, { type: new GraphQLNonNull(scalarOf[field.type]) }]),
        ),
        resolve: (_root, args) => readEntity({ ...args, __typename: entity.name }),
      },
    ];
  });
  return Object.fromEntries(fields);
}
