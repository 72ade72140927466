import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../../support/query-folder.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

/** Enough rows for a body that equal requests of a caller share while it is written. */
const large = queryText({
  id: uuidOf(1),
  sql: 'SELECT n FROM UNNEST(GENERATE_ARRAY(1, 30000)) AS n',
}).replace('max_rows: 100', 'max_rows: 30000');

let folder: QueryFolder;
let app: TestApp;
beforeAll(async () => {
  folder = makeQueryFolder({ 'large.sql': large, 'hidden.sql': queryText({ id: uuidOf(2) }) });
  const options = {
    keys: ({ headers }: { readonly headers: Readonly<Record<string, string | undefined>> }) => ({
      id: 'one caller',
      endpoints: headers['x-all'] === undefined ? ['large'] : ['large', 'hidden'],
    }),
    hideEndpoints: 'all',
  } as const;
  app = await openTestApp({}, { QUERIES_DIR: folder.folder }, { options });
});
afterAll(async () => {
  await app.close();
  folder.close();
});

const query = '{ endpoints { name } large { rows { n } } }';

const endpointsSeen = async (headers: Record<string, string>) => {
  const response = await app.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  const { data } = await response.json();
  expect(data.large.rows).toHaveLength(30_000);
  return data.endpoints.map(({ name }: { readonly name: string }) => name).sort();
};

test('equal requests at the same time of callers with one id and other rights get each its own response', async () => {
  await endpointsSeen({});
  for (let round = 0; round < 5; round += 1) {
    const seen = await Promise.all([endpointsSeen({ 'x-all': '1' }), endpointsSeen({}), endpointsSeen({})]);
    expect(seen).toEqual([['hidden', 'large'], ['large'], ['large']]);
  }
});
