import {
  ApolloClient,
  ApolloLink,
  gql,
  HttpLink,
  InMemoryCache,
  type InMemoryCacheConfig,
} from '@apollo/client';
import { gatewayUrl, headers, report } from './environment.js';
import { valueTypes } from './generated/querygate.js';

const window = gql`
  query ($hours: SafeInt!) {
    usageById(hours: $hours) { rows { id requests } }
  }
`;
const both = gql`
  {
    hour: usageById(hours: 1) { rows { id requests } }
    day: usageById(hours: 24) { rows { id requests } }
  }
`;

interface Rows {
  readonly rows: readonly { readonly id: string; readonly requests: number }[];
}

/** Two windows of one query, read from one cache after both have been received. */
async function windows(config?: InMemoryCacheConfig) {
  const client = new ApolloClient({
    cache: new InMemoryCache(config),
    link: ApolloLink.from([new HttpLink({ uri: `${gatewayUrl}/graphql`, headers })]),
  });
  for (const hours of [1, 24]) await client.query({ query: window, variables: { hours } });
  const requests = (rows?: Rows) => rows?.rows.map((row) => row.requests);
  const separate = [1, 24].map((hours) =>
    requests(client.readQuery<{ usageById: Rows }>({ query: window, variables: { hours } })?.usageById),
  );
  const { data } = await client.query<{ hour: Rows; day: Rows }>({ query: both });
  client.stop();
  return { separate, together: [requests(data?.hour), requests(data?.day)] };
}

report({
  unconfigured: await windows(),
  everything: await windows({ dataIdFromObject: () => undefined }),
  oneType: await windows({ typePolicies: { UsageByIdRow: { keyFields: false } } }),
  allTypes: await windows({
    typePolicies: Object.fromEntries(valueTypes.map((type) => [type, { keyFields: false }])),
  }),
});
