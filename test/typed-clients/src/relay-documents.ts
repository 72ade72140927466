import { graphql } from 'relay-runtime';

// Only the compiler reads this module, and makes `generated/relay` of it.
export const pageOfLogs = graphql`
  fragment relayDocuments_logs on Query
  @argumentDefinitions(first: { type: "Int!" }, after: { type: "String" })
  @refetchable(queryName: "relayDocumentsPageQuery") {
    logsAllConnection(project: "p", first: $first, after: $after) @connection(key: "relayDocuments_logsAllConnection") {
      edges {
        node {
          id
        }
      }
    }
  }
`;
