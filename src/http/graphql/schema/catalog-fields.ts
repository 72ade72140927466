import type { GraphQLFieldConfigMap } from 'graphql';
import { textsOf } from '../../../catalog/binding/list-values.ts';
import { defaultMaxItems } from '../../../catalog/binding/value-limits.ts';
import { hasId, lookUpName } from '../../../catalog/model/find-query.ts';
import type {
  Catalog,
  Column,
  Deprecation,
  Parameter,
  SavedQuery,
} from '../../../catalog/model/saved-query.ts';
import { parseVersionName } from '../../../catalog/model/version-name.ts';
import { isDefaultVersion, mainNames, seriesOf } from '../../../catalog/model/versions.ts';
import { GatewayError } from '../../../errors.ts';
import { mayQuery } from '../../../call/gate.ts';
import type { Context } from '../context.ts';
import { type Builder, type FieldBuilder, newBuilder } from './builder.ts';
import { uuid } from './scalars.ts';

/** The root fields `endpoints` and `endpoint(id, name)`, which describe the catalog in the spec's words. */
export function catalogFields(catalog: Catalog): GraphQLFieldConfigMap<unknown, Context> {
  const { queries, all = queries } = catalog;
  const builder = newBuilder();
  builder.addScalarType('UUID', uuid);
  const endpoint = endpointType(builder, catalog);
  builder.queryType({
    fields: (t) => ({
      endpoints: t.field({
        type: [endpoint],
        description: 'Every endpoint that the key may query, by name.',
        resolve: (_root, _args, { principal }) => queries.filter((query) => mayQuery(principal, query)),
      }),
      endpoint: t.field({
        type: endpoint,
        nullable: true,
        description:
          'The endpoint with this id or name; null if it does not exist or the key may not query it. A name without a number means its default version.',
        args: {
          id: t.arg({ type: 'UUID', description: 'The UUID of the endpoint.' }),
          name: t.arg.string({
            description: 'The unique name of the endpoint, name@2 for a version, or one of its aliases.',
          }),
        },
        resolve: (_root, { id, name }, { principal }) => {
          const named = name == null ? undefined : lookUpName({ queries: all }, name);
          return queries.find(
            (query) =>
              (id ?? name) != null &&
              mayQuery(principal, query) &&
              (id == null || hasId(query, id)) &&
              (name == null || query === named),
          );
        },
      }),
    }),
  });
  return builder.toSchema({ sortSchema: false }).getQueryType()?.toConfig().fields ?? {};
}

/** A large catalog has megabytes of columns, which the executor would write in one turn of the event loop. */
function inTurn<T>({ nextTurn }: Context, get: () => T): T | Promise<T> {
  const turn = nextTurn();
  return turn === undefined ? get() : turn.then(get);
}

/** True if a query has parameters that need more fields than parameters of text and numbers do. */
const hasDetails = ({ parameters }: SavedQuery): boolean =>
  parameters.some(
    ({ type, repeated, min, max, maxLength, pattern }) =>
      type === 'date' ||
      type === 'datetime' ||
      repeated ||
      [min, max, maxLength, pattern].some((bound) => bound !== undefined),
  );

function endpointType(builder: Builder, catalog: Catalog) {
  const { queries, all = queries } = catalog;
  const names = mainNames(catalog);
  const deprecation = deprecationType(builder);
  const parameter = parameterType(builder, queries);
  const column = columnType(builder);
  const endpoint = builder.objectRef<SavedQuery>('Endpoint');
  return endpoint.implement({
    description: 'A saved query: its addresses, its SQL and its limits.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Its UUID, usable as the last segment of the REST path.' }),
      name: t.exposeString('name', {
        description:
          'Its unique name, usable as the last segment of the REST path. Without a number, that path leads to the default version.',
      }),
      version: t.int({
        description: 'Its number among the versions of its name; 1 unless its name has a number.',
        resolve: ({ name }) => parseVersionName(name).version,
      }),
      isDefault: t.boolean({
        description: 'True if its name without a number means this version.',
        resolve: (query) => isDefaultVersion(catalog, query),
      }),
      versions: t.field({
        type: [endpoint],
        description: 'All versions of its name that the key may query, this one too.',
        resolve: ({ name }, _args, { principal }) =>
          (seriesOf(all).get(parseVersionName(name).base)?.versions ?? []).filter((query) =>
            mayQuery(principal, query),
          ),
      }),
      deprecated: t.expose('deprecated', {
        type: deprecation,
        nullable: true,
        description: 'Set if callers should use another endpoint.',
      }),
      aliases: t.stringList({
        description: 'Further names and UUIDs that are usable in the same place.',
        resolve: ({ aliases }) => [...aliases],
      }),
      field: t.string({
        description: 'Its field in this schema.',
        resolve: (query) => names.get(query)?.field ?? '',
      }),
      description: t.exposeString('description', { description: 'What it returns.' }),
      query: t.string({
        // Without the permission only this field is null; the others are still returned.
        nullable: true,
        description: 'The saved query in the BigQuery SQL dialect; requires the permission catalog.',
        resolve: ({ name, sql }, _args, { principal, audited }) => {
          if (principal.permissions.has('catalog')) return sql;
          const message = 'Reading SQL requires the permission catalog, which this key does not have';
          const refusal = { reason: 'permission', endpoint: name } as const;
          throw audited(new GatewayError('FORBIDDEN', message, { refusal }));
        },
      }),
      ...limitFields(t),
      parameters: t.field({
        type: [parameter],
        description: 'The parameters it declares.',
        resolve: ({ parameters }, _args, context) => inTurn(context, () => [...parameters]),
      }),
      columns: t.field({
        type: [column],
        description: 'The columns of its rows.',
        resolve: ({ columns }, _args, context) => inTurn(context, () => [...columns]),
      }),
    }),
  });
}

const limitFields = (t: FieldBuilder<SavedQuery>) => ({
  maxRows: t.exposeInt('maxRows', { description: 'Upper bound on the rows returned.' }),
  caching: t.int({
    nullable: true,
    description: 'How long a result is cached, in seconds; null if caching is disabled.',
    resolve: ({ caching }) => (caching === 'disabled' ? null : caching.ttlSeconds),
  }),
  cacheWarming: t.int({
    nullable: true,
    description: 'Refresh interval of the cache, in seconds; null if the cache is not warmed.',
    resolve: ({ caching }) => (caching === 'disabled' ? null : caching.warmingSeconds),
  }),
  querySandboxing: t.boolean({
    description: 'Whether callers may send SQL over its common tables.',
    resolve: ({ querySandboxing }) => querySandboxing === 'enabled',
  }),
});

/** Its fields for lists, bounds and dates are left out of a schema in which no parameter needs them. */
function parameterType(builder: Builder, queries: readonly SavedQuery[]) {
  const withDetails = queries.some(hasDetails);
  return builder.objectRef<Parameter>('EndpointParameter').implement({
    description: 'A parameter that an endpoint declares.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name in a query string and in the SQL.' }),
      type: t.exposeString('type', {
        description: withDetails
          ? 'string, pattern, enum, date, datetime, timestamp, integer, float or boolean.'
          : 'string, pattern, enum, timestamp, integer, float or boolean.',
      }),
      ...(withDetails && parameterDetails(t)),
      required: t.exposeBoolean('required', { description: 'True if callers must send it.' }),
      default: t.string({
        nullable: true,
        description: 'The value used if the parameter is absent.',
        resolve: ({ default: text }) => (text === undefined ? null : textsOf(text).join(',')),
      }),
      description: t.exposeString('description', { description: 'What it means.' }),
      values: t.stringList({
        nullable: true,
        description: 'The allowed values of an enum, as REST callers write them.',
        resolve: (parameter) =>
          parameter.type === 'enum' ? parameter.values.map(({ value }) => value) : null,
      }),
    }),
  });
}

function columnType(builder: Builder) {
  return builder.objectRef<Column>('EndpointColumn').implement({
    description: 'A column of the rows that an endpoint returns.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name in REST rows.' }),
      type: t.exposeString('type', { description: 'Its type, named as in the spec.' }),
      repeated: t.exposeBoolean('repeated', { description: 'True if it is an array of the type.' }),
      required: t.exposeBoolean('required', { description: 'True if it is never null.' }),
      unit: t.exposeString('unit', { nullable: true, description: 'The unit of its numbers.' }),
      description: t.exposeString('description', { description: 'What it means.' }),
    }),
  });
}

function deprecationType(builder: Builder) {
  return builder.objectRef<Deprecation>('EndpointDeprecation').implement({
    description: 'That an endpoint should not be used any more.',
    fields: (t) => ({
      since: t.exposeString('since', { description: 'The day since which it is deprecated: YYYY-MM-DD.' }),
      sunset: t.exposeString('sunset', {
        nullable: true,
        description: 'The day on which it will be removed.',
      }),
      reason: t.exposeString('reason', { nullable: true, description: 'Why.' }),
      successor: t.exposeString('successor', { nullable: true, description: 'The name to use instead.' }),
    }),
  });
}

const parameterDetails = (t: FieldBuilder<Parameter>) => ({
  repeated: t.boolean({ description: 'True if it is a list.', resolve: ({ repeated }) => repeated === true }),
  maxItems: t.int({
    nullable: true,
    description: 'The most values of a list.',
    resolve: ({ repeated, maxItems = defaultMaxItems }) => (repeated ? maxItems : null),
  }),
  min: t.exposeString('min', {
    nullable: true,
    description: 'The least value; relative to the time as in -90d.',
  }),
  max: t.exposeString('max', {
    nullable: true,
    description: 'The greatest value; relative to the time as in 0d.',
  }),
  maxLength: t.exposeInt('maxLength', { nullable: true, description: 'The most characters.' }),
  pattern: t.exposeString('pattern', {
    nullable: true,
    description: 'A regular expression of RE2 that a value must match.',
  }),
});
