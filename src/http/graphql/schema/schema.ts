import SchemaBuilder from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { sqlParameter } from '../../../catalog/binding/caller-sql.ts';
import { describeParameter } from '../../../catalog/describe-parameter.ts';
import { camelCase, sqlField } from '../../../catalog/names.ts';
import type { Catalog, Parameter, SavedQuery } from '../../../catalog/saved-query.ts';
import { type ArgumentTypes, buildArgumentTypes, defaultArgument, rawArguments } from './arguments.ts';
import type { Builder, SchemaTypes } from './builder.ts';
import { addCatalogFields } from './catalog-fields.ts';
import { addCostType } from './cost-type.ts';
import { addCacheStatus, addResultType } from './result-type.ts';
import { date, dateTime, localDateTime, uuid } from './scalars.ts';
import { addSqlResultType } from './sql-result-type.ts';

/**
 * The GraphQL schema of a catalog: one root field per saved query, and `endpoints`, `endpoint`, which describe them.
 */
export function buildSchema(catalog: Catalog): GraphQLSchema {
  const builder: Builder = new SchemaBuilder<SchemaTypes>({ defaultFieldNullability: false });
  const types = new Set(catalog.queries.flatMap(({ parameters }) => parameters.map(({ type }) => type)));
  if (types.has('date')) builder.addScalarType('Date', date);
  builder.addScalarType('DateTime', dateTime);
  builder.addScalarType('JSON', GraphQLJSON);
  if (types.has('datetime')) builder.addScalarType('LocalDateTime', localDateTime);
  builder.addScalarType('SafeInt', GraphQLSafeInt);
  builder.addScalarType('UUID', uuid);
  builder.queryType({ description: 'One field per saved query, and the catalog that describes them.' });

  const argumentTypes = buildArgumentTypes(builder);
  const shared = { cost: addCostType(builder), cacheStatus: addCacheStatus(builder) };
  for (const query of catalog.queries) {
    addQueryField(builder, query, argumentTypes, addResultType(builder, query, shared));
  }
  const takingSql = catalog.queries.filter(({ querySandboxing }) => querySandboxing === 'enabled');
  if (takingSql.length > 0) {
    const sqlResult = addSqlResultType(builder, shared);
    for (const query of takingSql) addSqlField(builder, query, argumentTypes, sqlResult);
  }
  addCatalogFields(builder, catalog);
  // Unsorted: columns and enum values stay in the order in which their author wrote them.
  return builder.toSchema({ sortSchema: false });
}

function addQueryField(
  builder: Builder,
  query: SavedQuery,
  typeOf: ArgumentTypes,
  result: ReturnType<typeof addResultType>,
): void {
  builder.queryField(camelCase(query.name), (t) =>
    t.field({
      type: result,
      // If one endpoint fails, the other fields of the request keep their data.
      nullable: true,
      description: query.description,
      args: parameterArguments(t, query, typeOf),
      resolve: (_root, args, context) => context.getResult(query, rawArguments(query, args)),
    }),
  );
}

/** SQL over the common tables of a saved query that takes it: with the same arguments, and the rows as JSON. */
function addSqlField(
  builder: Builder,
  query: SavedQuery,
  typeOf: ArgumentTypes,
  result: ReturnType<typeof addSqlResultType>,
): void {
  builder.queryField(sqlField(query.name), (t) =>
    t.field({
      type: result,
      nullable: true,
      description: `One SELECT over the common tables of ${query.name}. A key that is bound to tenants needs the permission sql.`,
      args: {
        [sqlParameter]: t.arg.string({
          required: true,
          description: 'The SELECT, in the BigQuery SQL dialect. It may use the parameters as @name.',
        }),
        ...parameterArguments(t, query, typeOf),
      },
      resolve: (_root, args, context) => {
        const { [sqlParameter]: sql, ...rest } = args as { readonly sql: string };
        // Empty SQL would be absent, and give the saved query's own rows.
        const text = sql.trim() === '' ? ' ' : sql;
        return context.getResult(query, new Map([...rawArguments(query, rest), [sqlParameter, [text]]]));
      },
    }),
  );
}

const parameterArguments = (t: QueryFields, query: SavedQuery, typeOf: ArgumentTypes) =>
  Object.fromEntries(
    query.parameters.map((parameter) => [camelCase(parameter.name), argument(t, parameter, typeOf)]),
  );

function argument(t: QueryFields, parameter: Parameter, typeOf: ArgumentTypes) {
  const { repeated, required } = parameter;
  const options = {
    description: describeParameter(parameter).join(' '),
    defaultValue: defaultArgument(parameter) as never,
  };
  return repeated
    ? t.arg({ ...options, type: [typeOf(parameter)], required: { list: required, items: true } })
    : t.arg({ ...options, type: typeOf(parameter), required });
}

type QueryFields = Parameters<Parameters<Builder['queryField']>[1]>[0];
