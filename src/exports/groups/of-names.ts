/** Names of saved queries: those that callers see, the query that a name means, and those of GraphQL. @module */
export { findQuery, unknownQuery } from '../../catalog/model/find-query.ts';
export { mainNames, type PublicName, queriesByName } from '../../catalog/model/versions.ts';
export { graphqlExamples, graphqlOperation } from '../../gateway/examples.ts';
