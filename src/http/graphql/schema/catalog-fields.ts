import { hasId } from '../../../catalog/find-query.ts';
import { camelCase } from '../../../catalog/names.ts';
import type { Catalog, Column, Parameter, SavedQuery } from '../../../catalog/saved-query.ts';
import { GatewayError } from '../../../errors.ts';
import { isOpenTo } from '../../access/authorize.ts';
import type { Builder } from './builder.ts';

/** `endpoints` and `endpoint(id, name)`: what can be asked, in the spec's words. */
export function addCatalogFields(builder: Builder, { queries }: Catalog): void {
  const endpoint = endpointType(builder);
  builder.queryFields((t) => ({
    endpoints: t.field({
      type: [endpoint],
      description: 'Every endpoint that the key may ask, by name.',
      resolve: (_root, _args, { holder }) => queries.filter((query) => isOpenTo(holder, query)),
    }),
    endpoint: t.field({
      type: endpoint,
      nullable: true,
      description: 'The endpoint with this id or this name; null where the key may ask none.',
      args: {
        id: t.arg({ type: 'UUID', description: 'The UUID of the endpoint.' }),
        name: t.arg.string({ description: 'The unique name of the endpoint.' }),
      },
      resolve: (_root, { id, name }, { holder }) =>
        queries.find(
          (query) =>
            (id ?? name) != null &&
            isOpenTo(holder, query) &&
            (id == null || hasId(query, id)) &&
            (name == null || query.name === name),
        ),
    }),
  }));
}

function endpointType(builder: Builder) {
  const parameter = builder.objectRef<Parameter>('EndpointParameter').implement({
    description: 'A parameter that an endpoint declares.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name in a query string and in the SQL.' }),
      type: t.exposeString('type', {
        description: 'string, pattern, enum, timestamp, integer, float or boolean.',
      }),
      required: t.exposeBoolean('required', { description: 'True where it must be given.' }),
      default: t.exposeString('default', {
        nullable: true,
        description: 'What an absent parameter stands for.',
      }),
      description: t.exposeString('description', { description: 'What it means.' }),
      values: t.stringList({
        nullable: true,
        description: 'The allowed values of an enum, as REST callers write them.',
        resolve: (one) => (one.type === 'enum' ? one.values.map(({ value }) => value) : null),
      }),
    }),
  });
  const column = builder.objectRef<Column>('EndpointColumn').implement({
    description: 'A column of the rows that an endpoint returns.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Its name in REST rows.' }),
      type: t.exposeString('type', { description: 'Its type, in words of the spec.' }),
      repeated: t.exposeBoolean('repeated', { description: 'True where it is an array of the type.' }),
      required: t.exposeBoolean('required', { description: 'True where it is never null.' }),
      unit: t.exposeString('unit', { nullable: true, description: 'The unit of its numbers.' }),
      description: t.exposeString('description', { description: 'What it means.' }),
    }),
  });
  return builder.objectRef<SavedQuery>('Endpoint').implement({
    description: 'A saved query: its addresses, its SQL and its limits.',
    fields: (t) => ({
      id: t.expose('id', {
        type: 'UUID',
        description: 'Its UUID, usable as the last segment of the REST path.',
      }),
      name: t.exposeString('name', {
        description: 'Its unique name, usable as the last segment of the REST path.',
      }),
      field: t.string({ description: 'Its field in this schema.', resolve: ({ name }) => camelCase(name) }),
      description: t.exposeString('description', { description: 'What it tells.' }),
      query: t.string({
        // A key without the permission still reads the other fields.
        nullable: true,
        description: 'The saved query, in the BigQuery SQL dialect, for keys with the permission catalog.',
        resolve: ({ sql }, _args, { holder }) => {
          if (holder.permissions.has('catalog')) return sql;
          throw new GatewayError(
            'FORBIDDEN',
            'This key lacks the permission catalog, which reading SQL takes',
          );
        },
      }),
      maxRows: t.exposeInt('maxRows', { description: 'Upper bound on the rows returned.' }),
      caching: t.int({
        nullable: true,
        description: 'How long a result is cached, in seconds; null where caching is disabled.',
        resolve: ({ caching }) => (caching === 'disabled' ? null : caching.ttlSeconds),
      }),
      cacheWarming: t.int({
        nullable: true,
        description: 'Refresh interval of the cache, in seconds; null where there is none.',
        resolve: ({ caching }) => (caching === 'disabled' ? null : caching.warmingSeconds),
      }),
      querySandboxing: t.boolean({
        description: 'Whether the query runs in a sandbox.',
        resolve: () => false,
      }),
      parameters: t.field({
        type: [parameter],
        description: 'The parameters it declares.',
        resolve: ({ parameters }) => [...parameters],
      }),
      columns: t.field({
        type: [column],
        description: 'The columns of its rows.',
        resolve: ({ columns }) => [...columns],
      }),
    }),
  });
}
