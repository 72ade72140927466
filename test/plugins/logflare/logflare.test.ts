import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BoundQuery } from '../../../src/catalog/binding/bind.ts';
import { systemClock } from '../../../src/concurrency/clock.ts';
import { readConfig } from '../../../src/config.ts';
import { GatewayError } from '../../../src/errors.ts';
import { securityHeaders } from '../../../src/http/finish/response-headers.ts';
import { makeKey } from '../../../src/keys/key-text.ts';
import { hostileRequests, planted } from '../../http/hostile-requests.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { type FolderApp, openFolderApp } from '../../support/folder-app.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { queryText } from '../../support/queries.ts';
import { parseRaw, sendRaw } from '../../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../../support/served-app.ts';
import { apiKey, openTestApp, type TestApp } from '../../support/test-app.ts';

const path = '/api/endpoints/query';
const json = 'application/json';
const form = 'application/x-www-form-urlencoded';

/** Four parameters of different types, of which the tenant and the unit are required. */
const draft = queryText({
  name: 'one',
  caching: ['caching: 900s'],
  parameters: {
    tenant: '{ type: string, tenant: true, required: true, description: The tenant. }',
    unit: '{ type: enum, enum: Unit, required: true, description: The unit., values: { s: { name: SECOND, description: A second. } } }',
    n: '{ type: integer, description: A number. }',
    on: '{ type: boolean, description: A switch. }',
  },
  columns: { x: 'integer' },
  sql: "select 1 as x where @tenant = '' and @unit = '' and @n = '' and @on = ''",
});

describe('COMPAT=logflare', () => {
  const bound: BoundQuery[] = [];
  const lines: string[] = [];
  const engine = fakeEngine({
    clock: systemClock,
    queryMs: 1,
    rows: (query) => {
      bound.push(query);
      return ['{"x":1}'];
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
  let keys: KeyFile;
  let app: TestApp;
  beforeAll(async () => {
    writeFileSync(join(folder, 'a.one.sql'), draft);
    writeFileSync(join(folder, 'b.two.sql'), draft.replace(/^id: ./m, 'id: f'));
    keys = writeKeyFile({
      all: {},
      bound: { tenants: ['t'] },
      narrow: { endpoints: ['b.two'] },
      expired: { expires: '2020-01-01T00:00:00Z' },
      rated: { rate: { requests_per_minute: 1 } },
    });
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const env = { COMPAT: 'logflare', QUERIES_DIR: folder, API_KEYS_FILE: keys.path, LOG_LEVEL: 'trace' };
    app = await openTestApp({}, env, { engine, clock: systemClock.now, log });
  });
  afterAll(async () => {
    await app.close();
    keys.remove();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    engine.failing = false;
  });

  let unused = 0;
  const tenant = () => {
    unused += 1;
    return `tenant${unused}`;
  };
  const get = async (
    target: string,
    headers: Record<string, string> = { 'x-api-key': keys.keyOf('all') },
  ) => {
    const response = await app.fetch(target, { headers });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const post = async (
    target: string,
    type: string | undefined,
    body?: string | Uint8Array<ArrayBuffer>,
    more: Record<string, string> = {},
  ) => {
    const headers = { 'x-api-key': keys.keyOf('all'), ...(type && { 'content-type': type }), ...more };
    const response = await app.fetch(target, {
      method: 'POST',
      headers,
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const lastParameters = () => bound.at(-1)?.parameters;

  describe('parameters of a body', () => {
    test.each([
      ['JSON', json, (t: string) => JSON.stringify({ tenant: t, unit: 's', n: 5, on: true })],
      [
        'JSON with a charset',
        `${json}; charset=UTF-8`,
        (t: string) => JSON.stringify({ tenant: t, unit: 's', n: '5', on: 'true' }),
      ],
      [
        'JSON that begins with a byte order mark',
        json,
        (t: string) => `\uFEFF${JSON.stringify({ tenant: t, unit: 's', n: '5', on: 'TRUE' })}`,
      ],
      [
        'JSON in any case of its type',
        'Application/JSON',
        (t: string) => JSON.stringify({ tenant: t, unit: 's', n: 5, on: true }),
      ],
      ['a form', form, (t: string) => `tenant=${t}&unit=s&n=%35&on=true`],
      [
        'a form whose parameters are repeated',
        form,
        (t: string) => `tenant=x&n=7&tenant=${t}&unit=nope&unit=s&n=5&on=false&on=true`,
      ],
    ])('are read from %s', async (_, type, bodyOf) => {
      const t = tenant();
      expect(await post(`${path}/a.one`, type, bodyOf(t))).toMatchObject({
        status: 200,
        body: '{"result":[{"x":1}]}',
      });
      expect(lastParameters()).toEqual({ tenant: t, unit: 's', n: '5', on: 'true' });
    });

    test('override those of the URL, are one cache entry with a GET, and null is absent', async () => {
      const t = tenant();
      const url = `${path}/a.one?tenant=other&unit=s&n=1`;
      expect((await post(url, json, JSON.stringify({ tenant: t, n: null, on: '' }))).status).toBe(200);
      expect(lastParameters()).toEqual({ tenant: t, unit: 's', n: '', on: '' });
      const again = await get(`${path}/a.one?unit=s&tenant=${t}`);
      expect(again.headers.get('cache-status')).toMatch(/^querygate; hit/);
    });

    test('an integer keeps its digits, or is refused', async () => {
      const n = async (number: string) => {
        const body = `{"tenant":"${tenant()}","unit":"s","n":${number}}`;
        const { body: text } = await post(`${path}/a.one`, json, body);
        return text.startsWith('{"result"') ? lastParameters()?.n : text;
      };
      expect(await n('9007199254740991')).toBe('9007199254740991');
      expect(await n('-0')).toBe('0');
      expect(await n('"9007199254740993"')).toBe('9007199254740993');
      for (const inexact of ['9007199254740993', '1e300', '1e400']) {
        expect(await n(inexact)).toBe('{"error":"n: is not exact as a JSON number; send it as text"}');
      }
    });

    test('without a body or a type the parameters are those of the URL', async () => {
      for (const type of [undefined, json, form]) {
        const t = tenant();
        expect((await post(`${path}/a.one?tenant=${t}&unit=s`, type)).status, type).toBe(200);
        expect(lastParameters()?.tenant).toBe(t);
      }
    });

    test('undeclared members are ignored, whatever they are', async () => {
      const t = tenant();
      const body = `{"__proto__":{"tenant":"evil","unit":"s"},"constructor":{"prototype":{}},"toString":[1],"extra":{"a":[1]},"sql":["x"],"api_key":"nope","tenant":"${t}","unit":"s"}`;
      expect((await post(`${path}/a.one`, json, body)).status).toBe(200);
      expect(lastParameters()).toEqual({ tenant: t, unit: 's', n: '', on: '' });
      // A member __proto__ has given no value to a parameter that is absent.
      expect(await post(`${path}/a.one`, json, '{"__proto__":{"tenant":"evil","unit":"s"}}')).toMatchObject({
        status: 200,
        body: '{"result":[]}',
      });
      expect(({} as { tenant?: string }).tenant).toBeUndefined();
    });

    test.each([
      ['an array', '{"tenant":["t"],"unit":"s"}', 400, /^tenant: must be text, .* not an array$/],
      ['an object', '{"tenant":{"a":1},"unit":"s"}', 400, /^tenant: must be text, .* not an object$/],
      ['no object', '["t"]', 400, /^The body is not a JSON object; /],
      ['null', 'null', 400, /^The body is not a JSON object; /],
      ['no JSON', '{"tenant":', 400, /^The body is not valid JSON; /],
      ['nested as deep as it can be', '['.repeat(200_000), 400, /^The body is not valid JSON; /],
      ['too large', `{"tenant":"${'x'.repeat(300_000)}"}`, 413, /^The body is larger than/],
      [
        'a value that is too long',
        `{"tenant":"${'x'.repeat(5_000)}","unit":"s"}`,
        200,
        /^tenant: has 5000 characters/,
      ],
      ['a lone surrogate', '{"tenant":"\\ud800","unit":"s"}', 200, /^tenant: is not well-formed Unicode/],
      ['a NUL byte', '{"tenant":"a\\u0000","unit":"s"}', 200, /^tenant: contains a NUL byte/],
    ])('%s is refused', async (_, body, status, message) => {
      const runs = engine.runs;
      const refused = await post(`${path}/a.one`, json, body);
      expect(refused.status).toBe(status);
      const { error, ...others } = JSON.parse(refused.body) as { error: string };
      expect(error).toMatch(message);
      expect(others).toEqual({});
      expect(engine.runs).toBe(runs);
    });

    test('bytes that are no UTF-8 are refused', async () => {
      for (const type of [json, form]) {
        const refused = await post(`${path}/a.one`, type, new Uint8Array([0x74, 0xff, 0x3d]));
        expect(refused).toMatchObject({ status: 400, body: '{"error":"The body is not well-formed UTF-8"}' });
      }
    });

    test('a form of more parameters than a URL may have is refused', async () => {
      expect((await post(`${path}/a.one`, form, 'a=1&'.repeat(100))).status).toBe(400);
    });

    test.each([
      ['text/plain', {}],
      ['multipart/form-data; boundary=x', {}],
      [`${json}; charset=latin1`, {}],
      [`${form}; a=b; charset="utf-16"`, {}],
      ['', {}],
      [json, { 'content-encoding': 'gzip' }],
    ])('%j with %j is refused with 415', async (type, more) => {
      const refused = await post(`${path}/a.one`, type === '' ? 'x' : type, '{}', more);
      expect(refused.status).toBe(415);
      expect(JSON.parse(refused.body)).toEqual({ error: expect.stringMatching(/^Send the body /) });
    });

    test('a value that is a key is refused, and not repeated', async () => {
      const key = keys.keyOf('all');
      for (const [type, body] of [
        [json, JSON.stringify({ tenant: key, unit: 's' })],
        [form, `tenant=${encodeURIComponent(encodeURIComponent(key)).replaceAll('_', '%255F')}&unit=s`],
      ] as const) {
        const refused = await post(`${path}/a.one`, type, body);
        expect(refused).toMatchObject({
          status: 400,
          body: expect.stringContaining('tenant: is an API key'),
        });
        expect(refused.body).not.toContain(key);
      }
    });

    test('a key in a body is no key', async () => {
      const body = JSON.stringify({ api_key: keys.keyOf('all'), tenant: 't', unit: 's' });
      const response = await app.fetch(`${path}/a.one`, {
        method: 'POST',
        headers: { 'content-type': json },
        body,
      });
      expect(response.status).toBe(401);
    });

    test('the response to a POST is not stored, and never 304', async () => {
      const url = `${path}/a.one?tenant=${tenant()}&unit=s`;
      const etag = (await get(url)).headers.get('etag') ?? '';
      expect(etag).not.toBe('');
      const posted = await post(url, json, '{}', { 'if-none-match': etag });
      expect(posted).toMatchObject({ status: 200, body: '{"result":[{"x":1}]}' });
      expect(posted.headers.get('cache-control')).toBe('private, no-store');
      expect(posted.headers.get('etag')).toBeNull();
      expect((await get(url, { 'x-api-key': keys.keyOf('all'), 'if-none-match': etag })).status).toBe(304);
    });
  });

  describe('what has no rows', () => {
    test.each([
      ['a missing tenant', 'unit=s'],
      ['an empty one', 'unit=s&tenant='],
      ['a missing enum value', 'tenant=t'],
      ['one that is not listed', 'tenant=t&unit=S'],
      ['one of 5,000 characters', `tenant=t&unit=${'s'.repeat(5000)}`],
    ])('runs nothing for %s', async (_, parameters) => {
      const runs = engine.runs;
      const empty = await get(`${path}/a.one?${parameters}`);
      expect(empty).toMatchObject({ status: 200, body: '{"result":[]}' });
      expect(empty.headers.get('cache-control')).toBe('no-store');
      expect(engine.runs).toBe(runs);
    });

    test('a key of a tenant must still name it', async () => {
      const headers = { 'x-api-key': keys.keyOf('bound') };
      for (const parameters of ['unit=s', 'unit=s&tenant=', 'tenant=u&unit=s', 'tenant=t&tenant=u&unit=s']) {
        expect(await get(`${path}/a.one?${parameters}`, headers)).toMatchObject({
          status: 401,
          body: '{"error":"Unauthorized"}',
        });
      }
      expect((await get(`${path}/a.one?tenant=u&tenant=t&unit=s`, headers)).status).toBe(200);
      expect((await get(`${path}/a.one?tenant=t&unit=x`, headers)).body).toBe('{"result":[]}');
      const body = '{"tenant":"u"}';
      expect((await post(`${path}/a.one?tenant=t&unit=s`, json, body, headers)).status).toBe(401);
    });
  });

  describe('other formats', () => {
    test.each([
      ['an extension', `${path}/a.one.csv?tenant=t&unit=s`],
      ['the older path', '/endpoints/query/a.one.csv?tenant=t&unit=s'],
      ['a parameter', `${path}/a.one?tenant=t&unit=s&format=csv`],
    ])('are chosen by %s', async (_, target) => {
      expect(await get(target)).toMatchObject({ status: 200, body: 'x\r\n1\r\n' });
    });

    test('are chosen by POST in the same way', async () => {
      const { status, headers, body } = await post(`${path}/a.one.csv`, json, '{"tenant":"t","unit":"s"}');
      expect([status, body]).toEqual([200, 'x\r\n1\r\n']);
      expect(headers.get('cache-control')).toBe('private, no-store');
    });

    test('are refused instead of a JSON document without rows', async () => {
      expect(await get(`${path}/a.one.csv?unit=s`)).toMatchObject({ status: 400 });
      expect(await get(`${path}/a.one?tenant=t&unit=s&format=xml`)).toMatchObject({ status: 406 });
    });
  });

  describe('failures', () => {
    test('another wrong value is a failed query', async () => {
      expect(await get(`${path}/a.one?tenant=t&unit=s&n=x`)).toMatchObject({
        status: 200,
        body: expect.stringMatching(/^\{"error":"n: got \\"x\\"; must be an integer/),
      });
    });

    test.each([
      ['ENGINE_FAILED', 200],
      ['ENGINE_TIMEOUT', 200],
      ['ENGINE_UNAVAILABLE', 200],
      ['ENGINE_MISCONFIGURED', 200],
      ['DATA_UNREADABLE', 200],
      ['QUERY_TOO_EXPENSIVE', 200],
      ['ENGINE_BUSY', 503],
    ] as const)('%s has status %i', async (code, status) => {
      engine.failing = true;
      engine.fault = new GatewayError(code, 'What happened', { retryAfterSeconds: 3 });
      const failed = await get(`${path}/a.one?tenant=${tenant()}&unit=s`);
      expect(failed).toMatchObject({ status, body: '{"error":"What happened"}' });
      expect(failed.headers.get('cache-control')).toBe('no-store');
      expect(failed.headers.get('retry-after')).toBe('3');
    });

    test('a bug has status 500, and its cause is in the log only', async () => {
      engine.failing = true;
      (engine as { fault: Error }).fault = new TypeError('secret detail');
      expect(await get(`${path}/a.one?tenant=${tenant()}&unit=s`)).toMatchObject({
        status: 500,
        body: '{"error":"Internal error"}',
      });
    });

    test('a key beyond its rate gets 429', async () => {
      const headers = { 'x-api-key': keys.keyOf('rated') };
      await get(`${path}/a.one?tenant=t&unit=s`, headers);
      const limited = await get(`${path}/a.one?tenant=t&unit=s`, headers);
      expect(limited).toMatchObject({
        status: 429,
        body: expect.stringMatching(/^\{"error":"This key is limited/),
      });
      expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
    });

    test.each(['PUT', 'PATCH', 'DELETE'])('%s is 405 with Allow', async (method) => {
      const response = await app.fetch(`${path}/a.one`, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS');
      expect(await response.json()).toEqual({ error: `${method} is not allowed here; use GET or POST` });
    });

    test('other paths are as they were', async () => {
      for (const target of [
        '/api/nothing',
        '/endpoints/query',
        '/endpoints/query/a/b',
        '/endpoints',
        `${path}/name/a/b`,
        '/Endpoints/query/a.one',
        '/api/endpoints/QUERY/a.one',
        `${path}/`,
      ]) {
        expect(await get(target), target).toMatchObject({
          status: 404,
          body: expect.stringContaining('"code":"NOT_FOUND"'),
        });
      }
      expect(await get('/graphql?query={nope}')).toMatchObject({
        body: expect.stringContaining('"extensions"'),
      });
      const options = await app.fetch(`${path}/name/a.one?api_key=${keys.keyOf('all')}`, {
        method: 'OPTIONS',
      });
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
    });
  });

  describe('keys in URLs', () => {
    const good = `${path}/a.one?tenant=t&unit=s`;

    test('the last of several counts, and a key of a header before them', async () => {
      const [right, expired] = [keys.keyOf('all'), keys.keyOf('expired')];
      const keyless = (target: string, headers = {}) => get(target, headers);
      expect((await keyless(`${good}&api_key=${right}`)).status).toBe(200);
      expect((await keyless(`${path}/a.one?api_key=${right}&tenant=t&unit=s`)).status).toBe(200);
      expect((await keyless(`${good}&api_key=${expired}&api_key=${right}`)).status).toBe(200);
      expect((await keyless(`${good}&api_key=${right}&api_key=${expired}`)).status).toBe(401);
      expect((await keyless(`${good}&api_key=${expired}`, { 'x-api-key': right })).status).toBe(200);
      expect((await keyless(`${good}&api_key=${right}`, { 'x-api-key': expired })).status).toBe(401);
      expect((await keyless(`${good}&api_key=${right}`, { authorization: `Bearer ${expired}` })).status).toBe(
        401,
      );
      expect((await keyless(good, { authorization: `Bearer ${right}`, 'x-api-key': expired })).status).toBe(
        200,
      );
      expect((await keyless(good, { authorization: `bearer  ${right}`, 'x-api-key': 'x' })).status).toBe(200);
      for (const empty of ['&api_key', '&api_key=', '&api_key=%FF', '&api_key=+']) {
        expect(await keyless(`${good}${empty}`)).toMatchObject({
          status: 401,
          body: '{"error":"Unauthorized"}',
        });
      }
      expect((await keyless(`${good}&api_key=${right.replaceAll('_', '%5F')}`)).status).toBe(200);
    });

    test('the key is not part of the cached result', async () => {
      const url = `${path}/a.one?tenant=${tenant()}&unit=s`;
      expect((await get(url)).headers.get('cache-status')).toMatch(/miss/);
      expect((await get(`${url}&api_key=${keys.keyOf('all')}`, {})).headers.get('cache-status')).toMatch(
        /hit/,
      );
      const runs = engine.runs;
      await get(`${url}&api_key=${keys.keyOf('narrow')}`, {});
      expect(engine.runs).toBe(runs);
    });

    test.each([
      ['under an encoded name', (key: string) => `${good}&api%5Fkey=${key}`],
      ['under another name', (key: string) => `${good}&apikey=${key}`],
      ['under a name in upper case', (key: string) => `${good}&API_KEY=${key}`],
      ['in another parameter', (key: string) => `${path}/a.one?tenant=${key}&unit=s`],
      ['as a name', (key: string) => `${good}&${key}=1`],
      ['twice encoded', (key: string) => `${good}&x=${key.replaceAll('_', '%255F')}`],
      ['beside a parameter that is accepted', (key: string) => `${good}&api_key=${key}&tenant=${key}`],
    ])('a key %s is refused with 400', async (_, urlOf) => {
      const key = keys.keyOf('all');
      const refused = await get(urlOf(key));
      expect(refused).toMatchObject({
        status: 400,
        body: expect.stringMatching(/^\{"error":"Do not send API keys/),
      });
    });

    test.each(['/graphql?query={__typename}', '/healthz?', '/readyz?', '/?', '/api/other?', '/endpoints?'])(
      'at %s it is refused as without COMPAT',
      async (target) => {
        const refused = await get(`${target}&api_key=${keys.keyOf('all')}`, {});
        expect(refused).toMatchObject({
          status: 400,
          body: expect.stringContaining('Do not send API keys in URLs'),
        });
      },
    );

    test('it is in no log line, response or bound value, whatever the URL', async () => {
      const key = keys.keyOf('all');
      const wrong = makeKey().text;
      const part = fc.constantFrom(
        ...[
          `api_key=${key}`,
          `api_key=${wrong}`,
          `api_key=${key}#`,
          `#api_key=${key}`,
          `api%5fkey=${key}`,
          `x=${key}`,
        ],
        ...[
          'tenant=t',
          'unit=s',
          'unit=x',
          'n=x',
          '',
          'api_key',
          `api_key=${encodeURIComponent(`Bearer ${key}`)}`,
        ],
        ...[`tenant=${wrong}`, `api_key=;${key}`, `?api_key=${key}`, `api_key=${key}?`, `&&api_key=${key}&`],
      );
      const target = fc.constantFrom(
        ...[
          `${path}/a.one`,
          `${path}/name/a.one`,
          '/endpoints/query/a.one',
          '/endpoints/query/nope',
          `${path}/%61.one`,
        ],
        ...[
          '/endpoints/query/..',
          `${path}/../query/a.one`,
          '/graphql',
          '/healthz',
          `/endpoints/query/${key}`,
          '/',
        ],
      );
      const method = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'PUT');
      let accepted = 0;
      await fc.assert(
        fc.asyncProperty(target, fc.array(part, { maxLength: 5 }), method, async (at, parts, verb) => {
          const referer = `https://dash.example.com/?api_key=${key}`;
          const url = `${at}?${parts.join('&')}`;
          const response = await app.fetch(url, { method: verb, headers: { referer } });
          if (response.status === 200 && at !== '/healthz') accepted += 1;
          const seen = JSON.stringify([...response.headers]) + (await response.text());
          expect(seen).not.toContain(key);
          expect(seen).not.toContain(wrong);
        }),
        { numRuns: 3000 },
      );
      expect(accepted).toBeGreaterThan(15);
      const secrets = [key, wrong].map((text) => text.slice(-20));
      for (const secret of secrets) {
        expect(lines.filter((line) => line.includes(secret))).toEqual([]);
        expect(JSON.stringify(bound.map(({ parameters }) => parameters))).not.toContain(secret);
      }
      expect(lines.length).toBeGreaterThan(1000);
      const paths = new Set(lines.map((line) => (JSON.parse(line) as { path?: string }).path));
      const known = [
        '/',
        '/graphql',
        '/healthz',
        '/readyz',
        `${path}/a.one`,
        `${path}/a.one.csv`,
        'unknown',
        undefined,
      ];
      expect([...paths].filter((logged) => !known.includes(logged))).toEqual([]);
    });
  });
});

describe('COMPAT=logflare behind a socket', () => {
  let served: ServedApp;
  beforeAll(async () => {
    served = await serveTestApp({ COMPAT: 'logflare' }, 1, { rows: () => ['{"x":1}'] });
  });
  afterAll(() => served.close());

  const url = (target: string) => `http://127.0.0.1:${served.port}${target}`;

  test('hostile requests get no more than without it, and no secret is in a response or in the log', async () => {
    const forbidden = [apiKey, planted, 'countif(', 'edge_logs', '    at ', 'node_modules', process.cwd()];
    for (const { name, bytes, status } of hostileRequests) {
      const text = await sendRaw(served.port, bytes);
      const answered = parseRaw(text);
      if (answered.status !== status) expect(answered.status, name).toBeLessThan(500);
      expect(answered.headers, name).toMatchObject(securityHeaders);
      for (const secret of forbidden) expect(text, name).not.toContain(secret);
    }
    for (const secret of [apiKey, planted]) expect(served.log()).not.toContain(secret);
    expect(served.log()).not.toContain('a bug in the gateway');
  });

  test('a key in a URL admits the connection, and is in no log line', async () => {
    const response = await fetch(url(`/endpoints/query/logs.all?project=p&api_key=${apiKey}`));
    expect([response.status, await response.text()]).toEqual([200, '{"result":[{"x":1}]}']);
    expect(served.log()).toContain('/api/endpoints/query/logs.all');
    expect(served.log()).not.toContain(apiKey);
  });

  test('a body is limited while it arrives', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const init = {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': json },
      body,
      duplex: 'half',
    };
    const response = await fetch(url(`${path}/logs.all`), init as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/^The body is larger than/) });
  });

  test('without a key, a body is not read', async () => {
    const body = JSON.stringify({ project: 'p' });
    const response = await fetch(url(`${path}/logs.all`), {
      method: 'POST',
      headers: { 'content-type': json },
      body,
    });
    expect([response.status, await response.text()]).toEqual([401, '{"error":"Unauthorized"}']);
  });

  test('wrong keys in URLs count for their address', async () => {
    // A request becomes available each second: a slow machine would never use up all of them.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const wrong = () => fetch(url(`${path}/logs.all?project=p&api_key=wrong`));
    const statuses: number[] = [];
    for (let at = 0; at < 62; at += 1) statuses.push((await wrong()).status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await fetch(url(`${path}/logs.all?project=p&api_key=${apiKey}`))).status).toBe(200);
  });
});

test('another value of COMPAT is refused at start', () => {
  expect(() => readConfig({ COMPAT: 'Logflare' })).toThrow(/COMPAT: got "Logflare"; must be logflare$/m);
  expect(readConfig({ COMPAT: '' }).compat).toBeUndefined();
});

describe('without COMPAT', () => {
  let strict: TestApp;
  let compat: TestApp;
  const engine = () => fakeEngine({ clock: systemClock, queryMs: 1, rows: () => ['{"x":1}'] });
  beforeAll(async () => {
    strict = await openTestApp({}, {}, { engine: engine(), clock: systemClock.now });
    compat = await openTestApp({}, { COMPAT: 'logflare' }, { engine: engine(), clock: systemClock.now });
  });
  afterAll(async () => {
    await strict.close();
    await compat.close();
  });

  const timeHeaders = ['age', 'querygate-computed-at'];
  const answer = async (app: TestApp, target: string, init?: RequestInit) => {
    const response = await app.fetch(target, init);
    const headers = [...response.headers].filter(([name]) => !timeHeaders.includes(name));
    return { status: response.status, headers, body: await response.text() };
  };

  test.each([
    ['POST', `${path}/logs.all?project=p`, { method: 'POST' }, 405, 'METHOD_NOT_ALLOWED'],
    ['the older path', '/endpoints/query/logs.all?project=p', {}, 404, 'NOT_FOUND'],
    ['the path with name', `${path}/name/logs.all?project=p`, {}, 404, 'NOT_FOUND'],
    ['a key in the URL', `${path}/logs.all?project=p&api_key=x`, {}, 400, 'BAD_REQUEST'],
    ['a repeated parameter', `${path}/logs.all?project=p&project=p`, {}, 400, 'INVALID_PARAMETER'],
    ['a missing parameter', `${path}/logs.all`, {}, 400, 'MISSING_PARAMETER'],
    ['an unlisted value', `${path}/usage.api-counts?project=p&interval=x`, {}, 400, 'INVALID_PARAMETER'],
    ['an unknown endpoint', `${path}/nope`, {}, 404, 'UNKNOWN_QUERY'],
    ['no key', `${path}/logs.all?project=p`, { headers: {} }, 401, 'UNAUTHENTICATED'],
    [
      'two keys',
      `${path}/logs.all?project=p`,
      { headers: { 'x-api-key': 'x', authorization: `Bearer ${apiKey}` } },
      401,
      'UNAUTHENTICATED',
    ],
  ])('%s is refused', async (_, target, init, status, code) => {
    const refused = await answer(strict, target, init);
    expect(refused.status).toBe(status);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code } });
  });

  test.each([
    `${path}/logs.all?project=p`,
    `${path}/functions.inv-stats?project=p&interval=x`,
    '/graphql?query={logsAll(project:"p"){rowCount}}',
    '/graphql?query={nope}',
    '/healthz',
    '/nowhere',
    '/api/nowhere',
  ])('and what is right is the same bytes: %s', async (target) => {
    const init = { headers: { 'x-api-key': apiKey, 'x-request-id': 'the-same' } };
    expect(await answer(strict, target, init)).toEqual(await answer(compat, target, init));
  });
});

describe('COMPAT=logflare for what Logflare does not have', () => {
  let folder: FolderApp;
  beforeAll(async () => {
    const sql =
      'select n from unnest(generate_array(1, 12)) as n where n <= @most and coalesce(array_length(@ids), 0) >= 0 order by n';
    const parameters = {
      most: '{ type: integer, default: 12, bind: INT64, description: How many rows. }',
      ids: '{ type: string, repeated: true, description: Some ids. }',
    };
    const common = { parameters, columns: { n: 'integer' }, sql } as const;
    folder = await openFolderApp(
      {
        'test.rows.sql': queryText({
          name: 'rows',
          ...common,
          caching: ['caching: 900s', 'row_arguments: all'],
        }),
        'test.pages.sql': queryText({
          name: 'pages',
          ...common,
          caching: ['caching: 900s', 'page: { by: [n] }'],
        }),
        'test.strict.sql': queryText({
          name: 'strict',
          ...common,
          caching: ['caching: 900s', 'strict: true'],
          sql: 'select n from unnest(generate_array(1, 3)) as n where n <= @most and cast(n as string) in unnest(@ids)',
        }),
      },
      { env: { COMPAT: 'logflare' } },
    );
  });
  afterAll(() => folder.close());

  const rowsOf = async (address: string) => {
    const { result } = (await (await folder.get(address)).json()) as { result?: { n: number }[] };
    return result?.map(({ n }) => n);
  };

  test.each([
    ['test.rows?n=gt.3&n=lt.6', [4, 5]],
    ['test.rows?order=n.desc&limit=1&sql=select', [12]],
    ['test.pages?limit=2', [1, 2]],
  ])('%s has the rows that are requested', async (address, rows) => {
    expect(await rowsOf(address)).toEqual(rows);
  });

  test('a misspelled column is no request for all rows', async () => {
    expect(await (await folder.get('test.rows?m=eq.3')).text()).toContain('m: cannot be filtered');
  });

  test.each([
    ['mos=1', 'mos is ignored, did you mean most?'],
    ['Most=1', 'Most is ignored, did you mean most?'],
    ['most[eq]=1', 'most[eq] is ignored, did you mean most?'],
    ['most_gt=1', 'most_gt is ignored, did you mean most?'],
    ['ids[a]=1', 'ids[a] is ignored, did you mean ids?'],
    ['n=1', 'n is ignored, the rows of this endpoint cannot be filtered'],
    ['nothing=1', null],
  ])('an ignored name is in a warning, as in %s', async (search, warning) => {
    const response = await folder.get(`test.strict?ids=2&ids=3&${search}`);
    expect(await response.text()).toBe('{"result":[{"n":2},{"n":3}]}');
    expect(response.headers.get('querygate-warning')).toBe(warning);
    const [[name = '', value] = []] = new URLSearchParams(search);
    const body = { 'ids[]': ['2', '3'], [name]: value };
    const inBody = await post('test.strict', body);
    expect(inBody.headers.get('querygate-warning')).toBe(warning);
    expect(await inBody.text()).toBe('{"result":[{"n":2},{"n":3}]}');
  });

  test('a body may have the format', async () => {
    const response = await post('test.strict', { 'ids[0]': '2', format: 'csv', x: [] });
    expect(await response.text()).toBe('n\r\n2\r\n');
    expect((await post('test.strict', { format: 'xml' })).status).toBe(406);
  });

  test.each(['nope', 5, ['csv'], { as: 'csv' }])(
    'a format of a body that names no format is ignored: %j',
    async (format) => {
      const warning = 'format is ignored, it names no format';
      const response = await post('test.strict?format=csv', { ids: '2', format });
      expect([response.headers.get('querygate-warning'), await response.text()]).toEqual([
        warning,
        'n\r\n2\r\n',
      ]);
      const misspelled = await post('test.pages', { format, Most: 3 });
      expect(misspelled.headers.get('querygate-warning')).toBe(
        `Most is ignored, did you mean most?; ${warning}`,
      );
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const asForm = await folder.app.fetch(
        new Request('http://test/api/endpoints/query/test.strict', {
          method: 'POST',
          headers: { 'x-api-key': apiKey, ...form },
          body: `ids=2&format=${typeof format === 'string' ? format : 'none'}`,
        }),
      );
      expect([asForm.status, asForm.headers.get('querygate-warning')]).toEqual([200, warning]);
    },
  );

  test('a format in a body that is absent changes nothing', async () => {
    const response = await post('test.strict', { ids: '2', format: null });
    expect([response.headers.get('querygate-warning'), response.status]).toEqual([null, 200]);
  });

  test('pages have links', async () => {
    expect((await folder.get('test.pages?limit=2')).headers.get('link')).toContain('rel="next"');
  });

  const post = (address: string, body: unknown, headers: Record<string, string> = {}) =>
    folder.app.fetch(
      new Request(`http://test/api/endpoints/query/${address}`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': json, ...headers },
        body: JSON.stringify(body),
      }),
    );

  test('a body has row arguments, too', async () => {
    const response = await post('test.rows', { n: 'gt.10', limit: 1 });
    expect(await response.text()).toBe('{"result":[{"n":11}]}');
  });

  test('a misspelled column in a body is no request for all rows', async () => {
    expect(await (await post('test.rows', { m: 'eq.3' })).text()).toContain('m: cannot be filtered');
    expect(await (await post('test.rows', { n_gt: '10' })).text()).toContain('n_gt: is not a column');
    const ignored = await post('test.rows', { n: 'gt.11', m: 3, o: {}, sql: 'select' });
    expect(await ignored.text()).toBe('{"result":[{"n":12}]}');
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}`, '']));
    expect(await (await post('test.rows', many)).text()).toContain('more than 100 parameters');
  });

  test('the links of a page by POST have what its body has', async () => {
    const links = (await post('test.pages?most=4&format=json', { limit: 2, most: 3 })).headers.get('link');
    const [, next = ''] = /<(\?[^>]*)>; rel="next"/.exec(links ?? '') ?? [];
    expect(await rowsOf(`test.pages${next}`)).toEqual([3]);
    const long = await post('test.pages', { limit: 2, ids: Array(900).fill('x'.repeat(10)) });
    expect([await long.text(), long.headers.get('link')]).toEqual(['{"result":[{"n":1},{"n":2}]}', null]);
  });

  test('a page by POST in another form is sent to a caller who has its rows', async () => {
    const address = 'test.pages.csv?limit=2';
    const known = (await folder.get(address)).headers.get('etag') ?? '';
    const response = await post(address, {}, { 'if-none-match': known });
    expect([known, response.status, await response.text()]).toEqual([
      expect.stringContaining('"'),
      200,
      'n\r\n1\r\n2\r\n',
    ]);
  });
});
