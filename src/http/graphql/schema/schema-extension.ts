import type { GraphQLFieldConfigArgumentMap, GraphQLFieldConfigMap, GraphQLObjectType } from 'graphql';
import type { Catalog, SavedQuery } from '../../../catalog/model/saved-query.ts';
import type { CachedResult } from '../../../results/get-result.ts';
import type { Row } from '../../../results/row-parts.ts';
import type { Context } from '../context.ts';

/** What a schema has of a saved query. */
export interface QueryTypes {
  /** The type of its result, the same object wherever the schema has it. */
  readonly resultOf: (query: SavedQuery) => GraphQLObjectType<CachedResult, Context>;
  readonly argumentsOf: (query: SavedQuery) => GraphQLFieldConfigArgumentMap;
  readonly deprecationOf: (query: SavedQuery) => string | undefined;
}

export type RowFields = GraphQLFieldConfigMap<Row, Context>;

/** What a schema has beside saved queries and the catalog. */
export interface SchemaExtension {
  /** Further fields of the rows of a query. */
  readonly rowFields: (query: SavedQuery) => RowFields | undefined;
  readonly rootFields: GraphQLFieldConfigMap<unknown, Context>;
}

export type ExtendSchema = (catalog: Catalog, queries: QueryTypes) => SchemaExtension;
