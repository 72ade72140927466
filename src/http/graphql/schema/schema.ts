import SchemaBuilder from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { sqlParameter } from '../../../catalog/binding/caller-sql.ts';
import { describeParameter } from '../../../catalog/describe-parameter.ts';
import { camelCase, sqlFieldOf } from '../../../catalog/names.ts';
import type { Catalog, Parameter, SavedQuery } from '../../../catalog/saved-query.ts';
import { type PublicName, publicNames } from '../../../catalog/versions/versions.ts';
import { type ArgumentTypes, buildArgumentTypes, defaultArgument, rawArguments } from './arguments.ts';
import type { Builder, SchemaTypes } from './builder.ts';
import { addCatalogFields } from './catalog-fields.ts';
import { addCostType } from './cost-type.ts';
import { deprecationReason } from './deprecation.ts';
import { addCacheStatus, addResultType } from './result-type.ts';
import { date, dateTime, localDateTime, uuid } from './scalars.ts';
import { addSqlResultType } from './sql-result-type.ts';

/**
 * The GraphQL schema of a catalog: one root field for each name of a saved query, and `endpoints`, `endpoint`, which describe them.
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
  const names = publicNames(catalog);
  const resultTypes = new Map(
    catalog.queries.map((query) => [query, addResultType(builder, query, shared)] as const),
  );
  const reasonOf = deprecationReason(catalog);
  for (const name of names) {
    const result = resultTypes.get(name.query);
    if (result !== undefined) addQueryField(builder, name, argumentTypes, result, reasonOf(name.query));
  }
  const takingSql = names.filter(({ query }) => query.querySandboxing === 'enabled');
  if (takingSql.length > 0) {
    const sqlResult = addSqlResultType(builder, shared);
    for (const name of takingSql) addSqlField(builder, name, argumentTypes, sqlResult, reasonOf(name.query));
  }
  addCatalogFields(builder, catalog);
  // Unsorted: columns and enum values stay in the order in which their author wrote them.
  return builder.toSchema({ sortSchema: false });
}

function addQueryField(
  builder: Builder,
  { field, query }: PublicName,
  typeOf: ArgumentTypes,
  result: ReturnType<typeof addResultType>,
  reason: string | undefined,
): void {
  builder.queryField(field, (t) =>
    t.field({
      type: result,
      // If one endpoint fails, the other fields of the request keep their data.
      nullable: true,
      description: query.description,
      ...(reason !== undefined && { deprecationReason: reason }),
      args: parameterArguments(t, query, typeOf),
      resolve: (_root, args, context) => context.getResult(query, rawArguments(query, args)),
    }),
  );
}

/** SQL over the common tables of a saved query that takes it: with the same arguments, and the rows as JSON. */
function addSqlField(
  builder: Builder,
  { name, field, query }: PublicName,
  typeOf: ArgumentTypes,
  result: ReturnType<typeof addSqlResultType>,
  reason: string | undefined,
): void {
  builder.queryField(sqlFieldOf(field), (t) =>
    t.field({
      type: result,
      nullable: true,
      description: `One SELECT over the common tables of ${name}. A key that is bound to tenants needs the permission sql.`,
      ...(reason !== undefined && { deprecationReason: reason }),
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
