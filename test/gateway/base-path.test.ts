import { createServer, type RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { StartError } from '../../src/errors.ts';
import { deprecation, graphiql, openapi, pages } from '../../src/exports/plugins.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import { apiKey } from '../../src/keys/sources/api-key.ts';
import { listen } from '../support/listen.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../support/query-folder.ts';
import { openedEngine } from '../support/test-app.ts';

const key = 'a-key-for-tests-only';
const base = '/warehouse';

let folder: QueryFolder;
let close: (() => Promise<unknown>)[] = [];

beforeAll(() => {
  folder = makeQueryFolder({
    'orders.sql': queryText({ id: uuidOf(1) }),
    'old.sql': queryText({
      id: uuidOf(2),
      header: "deprecated: { since: '2026-01-01', successor: orders }\n",
    }),
  });
});
afterAll(() => folder.close());
afterEach(async () => {
  for (const one of close) await one();
  close = [];
});

async function open(basePath?: string): Promise<Gateway> {
  const run = async () => ({ rows: ['{"n":1}'], truncated: false });
  const gateway = await createGateway({
    queries: folder.folder,
    engine: openedEngine({ source: 'test', run, close: async () => {} }),
    keys: apiKey(key),
    plugins: [pages({ graphiql: true }), graphiql(), openapi(), deprecation()],
    reload: false,
    ...(basePath !== undefined && { basePath }),
  });
  close.push(gateway.close);
  return gateway;
}

type Get = (path: string, headers?: Record<string, string>) => Promise<Response>;

const withKey = { 'x-api-key': key };
const asBrowser = { accept: 'text/html' };

/** How servers mount a handler below a path. */
const mounts: Readonly<Record<string, (gateway: Gateway) => Promise<Get>>> = {
  async 'a server that leaves the path in the URL, as Next'({ fetch }) {
    return (path, headers = {}) => fetch(new Request(`http://gateway.test${path}`, { headers }));
  },
  async 'a mount that removes it from the request, as hono'({ fetch }) {
    return (path, headers = {}) => {
      if (!path.startsWith(base)) throw new Error(`${path} is not the gateway's`);
      const rest = path.slice(base.length).replace(/^(?!\/)/, '/');
      return fetch(new Request(`http://gateway.test${rest}`, { headers }));
    };
  },
  async 'a mount that removes it from the message, as express'({ listener }) {
    return serve((message, response) => {
      const { url = '' } = message;
      if (!url.startsWith(base)) return void response.writeHead(418).end();
      message.url = url.slice(base.length).replace(/^(?!\/)/, '/');
      listener(message, response);
    });
  },
  'a server of Node for the gateway alone': async ({ listener }) => serve(listener),
};

async function serve(listener: RequestListener): Promise<Get> {
  const server = createServer(listener);
  const port = await listen(server);
  close.unshift(async () => server.close());
  return (path, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

describe.each(Object.entries(mounts))('below a path, on %s', (_, mount) => {
  let get: Get;
  const open200 = async (path: string, headers?: Record<string, string>) => {
    const response = await get(path, headers);
    expect([path, response.status]).toEqual([path, 200]);
    return response;
  };
  /** All that a page links and loads. */
  const linksOf = async (path: string) => {
    const html = await (await open200(path, asBrowser)).text();
    const links = [...html.matchAll(/(?:href|src)="([^"#]+)"|import '([^']+)'/g)].map(
      ([, link, imported]) => link ?? imported ?? '',
    );
    return links
      .map((link) => new URL(link, `http://gateway.test${path}`))
      .filter(({ protocol }) => protocol === 'http:')
      .map(({ pathname }) => pathname);
  };

  test('REST, GraphQL and examples answer', async () => {
    const gateway = await open(base);
    get = await mount(gateway);
    expect(gateway.examples).toHaveLength(2);
    for (const path of gateway.examples) await open200(path, withKey);
    expect(gateway.examples[0]).toMatch(/^\/warehouse\/api\/endpoints\/query\//);
    const query = encodeURIComponent('{ orders { rowCount } }');
    const graphql = await open200(`${base}/graphql?query=${query}`, withKey);
    expect(await graphql.json()).toEqual({ data: { orders: { rowCount: 1 } } });
  });

  test('a program at the address of a page learns who gets it, and where the API is', async () => {
    get = await mount(await open(base));
    for (const path of ['', '/', '/queries/orders', '/openapi']) {
      const response = await get(base + path);
      expect([path, response.status]).toEqual([path, 404]);
      const { error } = (await response.json()) as { error: { message: string } };
      expect(error.message).toBe(
        'Not found; browsers, which accept text/html and send no key, get a page here; GraphQL is at /warehouse/graphql, REST under /warehouse/api/',
      );
    }
  });

  test('every link of a page leads to the gateway', async () => {
    get = await mount(await open(base));
    for (const path of ['', '/', '/queries/orders', '/graphql', '/openapi']) {
      const links = await linksOf(base + path);
      expect(links.length).toBeGreaterThan(2);
      for (const link of links) await open200(link, asBrowser);
    }
  });

  test('OpenAPI and the header Link have the path', async () => {
    get = await mount(await open(base));
    const document = (await (await open200(`${base}/openapi.json`, withKey)).json()) as {
      readonly servers: readonly { readonly url: string }[];
      readonly paths: object;
    };
    expect(document.servers).toEqual([{ url: base }]);
    for (const path of Object.keys(document.paths).filter((one) => !one.includes('{')))
      await open200(base + path, withKey);
    const old = await open200(`${base}/api/endpoints/query/old`, withKey);
    const link = /^<(.*)>; rel="successor-version"$/.exec(old.headers.get('link') ?? '')?.[1] ?? '';
    await open200(link, withKey);
  });
});

test('without a path, links are relative', async () => {
  const { fetch, examples } = await open();
  const get = async (path: string, headers: Record<string, string>) =>
    fetch(new Request(`http://gateway.test${path}`, { headers }));
  expect(examples[0]).toMatch(/^\/api\//);
  expect(await (await get('/openapi.json', withKey)).json()).toMatchObject({ servers: [{ url: '.' }] });
  for (const [path, root] of [
    ['/', '.'],
    ['/openapi', '.'],
    ['/queries/orders', '..'],
    ['/no/such/page', '../..'],
  ] as const) {
    const html = await (await get(path, asBrowser)).text();
    for (const link of ['/', '/openapi']) expect(html, path).toContain(`href="${root}${link}"`);
    expect(html, path).not.toMatch(/(?:href|src)="\//);
  }
  const old = await get('/api/endpoints/query/old', withKey);
  expect(old.headers.get('link')).toBe('<orders>; rel="successor-version"');
});

const ownPaths = [
  '/api',
  '/api/endpoints',
  '/api/endpoints/query',
  '/graphql',
  '/queries',
  '/queries/orders',
];

test.each(['warehouse', '/a b', '//evil.example', '/a/../b', '/"><script>', ...ownPaths])(
  '%s is no path below which a gateway can be',
  async (basePath) => {
    await expect(open(basePath)).rejects.toThrow(StartError);
  },
);

test.each(['/api/v1', '/apis', '/query', '/graphql2'])('%s is one', async (path) => {
  const { fetch } = await open(path);
  for (const start of ['', path])
    expect(
      (
        await fetch(
          new Request(`http://gateway.test${start}/api/endpoints/query/orders`, { headers: withKey }),
        )
      ).status,
    ).toBe(200);
});

test('a path is removed as a whole only', async () => {
  const { fetch } = await open(base);
  const statusOf = async (path: string) =>
    (await fetch(new Request(`http://gateway.test${path}`, { headers: withKey }))).status;
  expect(await statusOf('/warehouse/healthz?x=1')).toBe(200);
  expect(await statusOf('/warehouse2/healthz')).toBe(404);
  expect(await statusOf('/other/healthz')).toBe(404);
});
