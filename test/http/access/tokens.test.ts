import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KeyFile, writeKeyFile } from '../../support/key-files.ts';
import { ago, now, openTestApp, type TestApp } from '../../support/test-app.ts';

const secret = 'a secret of at least thirty-two bytes';
const tenants = ['abc', 'abcd', 'xabc', 'other', '.*', 'a|b'];

/** A token as a backend makes it. */
const tokenOf = (claims: Record<string, unknown>) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('alice')
    .setAudience('querygate')
    .setExpirationTime(new Date(now.getTime() + 900_000))
    .sign(new TextEncoder().encode(secret));

const rowOf = (project: string) => ({
  id: `row of ${project}.`,
  timestamp: ago({ minutes: 1 }),
  project,
  event_message: `row of ${project}.`,
  metadata: [{ request: [{ url: `https://${project}.example.co/rest/v1`, path: '/rest/v1' }] }],
});

describe('a token for one tenant', () => {
  let app: TestApp;
  let file: KeyFile;
  let token: string;
  beforeAll(async () => {
    file = writeKeyFile({ key: { tenants: ['other'] } });
    app = await openTestApp(
      { edge_logs: tenants.map(rowOf) },
      { JWT_SECRET: secret, JWT_AUDIENCE: 'querygate', API_KEYS_FILE: file.path },
    );
    token = await tokenOf({ tenants: ['abc'] });
  });
  afterAll(async () => {
    await app.close();
    file.remove();
  });

  const rest = async (text: string, name: string, parameters: Record<string, string>) => {
    const headers = { authorization: `Bearer ${text}` };
    const response = await app.fetch(`/api/endpoints/query/${name}?${new URLSearchParams(parameters)}`, {
      headers,
    });
    return { status: response.status, text: await response.text() };
  };
  const graphql = async (text: string, query: string) => {
    const response = await app.fetch('/graphql', {
      method: 'POST',
      headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return { status: response.status, text: await response.text() };
  };

  test('reads that tenant by REST and GraphQL, the first time and again', async () => {
    for (let round = 0; round < 3; round += 1) {
      const one = await rest(token, 'logs.all', { project: 'abc' });
      expect(one.status).toBe(200);
      expect(JSON.parse(one.text).result).toMatchObject([{ event_message: 'row of abc.' }]);
      const two = await graphql(token, '{ logsAll(project: "abc") { rows { eventMessage } } }');
      expect(JSON.parse(two.text)).toEqual({
        data: { logsAll: { rows: [{ eventMessage: 'row of abc.' }] } },
      });
    }
  });

  test('reads nothing else', async () => {
    const strangers = [...tenants, '', 'ABC', 'abc ', '^abc', '(?i)abc'].filter((one) => one !== 'abc');
    for (const project of strangers) {
      for (const name of ['logs.all', 'usage.api-counts', 'functions.invocation-stats']) {
        const { status, text } = await rest(token, name, { project, interval: 'hourly' });
        expect(status, `${name} ${project}`).toBe(403);
        expect(text).not.toContain('row of');
      }
      const field = `(project: ${JSON.stringify(project)})`;
      const { text } = await graphql(
        token,
        `{ own: logsAll(project: "abc") { rows { id } } logsAll${field} { rows { id } } functionsInvocationStats${field} { rowCount } }`,
      );
      expect(JSON.parse(text)).toMatchObject({
        data: { own: { rows: [{ id: 'row of abc.' }] }, logsAll: null, functionsInvocationStats: null },
        errors: [{ extensions: { code: 'FORBIDDEN' } }, { extensions: { code: 'FORBIDDEN' } }],
      });
    }
    const sql = await graphql(token, '{ endpoints { name query } }');
    expect(sql.text).not.toMatch(/select/i);
  });

  test('works beside keys, but not together with another one', async () => {
    const key = file.keyOf('key');
    const send = (headers: Record<string, string>, project: string) =>
      app.fetch(`/api/endpoints/query/logs.all?project=${project}`, { headers });
    expect((await send({ 'x-api-key': key }, 'other')).status).toBe(200);
    expect((await send({ 'x-api-key': key, authorization: `Bearer ${token}` }, 'other')).status).toBe(401);
    expect((await send({ authorization: `Bearer ${token}, Bearer ${token}` }, 'abc')).status).toBe(401);
    expect((await send({ authorization: `Basic ${token}` }, 'abc')).status).toBe(401);
  });

  test('that is not valid gets what every wrong token gets, whatever is wrong with it', async () => {
    const answer = async (authorization?: string) => {
      const headers = { 'x-request-id': 'one', ...(authorization !== undefined && { authorization }) };
      const response = await app.fetch('/api/endpoints/query/logs.all?project=abc', { headers });
      return [response.status, [...response.headers], await response.text()];
    };
    const expected = await answer(`Bearer ${token}y`);
    expect(expected[0]).toBe(401);
    const wrong = [
      `${token}x`,
      'eyJhbGciOiJub25lIn0.eyJ0ZW5hbnRzIjpbImFiYyJdfQ.',
      await tokenOf({}),
      await tokenOf({ tenants: [] }),
    ];
    for (const text of wrong) expect(await answer(`Bearer ${text}`)).toEqual(expected);
    const noToken = 'eyJ'.repeat(3_000);
    expect(await answer(`Bearer ${noToken}`)).toEqual(await answer('Bearer wrong'));
  });

  test('has its endpoints, its rate and its permissions', async () => {
    const narrow = await tokenOf({ tenants: ['abc'], endpoints: ['logs.all'], rate: 3, sub: 'bob' });
    expect((await rest(narrow, 'logs.all', { project: 'abc' })).status).toBe(200);
    const hidden = await rest(narrow, 'usage.api-counts', { project: 'abc', interval: 'hourly' });
    expect([hidden.status, hidden.text]).toEqual([404, (await rest(narrow, 'nope', {})).text]);
    // Another token of the same subject has no rate of its own.
    const again = await tokenOf({ tenants: ['abc'], endpoints: ['logs.all'], rate: 3, sub: 'bob', jti: '2' });
    expect((await rest(again, 'logs.all', { project: 'abc' })).status).toBe(429);
    expect((await rest(token, 'logs.all', { project: 'abc' })).status).toBe(200);
    const reader = await tokenOf({ tenants: ['abc'], permissions: ['catalog'] });
    expect((await graphql(reader, '{ endpoints { query } }')).text).toMatch(/select/i);
  });

  test('is refused in a URL', async () => {
    const response = await app.fetch(`/api/endpoints/query/logs.all?project=abc&t=${token}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(400);
  });
});
