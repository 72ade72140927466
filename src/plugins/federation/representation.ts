import { type Entity, type EntityField, keyFieldsOf } from '../../catalog/model/entities.ts';
import type { KeyField, ParameterKeyField } from '../../catalog/model/entity-keys.ts';
import { maxValueLength } from '../../catalog/binding/value-limits.ts';
import { shorten } from '@querygate/text';
import { GatewayError } from '../../errors.ts';
import { httpLimits } from '../../http/message/http-limits.ts';
import { EndpointRequest } from '../../call/endpoint-request.ts';
import { type KeyValue, keyValue } from '../../http/graphql/rows/key-value.ts';
import type { RawParameters } from '../../catalog/binding/bind.ts';

/** An entity as another subgraph, or a row, refers to it. */
export interface EntityValue {
  readonly entity: Entity;
  /** The values of the fields of at least one key. */
  readonly values: ReadonlyMap<string, KeyValue>;
}

/**
 * Reads one member of the argument `representations`.
 *
 * @throws GatewayError INVALID_PARAMETER if there is no such entity, or no complete key of it
 */
export function readRepresentation(
  entities: ReadonlyMap<string, Entity>,
  representation: unknown,
): EntityValue {
  const given = (
    typeof representation === 'object' && representation !== null ? representation : {}
  ) as Readonly<Record<string, unknown>>;
  const name = Object.hasOwn(given, '__typename') ? given.__typename : undefined;
  if (typeof name !== 'string')
    throw wrong('__typename: is missing; each representation needs the name of its type');
  const entity = entities.get(name);
  if (entity === undefined || entity.fields.length === 0)
    throw wrong(
      `__typename: ${JSON.stringify(shorten(name, httpLimits.maxErrorLength))} is not an entity that this subgraph resolves`,
    );
  const values = new Map<string, KeyValue>();
  for (const field of keyFieldsOf(entity)) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (value === undefined || value === null) continue;
    const checked = checkedKeyValue(field, value);
    const { length } = String(checked);
    // One variable may be the key of many representations, which the response repeats.
    if (length > maxValueLength)
      throw wrong(`${field.name}: has ${length} characters; the limit is ${maxValueLength}`);
    values.set(field.name, checked);
  }
  if (entity.keys.some((key) => isWhole(key, values))) return { entity, values };
  const keys = entity.keys.map((key) => key.map(({ name }) => name).join(' and ')).join(', or ');
  throw wrong(`${name}: needs ${keys}`);
}

/** @throws GatewayError INVALID_PARAMETER */
export function checkedKeyValue(field: KeyField, value: unknown): KeyValue {
  const checked = keyValue(field, value);
  if (checked !== undefined) return checked;
  throw wrong(`${field.name}: must be of the type ${field.type}${value === '' ? ', and not empty' : ''}`);
}

const wrong = (message: string) =>
  new GatewayError('INVALID_PARAMETER', message, { parameter: 'representations' });

const isWhole = (key: readonly KeyField[], values: EntityValue['values']): boolean =>
  key.every(({ name }) => values.has(name));

/** The first key of which the entity has all values. */
export const keyOf = ({ keys }: EntityField, { values }: EntityValue): readonly ParameterKeyField[] =>
  keys.find((key) => isWhole(key, values)) ?? [];

/** The request for a field of an entity. @param given its arguments */
export function entityRequest(field: EntityField, value: EntityValue, given: RawParameters): EndpointRequest {
  const { query } = field;
  const key = keyOf(field, value);
  const ofKey = key.map(({ name, parameter }) => [parameter, [String(value.values.get(name))]] as const);
  // A key says which entity it is: the tenant is compared also for callers who may send patterns.
  const comparesTenant =
    query.tenant?.pattern !== undefined && key.some(({ parameter }) => parameter === query.tenant?.parameter);
  return new EndpointRequest(query, new Map([...given, ...ofKey]), comparesTenant);
}
