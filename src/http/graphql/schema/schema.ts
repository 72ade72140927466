import SchemaBuilder from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { sqlParameter } from '../../../catalog/binding/caller-sql.ts';
import { camelCase, sqlField } from '../../../catalog/names.ts';
import type { Catalog, SavedQuery } from '../../../catalog/saved-query.ts';
import { type ArgumentTypes, buildArgumentTypes, defaultArgument, rawArguments } from './arguments.ts';
import type { Builder, SchemaTypes } from './builder.ts';
import { addCatalogFields } from './catalog-fields.ts';
import { addCostType } from './cost-type.ts';
import { addCacheStatus, addResultType } from './result-type.ts';
import { dateTime, uuid } from './scalars.ts';
import { addSqlResultType } from './sql-result-type.ts';

/**
 * The GraphQL schema of a catalog: one root field per saved query, and `endpoints`, `endpoint`, which describe them.
 */
export function buildSchema(catalog: Catalog): GraphQLSchema {
  const builder: Builder = new SchemaBuilder<SchemaTypes>({ defaultFieldNullability: false });
  builder.addScalarType('DateTime', dateTime);
  builder.addScalarType('JSON', GraphQLJSON);
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
    query.parameters.map((parameter) => [
      camelCase(parameter.name),
      t.arg({
        type: typeOf(parameter),
        required: parameter.required,
        description: parameter.description,
        defaultValue: defaultArgument(parameter) as never,
      }),
    ]),
  );

type QueryFields = Parameters<Parameters<Builder['queryField']>[1]>[0];
