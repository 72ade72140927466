import { expect, test } from 'vitest';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { medianOf } from '../../support/median.ts';
import { processorMsOf } from '../../support/processor-time.ts';
import { queryText } from '../../support/queries.ts';
import { makeQueryFolder } from '../../support/query-folder.ts';
import { apiKey, openTestApp } from '../../support/test-app.ts';

const list = (one: string, count: number) => Array(count).fill(one).join(',');

test.each([
  ['nested lists', `{"tenant":${'['.repeat(120_000)}${']'.repeat(120_000)}}`],
  ['a long list', `{"x":[${list('1', 120_000)}],"n":1}`],
  ['a text of escapes', `{"tenant":"${'%25'.repeat(80_000)}","unit":"s"}`],
  ['many members', `{${Array.from({ length: 18_000 }, (_, at) => `"a${at}":"b"`).join(',')}}`],
])('COMPAT=logflare reads a body with %s in some milliseconds', async (_, body) => {
  const queries = makeQueryFolder({
    'a.one.sql': queryText({
      name: 'one',
      parameters: {
        tenant: '{ type: string, tenant: true, required: true, description: The tenant. }',
        n: '{ type: integer, description: A number. }',
      },
      columns: { x: 'integer' },
      sql: "select 1 as x where @tenant = '' and @n = ''",
    }),
  });
  const engine = fakeEngine({ clock: systemClock, queryMs: 1, rows: () => ['{"x":1}'] });
  const app = await openTestApp({}, { COMPAT: 'logflare', QUERIES_DIR: queries.folder }, { engine });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const post = () => app.fetch('/api/endpoints/query/a.one', { method: 'POST', headers, body });
  expect(await medianOf(() => processorMsOf(post))).toBeLessThan(100);
  await app.close();
  queries.close();
});
