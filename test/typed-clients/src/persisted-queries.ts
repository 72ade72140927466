import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { Client, fetchExchange, gql as urqlGql } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { gatewayUrl, headers, report } from './environment.js';

/** How many requests of each operation carried its document, and how many its hash alone. */
const sent = { documents: 0, hashes: 0 };

const countingFetch: typeof fetch = (input, init) => {
  const text = typeof init?.body === 'string' ? init.body : decodeURIComponent(String(input));
  if (/[?&"]query["=]/.test(text)) sent.documents += 1;
  else sent.hashes += 1;
  return fetch(input, init);
};

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function take() {
  const counts = { ...sent };
  sent.documents = 0;
  sent.hashes = 0;
  return counts;
}

async function withApollo(useGETForHashedQueries: boolean, alias: string) {
  const query = gql`query ($hours: SafeInt!) { ${alias}: usageById(hours: $hours) { rowCount } }`;
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([
      new PersistedQueryLink({ sha256, useGETForHashedQueries }),
      new HttpLink({ uri: `${gatewayUrl}/graphql`, headers, fetch: countingFetch }),
    ]),
  });
  const counts: unknown[] = [];
  for (const hours of [1, 24, 48]) {
    const { data, error } = await client.query<Record<string, { rowCount: number }>>({
      query,
      variables: { hours },
    });
    if (error !== undefined) throw error;
    counts.push(data?.[alias]?.rowCount);
  }
  client.stop();
  return { counts, ...take() };
}

async function withUrql(preferGetForPersistedQueries: boolean, alias: string) {
  const query = urqlGql`query ($hours: SafeInt!) { ${alias}: usageById(hours: $hours) { rowCount } }`;
  const client = new Client({
    url: `${gatewayUrl}/graphql`,
    preferGetMethod: false,
    exchanges: [persistedExchange({ preferGetForPersistedQueries }), fetchExchange],
    fetchOptions: { headers },
    fetch: countingFetch,
  });
  const counts: unknown[] = [];
  for (const hours of [1, 24, 48]) {
    const { data, error } = await client.query(query, { hours }).toPromise();
    if (error !== undefined) throw error;
    counts.push(data[alias].rowCount);
  }
  return { counts, ...take() };
}

report({
  apolloPost: await withApollo(false, 'a'),
  apolloGet: await withApollo(true, 'b'),
  urqlPost: await withUrql(false, 'c'),
  urqlGet: await withUrql(true, 'd'),
});
