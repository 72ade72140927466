import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { gatewayUrl, headers, report } from './environment.js';
import { keyArgs } from './generated/key-args.js';
import { valueTypes } from './generated/querygate.js';

const query = gql`
  query ($first: Int!, $after: String, $isoTimestampEnd: DateTime) {
    logsAllConnection(project: "p", first: $first, after: $after, isoTimestampEnd: $isoTimestampEnd) {
      edges { cursor node { id } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

interface Connection {
  readonly edges: readonly { readonly node: { readonly id: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

interface Data {
  readonly logsAllConnection: Connection | null;
}

type Variables = {
  readonly first: number;
  readonly after?: string | undefined;
  readonly isoTimestampEnd?: string | undefined;
};

/** Before all rows. */
const emptyWindow = '2020-01-01T00:00:00Z';

const [first = 1] = process.argv.slice(2).map(Number);

/** Scrolls to the end, and looks at another time window meanwhile. @returns the ids that the cache has merged, and the number of pages */
async function scroll(
  fetchPage: (variables: Variables) => Promise<Data | null | undefined>,
  readMerged: () => Promise<Data | null | undefined>,
) {
  let pages = 0;
  for (let after: string | null | undefined; after !== null; pages += 1) {
    const data = await fetchPage(after === undefined ? { first } : { first, after });
    const page = data?.logsAllConnection?.pageInfo;
    if (page === undefined) throw new Error('a page without data');
    after = page.hasNextPage ? page.endCursor : null;
    if (pages === 1) await fetchPage({ first, isoTimestampEnd: emptyWindow });
  }
  const merged = await readMerged();
  return { pages, ids: merged?.logsAllConnection?.edges.map(({ node }) => node.id) };
}

async function withApollo() {
  const client = new ApolloClient({
    cache: new InMemoryCache({
      typePolicies: {
        LogsAllRow: { keyFields: false },
        Query: { fields: { logsAllConnection: relayStylePagination(keyArgs) } },
      },
    }),
    link: new HttpLink({ uri: `${gatewayUrl}/graphql`, headers }),
  });
  const fetchPage = async (variables: Variables) =>
    (await client.query<Data>({ query, variables, fetchPolicy: 'network-only' })).data;
  const done = await scroll(fetchPage, async () => client.readQuery<Data>({ query, variables: { first } }));
  client.stop();
  return done;
}

async function withUrql() {
  const client = new Client({
    url: `${gatewayUrl}/graphql`,
    preferGetMethod: false,
    exchanges: [
      cacheExchange({
        keys: Object.fromEntries(valueTypes.map((type) => [type, () => null])),
        resolvers: { Query: { logsAllConnection: relayPagination() } },
      }),
      fetchExchange,
    ],
    fetchOptions: { headers },
  });
  const get = async (variables: Variables, requestPolicy: 'network-only' | 'cache-only') => {
    const { data, error } = await client.query<Data>(query, variables, { requestPolicy }).toPromise();
    if (error !== undefined) throw error;
    return data;
  };
  return scroll(
    (variables) => get(variables, 'network-only'),
    () => get({ first }, 'cache-only'),
  );
}

report({ apollo: await withApollo(), urql: await withUrql() });
