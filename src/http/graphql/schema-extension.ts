import type {
  GraphQLFieldConfig,
  GraphQLFieldConfigArgumentMap,
  GraphQLObjectType,
  GraphQLSchema,
} from 'graphql';
import type { EndpointRequest } from '../../call/endpoint-request.ts';
import type { ValuesOfList } from '../../call/load-results.ts';
import type { RawParameters } from '../../catalog/binding/bind.ts';
import type { ColumnKeyField } from '../../catalog/model/entity-keys.ts';
import type { Catalog, SavedQuery } from '../../catalog/model/saved-query.ts';
import type { GatewayError } from '../../errors.ts';
import type { Principal } from '../../keys/principal.ts';
import type { CachedResult } from '../../results/get-result.ts';
import type { Row } from '../../results/row-parts.ts';

/** The gateway as resolvers of an extension use it during one operation; the same object for all its fields. */
export interface ResolverContext {
  /** Whose rights decide what is resolved. */
  readonly principal: Principal;
  /** The result of a call; equal calls of an operation are one. @throws GatewayError as REST does for the same request */
  getResult(request: EndpointRequest): Promise<CachedResult>;
  /** The same at once, if the result is in memory and fresh; undefined otherwise. An operation may need hundreds. */
  findResult(request: EndpointRequest): CachedResult | undefined;
  /** The same for one value of a list parameter: an operation has one run for all its values. */
  getValueResult(request: EndpointRequest, list: ValuesOfList): Promise<CachedResult>;
  /** The schema that introspection shows the caller; undefined if it is off. */
  readonly shownSchema?: (() => Promise<GraphQLSchema>) | undefined;
  /** Refuses the request as a whole, whatever else of it is resolved. */
  refuse(error: GatewayError): void;
}

/** The types of saved queries in a schema. */
export interface QueryTypes {
  /** The type of its result, the same object wherever the schema has it. */
  readonly resultOf: (query: SavedQuery) => GraphQLObjectType;
  readonly argumentsOf: (query: SavedQuery) => GraphQLFieldConfigArgumentMap;
  /** The parameters that values of these arguments mean. @throws GatewayError INVALID_PARAMETER */
  readonly parametersOf: (query: SavedQuery, args: Readonly<Record<string, unknown>>) => RawParameters;
  /** The reason of its deprecation; undefined without one. */
  readonly deprecationOf: (query: SavedQuery) => string | undefined;
}

/** A field of rows that is an object, identified by some of their columns. */
export interface RowField extends GraphQLFieldConfig<Row, ResolverContext> {
  readonly type: GraphQLObjectType;
  /** The fields of the object that are columns: while nothing else of it is selected, rows are written without resolvers. */
  readonly key: readonly ColumnKeyField[];
}

/** Types and fields of a schema beside those of saved queries and of the catalog. */
export interface SchemaExtension {
  /** Further fields of the rows of a query. */
  readonly rowFields: (query: SavedQuery) => Readonly<Record<string, RowField>> | undefined;
  /** Further fields of the type `Query`, whose names begin with `_`. */
  readonly rootFields: Readonly<Record<string, GraphQLFieldConfig<unknown, ResolverContext>>>;
}

/** Extends the schema of a catalog, or of the part of it that some callers see. */
export type ExtendSchema = (catalog: Catalog, queries: QueryTypes) => SchemaExtension;
