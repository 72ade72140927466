import { runInNewContext } from 'node:vm';
import { SignJWT } from 'jose';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { duckdb } from '../../src/engines/duckdb/duckdb.ts';
import { GatewayError } from '../../src/errors.ts';
import { createGateway, type Gateway } from '../../src/gateway/create-gateway.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import { apiKey } from '../../src/keys/sources/api-key.ts';
import { jwt } from '../../src/keys/sources/jwt.ts';
import { keyFile } from '../../src/keys/sources/key-file.ts';
import type { Caller, KeyFunction } from '../../src/keys/sources/key-function.ts';
import { type KeyFile, writeKeyFile } from '../support/key-files.ts';
import { makeQueryFolder, type QueryFolder, queryText, uuidOf } from '../support/query-folder.ts';

let folder: QueryFolder;
let gateway: Gateway;
let lines: Record<string, unknown>[];

beforeEach(() => {
  lines = [];
  folder = makeQueryFolder({
    'tables/t.json': '[{ "name": "team", "type": "STRING" }]',
    'a.sql': queryText({ id: uuidOf(1) }),
    'b.sql': queryText({ id: uuidOf(2), sql: 'SELECT 2 AS n' }),
    'of-tenant.sql': queryText({
      id: uuidOf(3),
      sql: 'SELECT COUNT(*) AS n FROM t WHERE team = @team',
      header: 'parameters:\n  team: { type: string, required: true, tenant: true, description: a team }\n',
    }),
  });
});
afterEach(async () => {
  await gateway?.close();
  folder.close();
});

async function open(keys: GatewayOptions['keys'], more: Partial<GatewayOptions> = {}): Promise<void> {
  gateway = await createGateway({
    queries: folder.folder,
    engine: duckdb({ storeFile: ':memory:', threads: 1 }),
    keys,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    ...more,
  });
}

async function get(
  path: string,
  headers: Record<string, string> = {},
  address?: string,
): Promise<{ readonly status: number; readonly code?: string; readonly message?: string }> {
  const request = new Request(`http://gateway.test/api/endpoints/query/${path}`, { headers });
  const response = await gateway.fetch(request, address === undefined ? undefined : { address });
  const { error } = (await response.json()) as { error?: { code: string; message: string } };
  return { status: response.status, ...error };
}

const requests = () => lines.filter(({ msg }) => msg === 'request');
const errors = () => lines.filter(({ level }) => Number(level) >= 50);

describe('keys as a function of the request', () => {
  test('get method, URL, headers and address, and say what a caller may do', async () => {
    const seen: unknown[] = [];
    await open((request) => {
      seen.push({ ...request, headers: request.headers['x-user'] });
      return { id: 'alice', endpoints: ['b', uuidOf(3)], tenants: ['x'] };
    });
    expect(await get('of-tenant?team=x', { 'X-User': 'alice' }, '192.0.2.1')).toEqual({ status: 200 });
    expect(seen).toEqual([
      {
        method: 'GET',
        url: 'http://gateway.test/api/endpoints/query/of-tenant?team=x',
        headers: 'alice',
        address: '192.0.2.1',
      },
    ]);
    for (const name of ['a', 'b', 'no.such']) expect((await get(name)).code).toBe('UNKNOWN_QUERY');
    expect((await get('of-tenant?team=y')).code).toBe('FORBIDDEN');
    expect(requests().map(({ key }) => key)).toEqual(Array(5).fill('alice'));
  });

  test('refuse by returning undefined, at once or later', async () => {
    await open(() => undefined);
    expect(await get('a')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    await gateway.close();
    await open(async () => undefined);
    expect(await get('a')).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(errors()).toEqual([]);
  });

  test('may give a promise, also one of another realm', async () => {
    const later = async (): Promise<Caller> => ({ id: 'bob' });
    const foreign = runInNewContext("(async () => ({ id: 'bob' }))") as () => Promise<Caller>;
    for (const keys of [later, foreign]) {
      await open(keys);
      expect((await get('a')).status).toBe(200);
      await gateway.close();
    }
    expect(requests().map(({ key }) => key)).toEqual(['bob', 'bob']);
  });

  test('refuse in another way by a GatewayError, at once or later', async () => {
    const fail = () => {
      throw new GatewayError('FORBIDDEN', 'Your account is closed');
    };
    for (const keys of [fail, async () => fail()]) {
      await open(keys);
      expect(await get('a')).toEqual({ status: 403, code: 'FORBIDDEN', message: 'Your account is closed' });
      await gateway.close();
    }
  });

  test.each<[string, KeyFunction]>([
    ['throws', () => JSON.parse('{')],
    ['rejects', async () => JSON.parse('{')],
    ['gives null', () => null as unknown as Caller],
    ['gives a caller without an id', () => ({}) as Caller],
    ['gives a property that is undefined', () => ({ id: 'a', tenants: undefined }) as unknown as Caller],
    ['gives an unknown property', async () => ({ id: 'a', tenant: 'x' }) as Caller],
    ['gives an empty list', () => ({ id: 'a', endpoints: [] })],
  ])('that %s is logged, and answered with 500', async (_, keys) => {
    await open(keys);
    expect(await get('a')).toMatchObject({ status: 500, code: 'INTERNAL', message: 'Internal error' });
    expect(errors()).toHaveLength(1);
  });

  test('keep the state of the limits of a caller, whatever else changes', async () => {
    let at = 0;
    await open(() => {
      at += 1;
      return { id: 'alice', name: `Alice ${at}`, requestsPerMinute: 2 };
    });
    expect((await get('a')).status).toBe(200);
    expect((await get('a')).status).toBe(200);
    expect(await get('a')).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  });

  test('name callers in the log, once each', async () => {
    await open(({ headers }) => ({ id: headers['x-user'] ?? '', name: `User ${headers['x-user']}` }));
    for (const user of ['1', '2', '1', 'a long id that has spaces'])
      expect((await get('a', { 'x-user': user })).status).toBe(200);
    const named = lines.filter(({ name }) => name !== undefined).map(({ key, name }) => [key, name]);
    expect(named).toEqual([
      ['1', 'User 1'],
      ['2', 'User 2'],
      [expect.stringMatching(/^#[0-9a-f]{16}$/), 'User a long id that has spaces'],
    ]);
    expect(requests().at(-1)?.key).toBe(named.at(-1)?.[0]);
  });

  test('find endpoints in another version of the catalog', async () => {
    await open(() => ({ id: 'alice', endpoints: ['c'] }));
    expect((await get('a')).status).toBe(403);
    folder.write('c.sql', queryText({ id: uuidOf(4) }));
    gateway.reload();
    await expect.poll(async () => (await get('c')).status, { timeout: 60_000 }).toBe(200);
  });
});

describe('several sources of keys', () => {
  const secret = 'a secret of at least thirty-two bytes';
  const own = 'a-key-for-tests-only';
  let file: KeyFile;
  beforeEach(() => {
    file = writeKeyFile({ ofFile: { endpoints: ['a'] } });
  });
  afterEach(() => file.remove());

  const token = (claims: Record<string, unknown>, by = secret) =>
    new SignJWT({ tenants: ['x'], ...claims })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('from-token')
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(by));

  test('the first that knows a request decides, whatever the order of requests', async () => {
    const bySession: KeyFunction = async ({ headers }) =>
      headers.cookie === 'session=1' ? { id: 'from-session', endpoints: ['b'] } : undefined;
    await open([keyFile(file.path, { acceptsCutFile: true }), jwt({ secret }), bySession, apiKey(own)]);
    const ofFile = { 'x-api-key': file.keyOf('ofFile') };
    const ofToken = { authorization: `Bearer ${await token({})}` };
    const session = { cookie: 'session=1' };
    for (let round = 0; round < 2; round += 1) {
      expect((await get('a', ofFile)).status).toBe(200);
      expect((await get('b', { ...ofFile, ...session })).status).toBe(403);
      expect((await get('of-tenant?team=y', { ...ofToken, ...session })).status).toBe(403);
      expect((await get('b', session)).status).toBe(200);
      expect((await get('a', { 'x-api-key': own })).status).toBe(200);
      expect((await get('a', { 'x-api-key': own, ...session })).status).not.toBe(200);
      expect((await get('a', { 'x-api-key': 'wrong' })).status).toBe(401);
      expect((await get('a')).status).toBe(401);
    }
    const wrongToken = { authorization: `Bearer ${await token({}, secret.toUpperCase())}` };
    expect((await get('a', wrongToken)).status).toBe(401);
    const ids = [...new Set(requests().map(({ key }) => key))];
    expect(ids).toEqual([
      file.idOf('ofFile'),
      expect.stringContaining('from-token'),
      'from-session',
      'API_KEY',
      undefined,
    ]);
  });

  test('none is an error', async () => {
    await expect(open([])).rejects.toThrow('keys: is empty');
    await open(apiKey(own));
  });
});

describe('addresses of callers by fetch', () => {
  let file: KeyFile;
  beforeEach(() => {
    file = writeKeyFile({ bound: { allow: ['192.0.2.0/24'] }, free: {} });
  });
  afterEach(() => file.remove());
  const wrong = (at: number) => ({ 'x-api-key': `wrong-${at}` });

  test('a key that is bound to addresses is accepted from these only', async () => {
    await open(keyFile(file.path, { acceptsCutFile: true }));
    const key = { 'x-api-key': file.keyOf('bound') };
    expect((await get('a', key, '192.0.2.7')).status).toBe(200);
    expect((await get('a', key, '198.51.100.7')).status).toBe(401);
    expect((await get('a', key)).status).toBe(401);
    // Without trusted proxies the header says nothing.
    expect((await get('a', { ...key, 'x-forwarded-for': '192.0.2.7' }, '10.0.0.1')).status).toBe(401);
  });

  test('a trusted proxy names the address', async () => {
    await open(keyFile(file.path, { acceptsCutFile: true }), { trustedProxies: ['private'] });
    const key = { 'x-api-key': file.keyOf('bound') };
    expect((await get('a', { ...key, 'x-forwarded-for': '192.0.2.7' }, '10.0.0.1')).status).toBe(200);
    expect((await get('a', { ...key, 'x-forwarded-for': '198.51.100.7' }, '10.0.0.1')).status).toBe(401);
    expect((await get('a', { ...key, 'x-forwarded-for': '192.0.2.7' }, '198.51.100.7')).status).toBe(401);
  });

  test('wrong keys of one address are slowed down, and nothing else', async () => {
    await open(keyFile(file.path, { acceptsCutFile: true }));
    const statuses: number[] = [];
    for (let at = 0; at < 100; at += 1) statuses.push((await get('a', wrong(at), '192.0.2.7')).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await get('a', { 'x-api-key': file.keyOf('free') }, '192.0.2.7')).status).toBe(200);
    expect((await get('a', wrong(0), '192.0.2.8')).status).toBe(401);
    expect((await get('a', wrong(0))).status).toBe(401);
  });

  test('the log says once that a server gives none', async () => {
    await open(keyFile(file.path, { acceptsCutFile: true }));
    for (let at = 0; at < 3; at += 1) await get('a', wrong(at));
    expect(lines.filter(({ msg }) => String(msg).startsWith('the server does not say'))).toHaveLength(1);
  });
});
