import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { readConfig } from '../../../src/config.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const open = (origins?: string, env: Record<string, string> = {}) =>
  openTestApp({}, origins === undefined ? env : { CORS_ORIGINS: origins, ...env }, {
    engine: fakeEngine({ clock: systemClock, queryMs: 1 }),
  });
const endpoint = '/api/endpoints/query/logs.all?project=p';

const corsHeadersOf = async (app: TestApp, origin: string, path = endpoint, init: RequestInit = {}) => {
  const headers = { origin, 'x-api-key': apiKey, ...(init.headers as Record<string, string>) };
  const response = await app.fetch(path, { ...init, headers });
  return Object.fromEntries([...response.headers].filter(([name]) => name.startsWith('access-control-')));
};

describe('CORS with origins', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await open('https://dash.example.com, HTTPS://Other.Example.com:443,http://127.0.0.1:8080');
  });
  afterAll(() => app.close());

  test.each(['https://dash.example.com', 'https://other.example.com', 'http://127.0.0.1:8080'])(
    '%s may read answers',
    async (origin) => {
      for (const path of [endpoint, '/nowhere', '/graphql?query={__typename}']) {
        expect(await corsHeadersOf(app, origin, path), path).toEqual({
          'access-control-allow-origin': origin,
          'access-control-expose-headers': '*',
        });
      }
    },
  );

  test.each([
    'null',
    '',
    'https://dash.example.com.evil.example',
    'https://evil-dash.example.com',
    'https://evil.example/https://dash.example.com',
    'https://sub.dash.example.com',
    'https://dash.example.com:8443',
    'http://dash.example.com',
    'https://DASH.example.com',
    'https://dash.example.com/',
    'https://dash.example.com https://evil.example',
    'http://127.0.0.1',
    '*',
  ])('%j gets no CORS headers, not even for preflights', async (origin) => {
    expect(await corsHeadersOf(app, origin)).toEqual({});
    for (const path of [endpoint, '/graphql']) {
      const headers = {
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-api-key',
      };
      expect(await corsHeadersOf(app, origin, path, { method: 'OPTIONS', headers })).toEqual({});
    }
  });

  test('responses vary by origin', async () => {
    const response = await app.fetch(endpoint);
    expect(response.headers.get('vary')).toBe('X-API-KEY, Authorization, Accept-Encoding, Accept, Origin');
  });

  test('a preflight of an allowed origin lists what it may send', async () => {
    expect(await corsHeadersOf(app, 'https://dash.example.com', '/graphql', { method: 'OPTIONS' })).toEqual({
      'access-control-allow-origin': 'https://dash.example.com',
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-allow-headers':
        'X-API-KEY, Authorization, Content-Type, Accept, Cache-Control, If-None-Match, LF-ENDPOINT-LABELS, ' +
        'Last-Event-ID, Prefer, X-Request-ID, traceparent, tracestate, baggage, MCP-Protocol-Version, Mcp-Method, Mcp-Name, ' +
        'apollographql-client-name, apollographql-client-version, apollo-require-preflight, *',
      'access-control-max-age': '86400',
      'access-control-expose-headers': '*',
    });
  });
});

/** Headers that the pages of the documentation name. */
const documented = new Set(
  readdirSync('docs')
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => {
      const text = readFileSync(`docs/${file}`, 'utf8');
      const names = [
        // Of commands, of scripts, and of sentences.
        /-H\s+['"]([\w-]+):/g,
        /headers: \{([^}\n]*)\}/g,
        /`([A-Za-z]+(?:-[A-Za-z]+)+): [^`]*`/g,
        /`([A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)+|Prefer|Accept|Authorization|Age|Link|ETag|Vary|traceparent|tracestate|baggage)`/g,
      ].flatMap((pattern) => [...text.matchAll(pattern)].map(([, found = '']) => found));
      return names.flatMap((found) =>
        /[:,{}]/.test(found) ? [...found.matchAll(/'?([\w-]+)'?:/g)].map(([, name = '']) => name) : [found],
      );
    })
    .map((name) => name.toLowerCase()),
);

/** Those of them that pages cannot send, or need no permission to: of responses, of browsers, of proxies and of other services. */
const otherHeaders = new Set(
  `access-control-allow-headers age cache-status content-disposition content-encoding content-length
  content-security-policy preference-applied x-frame-options cross-origin-resource-policy deprecation etag link referrer-policy retry-after server-timing
  strict-transport-security sunset vary www-authenticate x-accel-buffering x-content-type-options
  querygate-budget querygate-computed-at querygate-cost querygate-data-version querygate-key querygate-of-rows querygate-row-count querygate-truncated querygate-warning
  ratelimit ratelimit-policy x-query-cost x-ratelimit-limit
  accept-encoding connection forwarded host keep-alive origin referer sec-fetch-site upgrade user-agent
  x-forwarded-for x-forwarded-host x-forwarded-proto`.split(/\s+/),
);

test('a page may send every header that the documentation names, at every address, and read every one', async () => {
  const app = await open('https://dash.example.com', { MCP: 'on' });
  for (const path of [endpoint, '/graphql', '/api/live', '/mcp', '/openapi.json']) {
    const headers = await corsHeadersOf(app, 'https://dash.example.com', path, { method: 'OPTIONS' });
    const allowed = new Set(headers['access-control-allow-headers']?.toLowerCase().split(', '));
    const refused = [...documented].filter((name) => !allowed.has(name) && !otherHeaders.has(name));
    expect(refused, path).toEqual([]);
    for (const name of ['last-event-id', 'prefer', 'x-api-key']) expect(allowed).toContain(name);
    expect(headers['access-control-expose-headers']).toBe('*');
  }
  for (const name of ['last-event-id', 'prefer', 'cache-control', 'if-none-match', 'lf-endpoint-labels'])
    expect(documented).toContain(name);
  await app.close();
});

test('a page may send any other header, by the wildcard', async () => {
  const app = await open('*');
  const headers = await corsHeadersOf(app, 'https://a.example', '/graphql', { method: 'OPTIONS' });
  // It means every header but Authorization, and only where no credentials are allowed.
  expect(headers['access-control-allow-headers']).toMatch(/^X-API-KEY, Authorization, .*, \*$/);
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
  await app.close();
});

test('OPTIONS lists the methods of a path, of health too', async () => {
  const app = await open();
  for (const [path, methods] of [
    [endpoint, 'GET, HEAD, OPTIONS'],
    ['/graphql', 'GET, HEAD, POST, OPTIONS'],
    ['/healthz', 'GET, HEAD, OPTIONS'],
    ['/readyz', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const { status, headers } = await app.fetch(path, { method: 'OPTIONS', headers: {} });
    expect([status, headers.get('allow')], path).toEqual([204, methods]);
  }
  await app.close();
});

test('a preflight allows nothing where the answer cannot be read', async () => {
  const app = await open('https://dash.example.com', { PAGES: 'on' });
  for (const path of ['/metrics', '/use.json']) {
    expect(await corsHeadersOf(app, 'https://dash.example.com', path), path).toEqual({});
    const preflight = { method: 'OPTIONS' };
    expect(await corsHeadersOf(app, 'https://dash.example.com', path, preflight), path).toEqual({});
    const { status, headers } = await app.fetch(path, preflight);
    expect([status, headers.get('allow')], path).toEqual([204, 'GET, HEAD, OPTIONS']);
  }
  await app.close();
});

test('without configured origins, no page may read anything', async () => {
  const app = await open();
  expect(await corsHeadersOf(app, 'https://dash.example.com')).toEqual({});
  expect(await corsHeadersOf(app, 'https://dash.example.com', endpoint, { method: 'OPTIONS' })).toEqual({});
  await app.close();
});

test('* allows any page, without credentials, but never the page that may contain the key', async () => {
  const app = await open('*');
  expect(await corsHeadersOf(app, 'null')).toMatchObject({ 'access-control-allow-origin': '*' });
  expect(await corsHeadersOf(app, 'https://a.example')).not.toHaveProperty(
    'access-control-allow-credentials',
  );
  const page = await app.fetch('/graphql', { headers: { origin: 'https://a.example', accept: 'text/html' } });
  expect(page.headers.get('content-type')).toContain('text/html');
  expect(page.headers.get('access-control-allow-origin')).toBeNull();
  await app.close();
});

test.each([
  'null',
  'example.com',
  'ftp://example.com',
  'https://example.com/',
  'https://user@example.com',
  'https://example.com?x',
  'https://a.example,*',
  'https://a.example,,https://b.example',
  'https://',
])('%j is not a valid list of origins', (origins) => {
  expect(() => readConfig({ CORS_ORIGINS: origins })).toThrow(
    /CORS_ORIGINS: (?:got [^@]*; )?must be \* or origins/,
  );
});
