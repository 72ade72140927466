import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type FolderApp, openFolderApp } from '../support/folder-app.ts';
import { queryText } from '../support/queries.ts';
import { ago, apiKey, now, openTestApp, type TestApp } from '../support/test-app.ts';

/** Rows with equal moments, NULLs and empty texts, newest first. */
const paged = (name: string, sql: string, lines: readonly string[] = []) =>
  queryText({
    name,
    caching: ['caching: 900s', 'page: { by: [made, name, id] }', ...lines],
    maxRows: 50,
    parameters: { most: '{ type: integer, default: 40, bind: INT64, description: How many rows. }' },
    columns: {
      id: '{ type: integer, required: true, description: An id. }',
      name: 'string',
      made: 'timestamp',
    },
    sql,
  });

const source = `select n as id, case mod(n, 4) when 0 then null when 1 then '' else concat('name ', mod(n, 3)) end as name,
  if(mod(n, 11) = 0, null, timestamp_add(timestamp '2026-01-01 00:00:00.5+00', interval div(n, 6) second)) as made
from unnest(generate_array(1, 40)) as n where n <= @most`;

const files = {
  'paged.sql': paged('paged', `${source}\n-- The newest first.\norder by made desc, name, id desc\nlimit 7`),
  'long.sql': paged(
    'long',
    "select n as id, repeat('x', @most) as name, timestamp '2026-01-01 00:00:00+00' as made from unnest(generate_array(1, 9)) as n order by made, name, id",
  ),
  'numbered.sql': paged('numbered', `${source} order by id`).replace('[made, name, id]', '[id]'),
  'other.sql': paged('other', `${source} order by made desc, name, id desc`),
  'brief.sql': paged('brief', `${source} order by made desc, name, id desc`).replace('900s', '30s'),
  'filtered.sql': paged('filtered', `${source} order by made desc, name, id desc`).replace(
    'page: { by: [made, name, id] }',
    'row_arguments: all',
  ),
};

let folder: FolderApp;

beforeAll(async () => {
  folder = await openFolderApp(files);
});

afterAll(() => folder.close());

interface RestPage {
  readonly ids: readonly number[];
  /** The addresses of the header Link, by their relations. */
  readonly links: Readonly<Record<string, string>>;
}

async function page(search: string, name = 'paged'): Promise<RestPage> {
  const response = await folder.get(`${name}${search}`);
  const body = (await response.json()) as { result: { id: number }[] };
  expect(response.status, JSON.stringify(body)).toBe(200);
  const links = (response.headers.get('link') ?? '').matchAll(/<(\?[^>]+)>; rel="(\w+)"/g);
  return {
    ids: body.result.map(({ id }) => id),
    links: Object.fromEntries([...links].map(([, address = '', relation = '']) => [relation, address])),
  };
}

async function refusal(search: string, name = 'paged') {
  const response = await folder.get(`${name}${search}`);
  const { error } = (await response.json()) as { error: { message: string } };
  return [response.status, error.message];
}

const cursorOf = ({ links }: RestPage) => new URLSearchParams(links.next).get('after') ?? '';

describe('REST', () => {
  test('pages have every row once, in the order of the query, forwards and backwards', async () => {
    const { ids: all } = await page('?limit=50');
    expect(all).toHaveLength(40);
    for (const size of [1, 3, 7, 39, 40]) {
      const found: number[] = [];
      let one = await page(`?limit=${size}`);
      found.push(...one.ids);
      while (one.links.next !== undefined) {
        one = await page(one.links.next);
        found.push(...one.ids);
      }
      expect(found, `pages of ${size}`).toEqual(all);
      const back: number[] = [...one.ids];
      while (one.links.prev !== undefined) {
        one = await page(one.links.prev);
        back.unshift(...one.ids);
      }
      expect(back, `pages of ${size} backwards`).toEqual(all);
    }
  });

  test('pages and selected rows are compressed as whole results are, also for HEAD', async () => {
    for (const address of ['paged?limit=40', 'filtered?order=id.desc']) {
      const url = `http://test/api/endpoints/query/${address}`;
      const headers = { 'x-api-key': apiKey, 'accept-encoding': 'gzip' };
      const [got, head, plain] = await Promise.all([
        folder.app.fetch(new Request(url, { headers })),
        folder.app.fetch(new Request(url, { headers, method: 'HEAD' })),
        folder.get(address),
      ]);
      expect(got.headers.get('content-encoding'), address).toBe('gzip');
      const bytes = Buffer.from(await got.arrayBuffer());
      expect(gunzipSync(bytes).toString()).toBe(await plain.text());
      expect(head.headers.get('content-length')).toBe(String(bytes.byteLength));
    }
  });

  test('the plain form has the rows of the SQL with its LIMIT, and no links', async () => {
    const plain = await page('');
    expect(plain).toEqual({ ids: (await page('?limit=7')).ids, links: {} });
  });

  test('a page is cached as any result', async () => {
    const { links } = await page('?limit=5');
    await page(links.next ?? '');
    const before = folder.app.counters.misses;
    const again = await folder.get(`paged${links.next}`);
    expect(again.headers.get('cache-status')).toContain('hit');
    expect(folder.app.counters.misses).toBe(before);
  });

  test('the cursor of a request is in no link, however its name is encoded', async () => {
    const { links } = await page('?limit=2');
    const { links: next } = await page(`${links.next}`.replace('&after', '&%61fter'));
    expect(next.next).toMatch(/^\?limit=2&after=[^&]+$/);
  });

  test('HEAD with the tag of a GET is 304, also if the rows expire soon', async () => {
    const { headers } = await folder.get('brief');
    const options = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    const head = await folder.app.fetch(
      new Request('http://test/api/endpoints/query/brief', {
        method: 'HEAD',
        headers: { 'x-api-key': apiKey, ...options.headers },
      }),
    );
    expect(head.status).toBe(304);
  });

  test('links that no request could have are left out, with a warning', async () => {
    const second = async (most: number) => {
      const { links } = await page(`?limit=2&most=${most}`, 'long');
      return { first: Object.keys(links), second: links.next && (await page(links.next, 'long')) };
    };
    expect(await second(2_500)).toMatchObject({
      first: ['next'],
      second: { ids: [3, 4], links: { next: expect.any(String), prev: expect.any(String) } },
    });
    // Both are longer than a URL, and each is not.
    expect(await second(3_500)).toMatchObject({
      second: { links: { next: expect.any(String), prev: expect.any(String) } },
    });
    const { second: alone } = await second(5_500);
    expect(alone).toEqual({ ids: [3, 4], links: { next: expect.any(String) } });
    expect(await second(7_000)).toEqual({ first: [], second: undefined });
    const response = await folder.get('long?limit=2&most=13000');
    expect(response.headers.get('querygate-warning')).toBe(
      'Link has not all pages, the values of name are too long for a URL: page by GraphQL',
    );
    const longRequest = await folder.get(`numbered?limit=2&ignored=${'x'.repeat(8_100)}`);
    expect(longRequest.headers.get('querygate-warning')).toContain(
      'Link has not all pages, this request is too long for a URL: page by GraphQL',
    );
  });

  test('other formats have the rows and the links', async () => {
    const response = await folder.get('paged.csv?limit=2');
    expect((await response.text()).split('\r\n')).toHaveLength(4);
    expect(response.headers.get('link')).toMatch(/^<\?limit=2&after=[^>]+>; rel="next"$/);
  });

  test.each([
    ['?after=abc', 'after: is not a cursor, or not all of it'],
    ['?limit=51', 'limit: got "51"; a page has at most 50 rows'],
    ['?limit=many', 'limit: got "many"; must be a whole number from 0'],
    ['?limit=1&limit=2', 'limit: is repeated; send it once'],
  ])('%s is refused', async (search, message) => {
    expect(await refusal(search)).toEqual([400, expect.stringContaining(message.replace('"51"', '51'))]);
  });

  test('a cursor that is cut, of another query, of other parameters or of an earlier version is refused', async () => {
    const cursor = cursorOf(await page('?limit=5'));
    expect(await refusal(`?after=${cursor.slice(0, -3)}`)).toEqual([
      400,
      expect.stringContaining('not all of it'),
    ]);
    expect(await refusal(`?after=${cursor}&before=${cursor}`)).toEqual([
      400,
      expect.stringContaining('before: cannot be used with after'),
    ]);
    expect(await refusal(`?after=${cursor}`, 'other')).toEqual([400, 'after: is a cursor of another query']);
    expect(await refusal(`?after=${cursor}&most=39`)).toEqual([
      400,
      expect.stringContaining('after: is a cursor of other parameters or of another tenant'),
    ]);
    folder.queries.write(
      'paged.sql',
      paged('paged', `${source} and n > 0\norder by made desc, name, id desc`),
    );
    folder.app.reload();
    await eventually(async () =>
      expect(await refusal(`?after=${cursor}`)).toEqual([
        400,
        expect.stringContaining('after: is a cursor of an earlier version of this query'),
      ]),
    );
    folder.queries.write('paged.sql', files['paged.sql']);
    folder.app.reload();
    await eventually(async () => expect((await folder.get(`paged?after=${cursor}`)).status).toBe(200));
    expect((await page(`?after=${cursor}`)).ids).toHaveLength(35);
  });
});

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: number } }[];
  readonly pageInfo: Readonly<Record<string, unknown>>;
}

async function connection(given: string): Promise<Connection> {
  const { data, errors } = await folder.graphql(`{ pagedConnection(${given}) {
    edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }`);
  expect(errors).toBeUndefined();
  return data?.pagedConnection as Connection;
}

describe('GraphQL', () => {
  test('a connection has the pages of Relay', async () => {
    const { ids: all } = await page('?limit=50');
    const idsOf = ({ edges }: Connection) => edges.map(({ node }) => node.id);
    const first = await connection('first: 15');
    expect(idsOf(first)).toEqual(all.slice(0, 15));
    const cursors = first.edges.map(({ cursor }) => cursor);
    expect(first.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: cursors[0],
      endCursor: cursors[14],
    });
    const second = await connection(`first: 15, after: "${cursors[14]}"`);
    expect(idsOf(second)).toEqual(all.slice(15, 30));
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const before = await connection(`last: 4, before: "${cursors[9]}"`);
    expect(idsOf(before)).toEqual(all.slice(5, 9));
    expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const last = await connection('last: 4');
    expect(idsOf(last)).toEqual(all.slice(-4));
    expect(last.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const none = await connection(`first: 3, after: "${last.pageInfo.endCursor}"`);
    expect(none).toEqual({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    });
  });

  test('a cursor of REST is one of GraphQL', async () => {
    const rest = await page('?limit=15');
    expect((await connection('first: 15')).pageInfo.endCursor).toBe(cursorOf(rest));
  });

  test.each([
    ['first: 1, last: 1', 'last: cannot be used with first'],
    ['first: 51', 'first: got 51; a page has at most 50 rows'],
    ['last: -1', 'last: got "-1"; must be a whole number from 0'],
    ['first: 1, before: "x"', 'before: cannot be used with first; use last'],
    ['after: "x"', 'after: is not a cursor, or not all of it'],
  ])('%s is refused', async (given, message) => {
    const { errors = [] } = await folder.graphql(`{ pagedConnection(${given}) { edges { cursor } } }`);
    expect(errors.map((error) => error.message)).toEqual([expect.stringContaining(message)]);
  });
});

describe('logs.all', () => {
  let app: TestApp;
  const project = 'abcdefghijklmnopqrst';
  const other = 'zyxwvutsrqponmlkjihg';

  beforeAll(async () => {
    const log = (id: number, of: string) => ({
      id: `log ${id}`,
      // Ten of each second.
      timestamp: ago({ seconds: 10 + Math.floor(id / 10) }),
      event_message: `message ${id}`,
      project: of,
      metadata: [{ request: [{ method: 'GET', path: `/${id}` }] }],
    });
    app = await openTestApp({
      edge_logs: Array.from({ length: 1_500 }, (_, id) => log(id, id % 3 === 0 ? other : project)),
    });
  });

  afterAll(() => app.close());

  test('is read beyond max rows, without rows of other tenants', async () => {
    expect(now.getTime()).toBeGreaterThan(0);
    const found: string[] = [];
    let after = '';
    do {
      const response = await app.fetch(
        `/api/endpoints/query/logs.all?project=${project}&limit=170${after === '' ? '' : `&after=${after}`}`,
      );
      const { result } = (await response.json()) as { result: { id: string; metadata: object[] }[] };
      found.push(...result.map(({ id }) => id));
      expect(result[0]?.metadata).toHaveLength(1);
      after = /after=([^>&]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
    } while (after !== '');
    expect(found).toHaveLength(1_000);
    expect(new Set(found).size).toBe(1_000);
    const inOrder = await app.rows('logs.all', { project });
    expect(found.slice(0, 100)).toEqual(inOrder.map(({ id }) => id));
    expect(found).not.toContain('log 3');
  });

  test('a cursor of one tenant is none of another', async () => {
    const response = await app.fetch(`/api/endpoints/query/logs.all?project=${project}&limit=1`);
    const [, cursor] = /after=([^>&]+)>/.exec(response.headers.get('link') ?? '') ?? [];
    const foreign = await app.fetch(`/api/endpoints/query/logs.all?project=${other}&limit=1&after=${cursor}`);
    expect(foreign.status).toBe(400);
    expect(await foreign.text()).toContain('of another tenant');
  });
});
