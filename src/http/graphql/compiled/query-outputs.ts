import { type GraphQLLeafType, type GraphQLSchema, getNamedType, isLeafType, isObjectType } from 'graphql';
import { camelCase } from '../../../catalog/names.ts';
import type { Catalog, SavedQuery } from '../../../catalog/saved-query.ts';
import type { ColumnFormat } from './column-texts.ts';
import type { QueryOutput } from './compile-selection.ts';

/** What each saved query's root field returns, by the field's name; built once from the schema that Yoga serves. */
export function queryOutputs(schema: GraphQLSchema, { queries }: Catalog): ReadonlyMap<string, QueryOutput> {
  return new Map(queries.map((query) => [camelCase(query.name), outputOf(schema, query)]));
}

function outputOf(schema: GraphQLSchema, query: SavedQuery): QueryOutput {
  const root = schema.getQueryType()?.getFields()[camelCase(query.name)];
  const resultType = objectType(root?.type);
  const rowType = objectType(resultType.getFields().rows?.type);
  const costType = objectType(resultType.getFields().cost?.type);
  const fields = rowType.getFields();
  const columns = new Map(
    query.columns.map((column): [string, ColumnFormat] => {
      const name = camelCase(column.name);
      return [name, { column, type: leafType(fields[name]?.type) }];
    }),
  );
  return { query, resultType, rowType, costType, columns };
}

function objectType(type: Parameters<typeof getNamedType>[0]) {
  const named = getNamedType(type);
  if (isObjectType(named)) return named;
  throw new TypeError(`not an object type: ${String(type)}`);
}

function leafType(type: Parameters<typeof getNamedType>[0]): GraphQLLeafType {
  const named = getNamedType(type);
  if (isLeafType(named)) return named;
  throw new TypeError(`not a leaf type: ${String(type)}`);
}
