import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { RawParameters } from '../../catalog/binding/bind.ts';
import { type Entity, type EntityField, keyFieldsOf } from '../../catalog/model/entities.ts';
import type { EntityReference } from '../../catalog/model/entity-keys.ts';
import { GatewayError } from '../../errors.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { Row } from '../../results/row-parts.ts';
import { isNoKey, type KeyValue } from '../../http/graphql/rows/key-value.ts';
import type { QueryTypes, ResolverContext, RowField } from '../../http/graphql/schema-extension.ts';
import type { IsDivided } from './divided-runs.ts';
import { countEntities, countEntityField } from './entity-counts.ts';
import { type EntityValue, checkedKeyValue, entityRequest, keyOf } from './representation.ts';

/** The scalars of fields of keys. */
export const scalarOf = { ID: GraphQLID, String: GraphQLString, Int: GraphQLInt, Boolean: GraphQLBoolean };

/** The type of an entity: the fields of its keys, and one for each saved query that extends it. */
export function entityType(
  entity: Entity,
  queries: QueryTypes,
  isDivided: IsDivided,
): GraphQLObjectType<EntityValue, ResolverContext> {
  return new GraphQLObjectType<EntityValue, ResolverContext>({
    name: entity.name,
    // Rows may refer to it, and it to results with such rows.
    fields: () => ({ ...keyFields(entity), ...queryFields(entity, queries, isDivided) }),
  });
}

const keyFields = (entity: Entity): GraphQLFieldConfigMap<EntityValue, ResolverContext> =>
  Object.fromEntries(
    keyFieldsOf(entity).map(({ name, type }) => [
      name,
      {
        type: new GraphQLNonNull(scalarOf[type]),
        description: `A part of the key of ${entity.name}.`,
        resolve: (value) => keyFieldValue(value, name),
      } satisfies GraphQLFieldConfig<EntityValue, ResolverContext>,
    ]),
  );

/** @throws GatewayError INVALID_PARAMETER if the representation has another key, which does not say it */
function keyFieldValue({ entity, values }: EntityValue, name: string): KeyValue {
  const value = values.get(name);
  if (value !== undefined) return value;
  const message = `${name}: is not in the representation; ${entity.name} has it in another key`;
  throw new GatewayError('INVALID_PARAMETER', message, { parameter: 'representations' });
}

const queryFields = (
  entity: Entity,
  queries: QueryTypes,
  isDivided: IsDivided,
): GraphQLFieldConfigMap<EntityValue, ResolverContext> =>
  Object.fromEntries(entity.fields.map((field) => [field.field, queryField(field, queries, isDivided)]));

function queryField(
  field: EntityField,
  { resultOf, argumentsOf, parametersOf, deprecationOf }: QueryTypes,
  isDivided: IsDivided,
): GraphQLFieldConfig<EntityValue, ResolverContext> {
  const { query } = field;
  return {
    // Nullable: if one result fails, the entity keeps its other fields.
    type: resultOf(query),
    description: query.description,
    deprecationReason: deprecationOf(query),
    args: withoutKeys(field, argumentsOf(query)),
    resolve(value, args, context) {
      if (!countEntityField(context)) return null;
      return entityResult({ field, value, given: parametersOf(query, args), context, isDivided });
    },
  };
}

/** The arguments of an entity's field: all but those that its keys give. */
function withoutKeys<T>({ keys, query }: EntityField, all: Readonly<Record<string, T>>): Record<string, T> {
  const ofKeys = new Set(keys.flat().map(({ parameter }) => parameter));
  const names = Object.keys(all);
  const kept = query.parameters.flatMap(({ name }, at) => (ofKeys.has(name) ? [] : [names[at] ?? '']));
  return Object.fromEntries(Object.entries(all).filter(([name]) => kept.includes(name)));
}

interface EntityResult {
  readonly field: EntityField;
  readonly value: EntityValue;
  readonly given: RawParameters;
  readonly context: ResolverContext;
  readonly isDivided: IsDivided;
}

/** The values of a list are one run if its rows can be divided. */
function entityResult(of: EntityResult): CachedResult | Promise<CachedResult> {
  const { field, value, given, context, isDivided } = of;
  const request = entityRequest(field, value, given);
  const list = keyOf(field, value).find(({ column }) => column !== undefined);
  if (list === undefined) return context.findResult(request) ?? context.getResult(request);
  return isDivided(field.query, list).then((isOneRun) =>
    isOneRun ? context.getValueResult(request, list) : context.getResult(request),
  );
}

/** The fields of rows that refer to entities. */
export function referenceFields(
  references: readonly EntityReference[],
  entities: ReadonlyMap<string, Entity>,
  typeOf: ReadonlyMap<string, GraphQLObjectType<EntityValue, ResolverContext>>,
): Readonly<Record<string, RowField>> | undefined {
  if (references.length === 0) return undefined;
  const fields = references.flatMap((reference): [string, RowField][] => {
    const [entity, type] = [entities.get(reference.entity), typeOf.get(reference.entity)];
    if (entity === undefined || type === undefined) return [];
    const { field, key } = reference;
    const columns = key.map(({ column }) => column).join(' and ');
    const description = `The ${entity.name} of ${columns}; null if a part of its key is NULL or empty.`;
    const resolve: RowField['resolve'] = (row, _, context, info) =>
      countEntities(context, info) ? referredTo(entity, reference, row) : null;
    return [[field, { type, key, description, resolve }]];
  });
  return Object.fromEntries(fields);
}

function referredTo(entity: Entity, { key }: EntityReference, row: Row): EntityValue | null {
  const values = key.map((field) => [field, row[field.column]] as const);
  if (values.some(([, value]) => isNoKey(value))) return null;
  return {
    entity,
    values: new Map(values.map(([field, value]) => [field.name, checkedKeyValue(field, value)])),
  };
}
