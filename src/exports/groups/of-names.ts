/** Names of saved queries: those that callers see, the query that a name means, and those of GraphQL. @module */
export { findQuery, lookUpQuery } from '../../catalog/model/find-query.ts';
export { parseVersionName, pinnedName } from '../../catalog/model/version-name.ts';
export { mainNames, type PublicName, publicNames, queriesByName } from '../../catalog/model/versions.ts';
export { graphqlExamples, graphqlOperation } from '../../http/graphql/examples.ts';
export { pascalCase, sqlFieldOf } from '../../names/graphql-names.ts';
