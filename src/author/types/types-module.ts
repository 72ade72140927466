import type { Catalog } from '../../catalog/model/saved-query.ts';
import { buildSchema } from '../../http/graphql/schema/schema.ts';
import { graphqlTypes } from './graphql-types.ts';
import { restTypes } from './rest-types.ts';

/** A TypeScript module with the types of the REST interface and of the GraphQL schema. */
export const typescriptTypes = (catalog: Catalog): string =>
  `// Written by querygate types from the saved queries; do not edit.\n\n${restTypes(catalog.queries)}\n${graphqlTypes(buildSchema(catalog))}`;
