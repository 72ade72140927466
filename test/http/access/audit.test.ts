import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeKey } from '../../../src/keys/key-text.ts';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { parseRaw, sendRaw } from '../../support/raw-request.ts';
import { type ServedApp, serveTestApp } from '../../support/served-app.ts';
import { apiKey } from '../../support/test-app.ts';

const secret = 'a secret of at least thirty-two bytes';
const logs = '/api/endpoints/query/logs.all';

describe('each refusal is a line of the log', () => {
  let served: ServedApp;
  let file: KeyFile;
  let seen = 0;
  beforeAll(async () => {
    file = writeKeyFile({
      bound: { tenants: ['abc'] },
      narrow: { endpoints: ['logs.all'] },
      hidden: { tenants: ['abc'], endpoints: ['logs.all'] },
      rated: { rate: { requests_per_minute: 1 } },
      expired: { expires: '2026-03-10T11:59:59Z' },
      revoked: { revoked: '2026-03-10T11:00:00Z' },
      elsewhere: { allow: ['192.0.2.0/24'] },
    });
    served = await serveTestApp({
      API_KEYS_FILE: file.path,
      TRUST_PROXY: 'loopback',
      JWT_SECRET: secret,
    });
  });
  afterAll(async () => {
    await served.close();
    file.remove();
  });
  beforeEach(() => {
    seen = served.log().length;
  });

  const send = async (path: string, headers: Record<string, string>, body?: string) => {
    const init = body === undefined ? {} : { method: 'POST', body };
    const response = await fetch(`http://127.0.0.1:${served.port}${path}`, { ...init, headers });
    await response.arrayBuffer();
    return response.status;
  };
  const refusals = () =>
    served
      .log()
      .slice(seen)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'refused')
      .map(({ level: _, time: __, pid: ___, hostname: ____, msg: _____, requestId, ...fields }) => {
        expect(requestId).toMatch(/^[\da-f-]{36}$/);
        return fields;
      });
  const keyed = (name: string) => ({ 'x-api-key': file.keyOf(name), 'x-forwarded-for': '203.0.113.9' });
  const common = { method: 'GET', address: '203.0.113.9' };

  test.each(['expired', 'revoked'])('a key that is %s, with its id', async (name) => {
    expect(await send(`${logs}?project=abc`, keyed(name))).toBe(401);
    expect(refusals()).toEqual([{ reason: name, status: 401, ...common, key: file.idOf(name) }]);
  });

  test('a key that is missing or unknown, without what was sent', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    const forged = makeKey().text.replace(/^qg_[^_]+/, `qg_${file.idOf('bound')}`);
    await send(`${logs}?project=abc`, forwarded);
    for (const text of ['unknown', makeKey().text, forged]) {
      await send(`${logs}?project=abc`, { ...forwarded, 'x-api-key': text });
    }
    await send(`${logs}?project=abc`, { ...keyed('bound'), authorization: `Bearer ${apiKey}` });
    expect(refusals().map(({ reason, key }) => [reason, key])).toEqual([
      ['missing', undefined],
      ['unknown', undefined],
      ['unknown', undefined],
      ['unknown', undefined],
      ['two keys', undefined],
    ]);
    for (const text of [makeKey().text, forged, apiKey]) expect(served.log()).not.toContain(text);
  });

  test('a key that is sent from another address', async () => {
    expect(await send(`${logs}?project=abc`, keyed('elsewhere'))).toBe(401);
    expect(refusals()).toEqual([{ reason: 'address', status: 401, ...common, key: file.idOf('elsewhere') }]);
    const allowed = { ...keyed('elsewhere'), 'x-forwarded-for': '198.51.100.1, 192.0.2.7' };
    expect(await send(`${logs}?project=abc`, allowed)).toBe(200);
    // What the caller itself writes comes first.
    const spoofed = { ...keyed('elsewhere'), 'x-forwarded-for': '192.0.2.7, 203.0.113.9' };
    expect(await send(`${logs}?project=abc`, spoofed)).toBe(401);
  });

  test('another tenant, with its name, in REST and in each field of GraphQL', async () => {
    expect(await send(`${logs}?project=other&function_id=hidden-value`, keyed('bound'))).toBe(403);
    const refusal = {
      ...common,
      reason: 'tenant',
      status: 403,
      key: file.idOf('bound'),
      endpoint: 'logs.all',
    };
    expect(refusals()).toEqual([{ ...refusal, tenant: 'other' }]);
    const query =
      '{ own: logsAll(project: "abc") { rowCount } a: logsAll(project: "x") { rowCount } b: logsAll(project: "y") { rowCount } }';
    seen = served.log().length;
    const headers = { ...keyed('bound'), 'content-type': 'application/json' };
    const twice = query.replace(
      '{',
      'query ($none: Boolean = true) { none: logsAll(project: "abc") { rows { id @include(if: $none) } }',
    );
    // The second one is executed twice, for a condition is null.
    for (const text of [query, twice]) {
      const body = JSON.stringify({ query: text, variables: { none: null } });
      expect(await send('/graphql', headers, body)).toBe(200);
    }
    expect(refusals()).toEqual(
      ['x', 'y', 'x', 'y'].map((tenant) => ({ ...refusal, method: 'POST', tenant })),
    );
    expect(served.log()).not.toContain('hidden-value');
  });

  test('of many in a request, once each', async () => {
    const fields = (count: number, tenantOf: (at: number) => string) =>
      `{ ${Array.from({ length: count }, (_, at) => `f${at}: logsAll(project: "${tenantOf(at)}") { rowCount }`).join(' ')} }`;
    const headers = { ...keyed('bound'), 'content-type': 'application/json' };
    const tenants = async (query: string) => {
      seen = served.log().length;
      expect(await send('/graphql', headers, JSON.stringify({ query }))).toBe(200);
      return refusals().map(({ tenant }) => tenant);
    };
    expect(await tenants(fields(20, () => 'x'))).toEqual(['x']);
    const all = Array.from({ length: 20 }, (_, at) => `t${at}`);
    expect(await tenants(fields(20, (at) => `t${at}`))).toEqual(all);
  });

  test('a key in place of the tenant is not in the line', async () => {
    const token = await new SignJWT({ tenants: ['abc'] })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.from(secret));
    const headers = { ...keyed('bound'), 'content-type': 'application/json' };
    const texts = [makeKey().text, apiKey, `Bearer ${apiKey}`, token, 'x'.repeat(300)];
    for (const text of texts) {
      const query = 'query ($p: String!) { logsAll(project: $p) { rowCount } }';
      await send('/graphql', headers, JSON.stringify({ query, variables: { p: text } }));
    }
    expect(refusals().map(({ tenant }) => tenant)).toEqual([...Array(4).fill('(a key)'), 'x'.repeat(200)]);
    for (const text of texts) expect(served.log()).not.toContain(text);
  });

  test('an endpoint, SQL without permission, and the rate', async () => {
    const usage = '/api/endpoints/query/usage.api-counts?project=abc&interval=hourly';
    expect(await send(usage, keyed('narrow'))).toBe(403);
    await send('/graphql?query={endpoints{query}}', keyed('narrow'));
    await send(`${logs}?project=abc`, keyed('rated'));
    expect(await send(`${logs}?project=abc`, keyed('rated'))).toBe(429);
    const line = (reason: string, status: number, name: string, more = {}) => ({
      ...common,
      reason,
      status,
      key: file.idOf(name),
      ...more,
    });
    expect(refusals()).toEqual([
      line('endpoint', 403, 'narrow', { endpoint: 'usage.api-counts' }),
      line('permission', 403, 'narrow', { endpoint: 'logs.all' }),
      line('rate', 429, 'rated'),
    ]);
  });

  test('an endpoint that is hidden from the key, in REST and GraphQL', async () => {
    expect(await send('/api/endpoints/query/usage.api-counts?project=abc', keyed('hidden'))).toBe(404);
    expect(await send('/api/endpoints/query/nope?project=abc', keyed('hidden'))).toBe(404);
    const query =
      '{ usageApiCounts(project: "abc", interval: DAILY) { rowCount } nope { x } endpoints { name } }';
    const headers = { ...keyed('hidden'), 'content-type': 'application/json' };
    await send('/graphql', headers, JSON.stringify({ query }));
    await send('/graphql', headers, JSON.stringify({ query: '{ nope { x } ' }));
    const line = { ...common, reason: 'endpoint', status: 404, key: file.idOf('hidden') };
    expect(refusals()).toEqual([
      { ...line, endpoint: 'usage.api-counts' },
      { ...line, reason: 'no such endpoint', endpoint: 'nope' },
      { ...line, endpoint: 'usage.api-counts', method: 'POST' },
    ]);
  });

  test('an endpoint that does not exist, but nothing that may be a secret', async () => {
    const secrets = [
      ...[
        'sk_live_51H8xQ2eZvKYlo2C',
        'hunter2hunter2',
        'AKIAIOSFODNN7EXAMPLE',
        'a'.repeat(25),
        '%22%3Cscript%3E',
      ],
      ...['2f7c1b90-7b1e-4c55-8f0a-6a3c51d4b7e2', 'x'.repeat(2_000)],
    ];
    for (const text of ['functions.req-stats', 'logs.all2', ...secrets]) {
      expect(await send(`/api/endpoints/query/${text}`, keyed('bound'))).toBe(404);
    }
    const line = { ...common, reason: 'no such endpoint', status: 404, key: file.idOf('bound') };
    expect(refusals()).toEqual([
      { ...line, endpoint: 'functions.req-stats' },
      { ...line, endpoint: 'logs.all2' },
    ]);
  });

  test('a token that is not valid, with the problem', async () => {
    const token = (claims: Record<string, unknown>, exp: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(exp)
        .sign(Buffer.from(secret));
    const tokens = [
      await token({ tenants: ['abc'] }, '-1h'),
      await token({}, '1h'),
      'eyJhbGciOiJub25lIn0.e30.',
    ];
    const challenges: (string | null)[] = [];
    for (const text of tokens) {
      const headers = { authorization: `Bearer ${text}`, 'x-forwarded-for': '203.0.113.9' };
      const response = await fetch(`http://127.0.0.1:${served.port}${logs}?project=abc`, { headers });
      challenges.push(response.headers.get('www-authenticate'));
      await response.arrayBuffer();
    }
    const challenge = (description: string) =>
      `Bearer realm="querygate", error="invalid_token", error_description="${description}"`;
    expect(challenges).toEqual(
      ['the token has expired', 'the token is not valid', 'the token is not valid'].map(challenge),
    );
    expect(refusals()).toEqual([
      { ...common, reason: 'expired', status: 401, problem: 'the token has expired' },
      { ...common, reason: 'token', status: 401, problem: 'the claim tenants is missing' },
      {
        ...common,
        reason: 'token',
        status: 401,
        problem: 'the algorithm is not allowed for the configured key',
      },
    ]);
    for (const text of tokens) expect(served.log()).not.toContain(text);
  });
});

describe('wrong keys', () => {
  test('are slowed down by address; valid keys from there, and other addresses, are not affected', async () => {
    // A request becomes available each second: a slow machine would never use up all of them.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const served = await serveTestApp({ TRUST_PROXY: 'loopback' });
    const send = async (key: string, address: string) => {
      const headers = `Host: a\r\nX-API-KEY: ${key}\r\nX-Forwarded-For: ${address}\r\n`;
      return parseRaw(
        await sendRaw(served.port, `GET ${logs}?project=p HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`),
      );
    };
    const statuses: number[] = [];
    for (let count = 0; count < 63; count += 1) {
      // One /64 counts as one address.
      statuses.push((await send('wrong', `2001:db8:0:1::${count.toString(16)}`)).status);
    }
    expect(statuses.slice(0, 60)).toEqual(Array(60).fill(401));
    expect(statuses.slice(-1)).toEqual([429]);
    const slowed = await send('wrong', '2001:db8:0:1:ffff::1');
    expect(slowed).toMatchObject({ status: 429, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
    expect(JSON.parse(slowed.body)).toMatchObject({
      error: { code: 'RATE_LIMITED', message: expect.stringContaining('wrong keys came from your address') },
    });
    expect((await send(apiKey, '2001:db8:0:1::1')).status).toBe(200);
    expect((await send('wrong', '2001:db8:0:2::1')).status).toBe(401);
    expect((await send('wrong', '192.0.2.1')).status).toBe(401);
    expect(served.log()).toContain('"reason":"unknown","status":429');
    await served.close();
  });
});
