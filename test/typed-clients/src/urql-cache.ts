import { Client, cacheExchange, type Exchange, fetchExchange, gql } from '@urql/core';
import { cacheExchange as graphcache } from '@urql/exchange-graphcache';
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

const requests = (rows?: Rows) => rows?.rows.map((row) => row.requests);

/** Two windows of one query, read from one cache after both have been received. */
async function windows(cache: Exchange) {
  const client = new Client({
    url: `${gatewayUrl}/graphql`,
    preferGetMethod: false,
    exchanges: [cache, fetchExchange],
    fetchOptions: { headers },
  });
  const get = async (hours: number, requestPolicy: 'network-only' | 'cache-only') => {
    const { data, error } = await client
      .query<{ usageById: Rows }>(window, { hours }, { requestPolicy })
      .toPromise();
    if (error !== undefined) throw error;
    return requests(data?.usageById);
  };
  for (const hours of [1, 24]) await get(hours, 'network-only');
  const separate = [await get(1, 'cache-only'), await get(24, 'cache-only')];
  const { data } = await client.query<{ hour: Rows; day: Rows }>(both, {}).toPromise();
  return { separate, together: [requests(data?.hour), requests(data?.day)] };
}

const keys = Object.fromEntries(valueTypes.map((type) => [type, () => null]));

/** Graphcache warns on the console of what it is not configured for. */
console.warn = () => {};
const unconfiguredGraphcache = await windows(graphcache());
console.warn = console.error;

report({
  documentCache: await windows(cacheExchange),
  unconfiguredGraphcache,
  graphcache: await windows(graphcache({ keys })),
});
