import SchemaBuilder from '@pothos/core';
import type { GraphQLSchema } from 'graphql';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { camelCase } from '../../../catalog/names.ts';
import type { Catalog, SavedQuery } from '../../../catalog/saved-query.ts';
import { type ArgumentTypes, buildArgumentTypes, defaultArgument, rawArguments } from './arguments.ts';
import type { Builder, SchemaTypes } from './builder.ts';
import { addCatalogFields } from './catalog-fields.ts';
import { addCostType } from './cost-type.ts';
import { addCacheStatus, addResultType } from './result-type.ts';
import { dateTime, uuid } from './scalars.ts';

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
      args: Object.fromEntries(
        query.parameters.map((parameter) => [
          camelCase(parameter.name),
          t.arg({
            type: typeOf(parameter),
            required: parameter.required,
            description: parameter.description,
            defaultValue: defaultArgument(parameter) as never,
          }),
        ]),
      ),
      resolve: (_root, args, context) => context.getResult(query, rawArguments(query, args)),
    }),
  );
}
