import { expect, test } from 'vitest';
import { measureLongestTurn } from '../../../support/longest-turn.ts';
import { medianOf } from '../../../support/median.ts';
import { queryText } from '../../../support/queries.ts';
import { makeQueryFolder } from '../../../support/query-folder.ts';
import { apiKey, openTestApp } from '../../../support/test-app.ts';

test('large parts are sent in short turns', async () => {
  const maxRows = 20_000;
  const texts = { columns: { text: 'string' }, caching: ['caching: 60s'], sql: 'select "" as text' } as const;
  const queries = makeQueryFolder({ 'large.sql': queryText({ name: 'large', maxRows, ...texts }) });
  const rows = Array.from({ length: maxRows }, () => `{"text":"${'x'.repeat(1_000)}"}`);
  const engine = { source: 'texts', run: async () => ({ rows, truncated: false }), close: async () => {} };
  const app = await openTestApp({}, { QUERIES_DIR: queries.folder }, { engine });
  const headers = {
    'x-api-key': apiKey,
    'content-type': 'application/json',
    accept: 'multipart/mixed, application/json',
  };
  const body = JSON.stringify({ query: '{ __typename ...@defer { large { rows { text } } } }' });
  const longestMs = await medianOf(async () => {
    const end = measureLongestTurn();
    const response = await app.fetch('/graphql', { method: 'POST', headers, body });
    let bytes = 0;
    const parts = response.body as unknown as AsyncIterable<Uint8Array>;
    for await (const part of parts) bytes += part.byteLength;
    const ms = end();
    expect(bytes).toBeGreaterThan(20_000_000);
    return ms;
  });
  await app.close();
  queries.close();
  expect(longestMs).toBeLessThan(50);
});
