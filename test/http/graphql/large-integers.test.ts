import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { queryText } from '../../support/queries.ts';
import { apiKey } from '../../support/test-app.ts';

const moments = [
  '9999-12-31 23:59:59.999999',
  '9999-12-31 23:59:59.999',
  '2999-12-31 23:59:59.999999',
  '2300-01-01 00:00:00.123457',
  '2255-06-05 23:47:34.740993',
  '2026-01-31 12:00:00',
  '1684-07-28 00:12:25.259007',
  '1066-10-14 09:00:00.000001',
];

const columns = {
  ts: '{ type: timestamp, description: A moment., filter: true }',
  list: '{ type: timestamp, repeated: true, description: Moments. }',
  share: 'float',
  shares: '{ type: float, repeated: true, description: Shares. }',
  free: 'json',
};

let folder: FolderApp;

beforeAll(async () => {
  folder = await openFolderApp({
    'tables/events.json': JSON.stringify([{ name: 'at', type: 'TIMESTAMP' }]),
    'moments.sql': queryText({
      name: 'moments',
      caching: ['caching: 900s'],
      columns: { ...columns, r: 'record' },
      sql: `select ts, [ts, ts] as list, 1e17 as share, [-1e18] as shares, json '{"n": 12345678901234567890, "m": [9007199254740993]}' as free,
  struct(ts as made) as r
from unnest([${moments.map((text) => `timestamp '${text}+00'`).join(', ')}]) as ts order by ts desc`,
    }),
  });
});
afterAll(() => folder.close());

const iso = (text: string) => `${text.replace(' ', 'T').padEnd(19).padEnd(20, '.').padEnd(26, '0')}Z`;

const selection = 'rows { ts list share shares free r { made } } aggregates { max { ts } }';

test.each([
  ['rows as bytes', ''],
  // A condition that is null makes graphql-js execute all of the operation.
  ['rows as objects', 'other: moments { rows { ts @include(if: $none) } }'],
])('points in time of every year are exact, and integers in JSON are: %s', async (_name, more) => {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const start = more === '' ? '' : 'query ($none: Boolean = true) ';
  const body = JSON.stringify({
    query: `${start}{ moments { ${selection} } ${more} }`,
    variables: { none: null },
  });
  const request = new Request('http://gateway.test/graphql', { method: 'POST', headers, body });
  const text = await (await folder.app.fetch(request)).text();
  expect(text).toContain('{"m":[9007199254740993],"n":12345678901234567890}');
  expect(JSON.parse(text).data.moments).toEqual({
    rows: moments.map((moment) => ({
      ts: iso(moment),
      list: [iso(moment), iso(moment)],
      share: 1e17,
      shares: [-1e18],
      free: expect.anything(),
      r: { made: iso(moment) },
    })),
    aggregates: { max: { ts: '9999-12-31T23:59:59.999999Z' } },
  });
});
