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
import { fakeClock } from '../support/fake-clock.ts';
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
    engine: duckdb({ storeFile: ':memory:', threads: 1, isolate: false }),
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

test('what a function decided by a cookie is not kept for the next user of a browser', async () => {
  const bySession: KeyFunction = ({ headers }) =>
    headers.cookie === undefined ? undefined : { id: headers.cookie };
  const own = 'a-key-for-tests-only';
  const read = (headers: Record<string, string>) =>
    gateway.fetch(new Request('http://gateway.test/api/endpoints/query/a', { headers }));
  await open([bySession]);
  const first = await read({ cookie: 'x' });
  expect(first.headers.get('cache-control')).toBe('private, no-cache');
  expect(first.headers.get('vary')).toBe('X-API-KEY, Authorization, Accept-Encoding, Accept, Cookie');
  const again = await read({ cookie: 'x', 'if-none-match': first.headers.get('etag') ?? '' });
  expect(again.status).toBe(304);
  expect(again.headers.get('cache-control')).toBe('private, no-cache');
  await gateway.close();
  await open([apiKey(own)]);
  const ofKey = await read({ 'x-api-key': own });
  expect(ofKey.headers.get('cache-control')).toMatch(/^private, max-age=/);
  expect(ofKey.headers.get('vary')).not.toContain('Cookie');
});

const requests = () => lines.filter(({ msg }) => msg === 'request');
const errors = () => lines.filter(({ level }) => Number(level) >= 50);

/** A caller with a getter and a private field. */
class Session {
  readonly id = 'alice';
  readonly #teams: readonly string[];

  constructor(teams: readonly string[]) {
    this.#teams = teams;
  }

  get tenants(): readonly string[] {
    return this.#teams;
  }

  /** Of the program: it restricts nothing. */
  get teams(): readonly string[] {
    return this.#teams;
  }
}

class Misspelled {
  readonly id = 'alice';

  get tenant(): readonly string[] {
    return ['x'];
  }
}

const undefinedTenants = {
  get tenants() {
    return undefined;
  },
};

const own = (members: Record<string, unknown>) => Object.getOwnPropertyDescriptors(members);

/** The same list, as an array whose first element is computed. */
function computedList(tenants: readonly string[]): readonly string[] {
  const list = [...tenants];
  return Object.defineProperty(list, 0, { get: () => tenants[0], enumerable: true });
}

/** As `computedList`, for an array that is changed once it was given. */
const reused: string[] = [];

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
    ['gives a misspelled property of a class', () => new Misspelled() as Caller],
    ['gives a date as its id', () => ({ id: new Date(0) }) as unknown as Caller],
    ['gives a text object as its id', () => ({ id: Object('a') }) as unknown as Caller],
    ['gives a set of tenants', () => ({ id: 'a', tenants: new Set(['x']) }) as unknown as Caller],
    ['gives a list of objects', () => ({ id: 'a', tenants: [{ toJSON: () => 'x' }] }) as unknown as Caller],
    ['gives a rate that is no number', () => ({ id: 'a', requestsPerMinute: Number.NaN })],
    ['gives a getter that is undefined', () => Object.create(undefinedTenants, own({ id: 'a' })) as Caller],
    ['gives an empty list', () => ({ id: 'a', endpoints: [] })],
  ])('that %s is logged, and answered with 500', async (_, keys) => {
    await open(keys);
    expect(await get('a')).toMatchObject({ status: 500, code: 'INTERNAL', message: 'Internal error' });
    expect(errors()).toEqual([expect.objectContaining({ msg: 'the function of keys has failed' })]);
  });

  test('alone are answered for unknown callers without advice on API keys, with one beside them with it', async () => {
    const unknown: KeyFunction = () => undefined;
    const known = 'The request is not one of a known caller; send credentials that this service knows';
    for (const keys of [unknown, [unknown, async () => undefined]]) {
      await open(keys);
      for (const headers of [{}, { 'x-api-key': 'abc' }, { authorization: 'Bearer abc' }])
        expect(await get('a', headers)).toEqual({ status: 401, code: 'UNAUTHENTICATED', message: known });
      await gateway.close();
    }
    await open([unknown, apiKey('a-key-of-the-test')]);
    expect((await get('a')).message).toMatch(/^No key was sent; send one valid API key/);
  });

  test('that never answer end the request after 30 s', async () => {
    const clock = fakeClock();
    await open(() => new Promise(() => {}), { after: clock.after });
    const waiting = get('a');
    await expect.poll(() => clock.timers()).toBeGreaterThan(0);
    await clock.pass(30_000);
    expect(await waiting).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(errors()).toEqual([
      expect.objectContaining({
        err: expect.objectContaining({ message: 'no source of keys has answered in time' }),
      }),
    ]);
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

  test('enforce an earlier limit again, once the function gives it again', async () => {
    const limits = [3, 10, 3, 3];
    await open(() => ({ id: 'alice', requestsPerMinute: limits.shift() ?? 3 }));
    const statuses: number[] = [];
    while (limits.length > 0) statuses.push((await get('a')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
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

  test.each<[string, (tenants: readonly string[]) => Caller]>([
    ['a plain object', (tenants) => ({ id: 'alice', tenants })],
    ['a class with a getter', (tenants) => new Session(tenants)],
    ['a subclass', (tenants) => new (class extends Session {})(tenants)],
    ['an object with a prototype', (tenants) => Object.create({ tenants }, own({ id: 'alice' }))],
    ['an object without a prototype', (tenants) => Object.create(null, own({ id: 'alice', tenants }))],
    [
      'a property that is not listed',
      (tenants) => Object.defineProperty({ id: 'alice' }, 'tenants', { value: tenants }),
    ],
    [
      'a method toJSON that leaves it out',
      (tenants) => Object.create({ toJSON: () => ({ id: 'alice' }) }, own({ id: 'alice', tenants })),
    ],
    [
      'a proxy',
      (tenants) =>
        new Proxy<Caller>(
          { id: 'alice' },
          {
            get: (target, name) => (name === 'tenants' ? tenants : Reflect.get(target, name)),
          },
        ),
    ],
    [
      'a list with a toJSON of its own',
      (tenants) => ({ id: 'alice', tenants: Object.assign([...tenants], { toJSON: () => [] }) }),
    ],
    ['a list whose elements are computed', (tenants) => ({ id: 'alice', tenants: computedList(tenants) })],
    [
      'a list that is changed later',
      (tenants) => {
        reused.splice(0, reused.length, ...tenants);
        return { id: 'alice', tenants: reused };
      },
    ],
    [
      'a getter that gives something else the next time',
      (tenants) => {
        let isRead = false;
        return {
          id: 'alice',
          get tenants() {
            const given = isRead ? ['other'] : tenants;
            isRead = true;
            return given;
          },
        };
      },
    ],
  ])('permit exactly the tenants that were given, of %s', async (_, callerOf) => {
    await open(({ headers }) => callerOf((headers['x-teams'] ?? '').split(',')));
    const ask = async (teams: string, team: string) =>
      (await get(`of-tenant?team=${team}`, { 'x-teams': teams })).status;
    for (let round = 0; round < 2; round += 1) {
      expect(await ask('x', 'x')).toBe(200);
      expect(await ask('y', 'x')).toBe(403);
      expect(await ask('y', 'y')).toBe(200);
      expect(await ask('x,y', 'y')).toBe(200);
      expect(await ask('x', 'y')).toBe(403);
    }
    expect(errors()).toEqual([]);
  });

  test('refuse an id that is not a text, although a caller with the same JSON came before', async () => {
    const id = new Date(0);
    await open(({ headers }) => ({ id: headers['x-user'] === undefined ? id.toJSON() : id }) as Caller);
    expect((await get('a')).status).toBe(200);
    expect((await get('a', { 'x-user': '1' })).status).toBe(500);
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
    // One more is answered each second.
    const at = new Date();
    await open(keyFile(file.path, { acceptsCutFile: true }), { now: () => at });
    const statuses: number[] = [];
    for (let at = 0; at < 100; at += 1) statuses.push((await get('a', wrong(at), '192.0.2.7')).status);
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await get('a', { 'x-api-key': file.keyOf('free') }, '192.0.2.7')).status).toBe(200);
    expect((await get('a', { 'x-api-key': 'one, other' }, '192.0.2.7')).status).toBe(401);
    expect((await get('a', wrong(0), '192.0.2.8')).status).toBe(401);
    expect((await get('a', wrong(0))).status).toBe(401);
  });

  test('the log says once that a server gives none', async () => {
    await open(keyFile(file.path, { acceptsCutFile: true }));
    for (let at = 0; at < 3; at += 1) await get('a', wrong(at));
    expect(lines.filter(({ msg }) => String(msg).startsWith('the server does not say'))).toHaveLength(1);
  });
});
