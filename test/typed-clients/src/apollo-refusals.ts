import {
  ApolloClient,
  type ApolloLink,
  CombinedGraphQLErrors,
  HttpLink,
  InMemoryCache,
  gql,
} from '@apollo/client';
import { gatewayUrl, report } from './environment.js';

const query = gql`
  {
    endpoints {
      name
    }
  }
`;

/** What an app learns of a refusal. */
async function errorOf(key: string, requests = 1): Promise<unknown> {
  const link: ApolloLink = new HttpLink({ uri: `${gatewayUrl}/graphql`, headers: { 'X-API-KEY': key } });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  try {
    for (let count = 0; count < requests; count += 1)
      await client.query({ query, fetchPolicy: 'network-only' });
    return 'none';
  } catch (error) {
    if (!CombinedGraphQLErrors.is(error)) return String(error);
    return error.errors.map(({ extensions }) => extensions?.['code']);
  } finally {
    client.stop();
  }
}

report({ wrongKey: await errorOf('wrong'), usedUp: await errorOf(process.argv[2] ?? '', 2) });
