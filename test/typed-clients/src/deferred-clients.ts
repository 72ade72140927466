import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler, GraphQL17Alpha9Handler } from '@apollo/client/incremental';
import { Client, fetchExchange } from '@urql/core';
import { gatewayUrl, headers, report } from './environment.js';

const query = gql`
  query ($hours: SafeInt!) {
    usageById(hours: $hours) { rows { requests } }
    ... @defer { day: usageById(hours: 24) { rows { requests } } }
    ...Failing @defer(label: "failing")
  }
  fragment Failing on Query { wrong: usageApiCounts(project: "(", interval: HOURLY) { rowCount } }
`;

interface Data {
  readonly usageById?: { readonly rows: readonly { readonly requests: number }[] };
  readonly day?: Data['usageById'];
  readonly wrong?: null;
}

const requests = (of: Data['usageById']) => of?.rows.map((row) => row.requests);
const summary = (data: Data | undefined) => ({
  first: requests(data?.usageById),
  later: requests(data?.day),
});

/** What a component is given, from the first part to the last. */
async function withApollo(incrementalHandler: GraphQL17Alpha9Handler | Defer20220824Handler) {
  const client = new ApolloClient({
    cache: new InMemoryCache({ dataIdFromObject: () => undefined }),
    link: new HttpLink({ uri: `${gatewayUrl}/graphql`, headers }),
    incrementalHandler,
  });
  const observed = client.watchQuery<Data>({ query, variables: { hours: 1 }, errorPolicy: 'all' });
  const seen: { state: string; data: unknown; error: string | undefined }[] = [];
  await new Promise<void>((resolve) => {
    observed.subscribe(({ dataState, data, error }) => {
      seen.push({ state: dataState, data: summary(data as Data | undefined), error: error?.message });
      // Parts come in any order.
      if (error !== undefined && (data as Data | undefined)?.day !== undefined) resolve();
    });
  });
  client.stop();
  return { first: seen.find(({ state }) => state !== 'empty'), last: seen.at(-1) };
}

async function withUrql() {
  const client = new Client({
    url: `${gatewayUrl}/graphql`,
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetchOptions: { headers },
  });
  const seen: { hasNext: boolean; data: unknown; error: string | undefined }[] = [];
  await new Promise<void>((resolve) => {
    client.query<Data>(query, { hours: 1 }).subscribe(({ data, error, hasNext }) => {
      seen.push({ hasNext, data: summary(data), error: error?.graphQLErrors[0]?.message });
      if (!hasNext) resolve();
    });
  });
  return { first: seen[0], last: seen.at(-1) };
}

report({
  apollo: await withApollo(new GraphQL17Alpha9Handler()),
  apolloOld: await withApollo(new Defer20220824Handler()),
  urql: await withUrql(),
});
