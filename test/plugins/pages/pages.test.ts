import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpointsOf, type OpenapiDocument } from '../../../packages/pages/src/endpoint.ts';
import { graphqlVariables } from '../../../packages/pages/src/snippets/snippets.ts';
import { loadCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { columnTypes } from '../../../src/catalog/model/saved-query.ts';
import { readConfig } from '../../../src/config.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

const { queries } = loadCatalog('queries');

describe('pages', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({});
  });
  afterAll(() => app.close());

  const open = (
    path: string,
    headers: Record<string, string> = { accept: 'text/html,*/*;q=0.8' },
    method = 'GET',
  ) => app.fetch(path, { headers, method });

  /** The same document, whatever way its links take to the root of the gateway. */
  const withoutRoots = (text: string) => text.replaceAll(/(href|src)="\.[./]*(?=[/"])/g, '$1="');

  test('are one document without anything of the catalog, at the list and at any name', async () => {
    const list = await open('/');
    expect(list.status).toBe(200);
    expect(list.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(list.headers.get('cache-control')).toBe('private, no-cache');
    expect(list.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(list.headers.get('referrer-policy')).toBe('no-referrer');
    const text = await list.text();
    for (const { name, description } of queries) {
      expect(text).not.toContain(name);
      expect(text).not.toContain(description);
    }
    expect(text).not.toContain('querygate-key');
    for (const name of ['usage.api-counts', 'no.such', '%2e%2e', 'x?project=p']) {
      expect(withoutRoots(await (await open(`/queries/${name}`)).text())).toBe(withoutRoots(text));
    }
    expect(
      (await open('/', { accept: 'text/html', 'if-none-match': list.headers.get('etag') ?? '' })).status,
    ).toBe(304);
    const head = await open('/', { accept: 'text/html' }, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('may run the scripts of the gateway only, and make no markup of texts', async () => {
    const policy = (await open('/')).headers.get('content-security-policy') ?? '';
    expect(policy.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' blob:",
      "require-trusted-types-for 'script'",
      "script-src 'self'",
      "style-src 'self'",
      "trusted-types 'none'",
    ]);
  });

  test('load files that browsers keep', async () => {
    const text = await (await open('/')).text();
    const paths = [...text.matchAll(/(?:src|href)="\.(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.map((path) => path.split('/').at(-1))).toEqual(['mark.svg', 'page.css', 'pages.js']);
    for (const path of paths) {
      const response = await open(path, {});
      expect(response.status, path).toBe(200);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('etag')).toBeTruthy();
    }
  });

  test('are for browsers: programs get what they got before', async () => {
    for (const headers of [
      {},
      { accept: '*/*' },
      { accept: 'application/json' },
      { accept: 'text/html', 'x-api-key': 'k' },
    ]) {
      const response = await open('/', headers as Record<string, string>);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
    }
  });

  test('are read only: other methods get 405, and OPTIONS the methods', async () => {
    const withAgents = await openTestApp({}, { MCP: 'on' });
    const allowed = 'GET, HEAD, OPTIONS';
    try {
      for (const path of ['/', '/openapi', '/agents', '/queries/usage.api-counts']) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
          const response = await withAgents.fetch(path, { method, headers: { accept: 'text/html' } });
          expect([response.status, response.headers.get('allow')], `${method} ${path}`).toEqual([
            method === 'OPTIONS' ? 204 : 405,
            allowed,
          ]);
          if (method !== 'OPTIONS')
            expect(await response.json()).toEqual({
              error: { code: 'METHOD_NOT_ALLOWED', message: `${method} is not allowed here; use GET` },
            });
        }
      }
    } finally {
      await withAgents.close();
    }
    const none = ['/sql', '/queries/', '/queries/a/b', '/embed/usage.api-counts'];
    for (const path of none)
      for (const method of ['POST', 'OPTIONS'])
        expect((await app.fetch(path, { method })).status, `${method} ${path}`).toBe(404);
    const withoutPages = await openTestApp({}, { PAGES: 'off' });
    expect((await withoutPages.fetch('/', { method: 'POST' })).status).toBe(404);
    await withoutPages.close();
  });

  test('say to browsers that there is nothing, where neither the gateway nor a plug-in has something', async () => {
    const page = withoutRoots(await (await open('/')).text());
    for (const path of ['/docs', '/queries/a/b', '/queries/', '/embed/usage.api-counts', '/assets']) {
      const response = await open(path);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('etag')).toBeNull();
      expect(withoutRoots(await response.text())).toBe(page);
      expect((await open(path, { accept: '*/*' })).headers.get('content-type')).toContain('json');
    }
    // What programs call stays as it is, in browsers too.
    for (const path of [
      '/api/endpoints/query/usage.api-counts',
      '/api/other',
      '/healthz',
      '/metrics',
      '/assets/pages/x',
    ])
      expect((await open(path)).headers.get('content-type'), path).toContain('json');
  });

  test('may be shown in frames by listed origins only, without the header and without a key', async () => {
    const embedding = await openTestApp(
      {},
      { EMBED_ORIGINS: 'https://wiki.example.com, http://localhost:8080' },
    );
    const response = await embedding.fetch('/embed/usage.api-counts', { headers: { accept: 'text/html' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-security-policy')).toContain(
      'frame-ancestors https://wiki.example.com http://localhost:8080',
    );
    const text = await response.text();
    expect(text).not.toContain('<header');
    expect(text).not.toContain('querygate-key');
    const other = await embedding.fetch('/queries/usage.api-counts', { headers: { accept: 'text/html' } });
    expect(other.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    await embedding.close();
    expect(() => readConfig({ EMBED_ORIGINS: 'wiki.example.com' })).toThrow(/EMBED_ORIGINS.*origins/s);
  });

  test('have a GraphQL document for every shipped query, records included, that the schema takes', async () => {
    const document = (await (await app.fetch('/openapi.json')).json()) as OpenapiDocument;
    const endpoints = endpointsOf(document);
    expect(endpoints.map(({ name }) => name)).toEqual(queries.map(({ name }) => name));
    for (const endpoint of endpoints) {
      expect(endpoint.formats).toContain('csv');
      const values = new Map(
        endpoint.parameters.flatMap(({ name, example }) =>
          example.length > 0 ? [[name, example] as const] : [],
        ),
      );
      const variables = JSON.parse(graphqlVariables({ origin: '', endpoint, values }));
      const [result] = Object.values(await app.data(endpoint.graphql.document, variables));
      expect(result, endpoint.name).toMatchObject({ rowCount: 0, truncated: false });
      for (const { type } of endpoint.columns) expect(columnTypes).toContain(type);
    }
  });

  test('refuse a key in their address, as every path does', async () => {
    expect((await open('/queries/usage.api-counts?api_key=secret')).status).toBe(400);
  });

  test('are off with PAGES=off, and in production unless they are switched on', async () => {
    const off = await openTestApp({}, { PAGES: 'off' });
    const [page = ''] = /\/assets\/[^"]+/.exec(await (await open('/')).text()) ?? [];
    // GraphiQL too: its path is that of GraphQL.
    for (const path of ['/', '/queries/usage.api-counts', '/openapi', '/graphql', page]) {
      expect((await off.fetch(path, { headers: { accept: 'text/html' } })).status, path).toBe(404);
    }
    await off.close();
    expect(readConfig({ NODE_ENV: 'production' }).pages).toBe(false);
    expect(readConfig({ NODE_ENV: 'production', PAGES: 'on' }).pages).toBe(true);
  });
});
