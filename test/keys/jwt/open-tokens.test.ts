import { createServer, type Server } from 'node:http';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { loadCatalog } from '../../../src/catalog/folder/load-catalog.ts';
import { readConfig } from '../../../src/config.ts';
import { openTokens, type Tokens } from '../../../src/keys/jwt/open-tokens.ts';
import { newLocalRateLimit } from '../../../src/keys/rates/rate-limiter.ts';
import { listen } from '../../support/listen.ts';

const catalog = loadCatalog('queries');
const secret = 'a secret of at least thirty-two bytes';
const start = new Date('2026-03-10T12:00:00Z');
const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
const right = { tenants: ['abc'], sub: 'alice', exp: seconds(start) + 600 };

let now = start;
let opened: { close(): Promise<void> }[] = [];
let logged: string[] = [];
afterEach(async () => {
  now = start;
  logged = [];
  for (const one of opened) await one.close();
  opened = [];
});

async function open(env: Record<string, string>): Promise<Tokens> {
  const { jwt } = readConfig(env);
  if (jwt === undefined) throw new Error('no tokens');
  const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
  const tokens = await openTokens({
    jwt,
    hideEndpoints: 'tenants',
    catalog,
    newRateLimit: newLocalRateLimit,
    log,
    now: () => now,
  });
  opened.push(tokens);
  return tokens;
}

type SigningKey = CryptoKey | Uint8Array;

/** As a backend makes a token; a claim that is undefined is left out. */
type Claims = { readonly [name: string]: unknown };

const sign = (payload: Claims, key: SigningKey = Buffer.from(secret), header: object = {}) =>
  new SignJWT(payload as JWTPayload).setProtectedHeader({ alg: 'HS256', ...header }).sign(key);

const problemOf = async (tokens: Tokens, text: string) => {
  const verified = await tokens.verify(text);
  return 'refusal' in verified ? (verified.refusal.problem ?? verified.refusal.reason) : 'valid';
};

describe('a token that is signed with the secret', () => {
  test('is a principal with what its claims permit', async () => {
    const tokens = await open({ JWT_SECRET: secret });
    const text = await sign({
      ...right,
      endpoints: ['logs.all', 'c41e8b72-93da-4d05-b6f1-5a2e7f80c9d4', 'unknown'],
      rate: { requests_per_minute: 60, concurrent_queries: 2 },
      permissions: ['fresh', 'read:other', 'metrics'],
    });
    expect(tokens.known(text)).toBeUndefined();
    const verified = await tokens.verify(text);
    expect(verified).toMatchObject({
      principal: {
        id: 'jwt:alice@abc',
        tenants: new Set(['abc']),
        permissions: new Set(['fresh']),
        hidesEndpoints: true,
        rateLimiter: { perMinute: 60 },
        concurrencyLimiter: { limit: 2 },
      },
    });
    if (!('principal' in verified)) throw new Error('refused');
    expect(verified.principal.endpoints?.size).toBe(2);
    expect(tokens.known(text)).toBe(verified.principal);
    for (const other of [undefined, '', `${text}x`, text.slice(1), 'eyJ', await sign(right)]) {
      expect(tokens.known(other)).toBeUndefined();
    }
  });

  const corrupted = (text: string) => {
    const [header, payload, signature = ''] = text.split('.');
    return [header, payload, `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`].join('.');
  };
  const refused: [string, string, () => Promise<string> | string][] = [
    [
      'alg none',
      'the algorithm is not allowed for the configured key',
      () => new UnsecuredJWT({ tenants: ['abc'] }).setExpirationTime('1h').encode(),
    ],
    ['another secret', 'the signature is wrong', () => sign(right, Buffer.from(`${secret}!`))],
    ['a changed signature', 'the signature is wrong', async () => corrupted(await sign(right))],
    [
      'a changed payload',
      'the signature is wrong',
      async () => {
        const [header, , signature] = (await sign(right)).split('.');
        const payload = Buffer.from(JSON.stringify({ ...right, tenants: ['other'] })).toString('base64url');
        return [header, payload, signature].join('.');
      },
    ],
    [
      'an expiry that has passed',
      'the token has expired',
      () => sign({ ...right, exp: seconds(start) - 31 }),
    ],
    [
      'a start in the future',
      'the token is not valid yet',
      () => sign({ ...right, nbf: seconds(start) + 31 }),
    ],
    ['no expiry', 'the claim exp is missing or wrong', () => sign({ tenants: ['abc'] })],
    ...[start.getTime() + 600_000, 1e300].map((exp): [string, string, () => Promise<string>] => [
      `the expiry ${exp}, as milliseconds are`,
      'the claim exp is beyond the year 9999: it is in seconds, not in milliseconds',
      () => sign({ ...right, exp }),
    ]),
    ['a wrong expiry', 'the claim exp is missing or wrong', () => sign({ ...right, exp: 'soon' })],
    ['too many characters', 'too long', () => sign({ ...right, more: 'x'.repeat(8_192) })],
    ['no tenants', 'the claim tenants is missing', () => sign({ ...right, tenants: undefined })],
    ['a subject that is no text', 'the claim sub has a wrong value', () => sign({ ...right, sub: {} })],
    ...[null, [], '', 5, true, {}, [5], [''], ['abc', null], 'x'.repeat(201), ['a\nb']].map(
      (tenants): [string, string, () => Promise<string>] => [
        `tenants ${JSON.stringify(tenants).slice(0, 20)}`,
        'the claim tenants has a wrong value',
        () => sign({ ...right, tenants }),
      ],
    ),
    ...[null, [], 5, {}, [5]].map((endpoints): [string, string, () => Promise<string>] => [
      `endpoints ${JSON.stringify(endpoints)}`,
      'the claim endpoints has a wrong value',
      () => sign({ ...right, endpoints }),
    ]),
    ...[null, 0, -1, 'fast', [], { requests: 5 }, { requests_per_minute: '5' }].map(
      (rate): [string, string, () => Promise<string>] => [
        `rate ${JSON.stringify(rate)}`,
        'the claim rate has a wrong value',
        () => sign({ ...right, rate }),
      ],
    ),
    ...[null, 7, {}, [5]].map((permissions): [string, string, () => Promise<string>] => [
      `permissions ${JSON.stringify(permissions)}`,
      'the claim permissions has a wrong value',
      () => sign({ ...right, permissions }),
    ]),
    [
      'an unknown critical header',
      'malformed',
      () =>
        sign(right, undefined, { crit: ['x'], x: 1 }).catch(() =>
          forged({ alg: 'HS256', crit: ['x'], x: 1 }),
        ),
    ],
    ['a header without alg', 'malformed', () => forged({ typ: 'JWT' })],
    ['garbage', 'the signature is wrong', () => 'eyJhbGciOiJIUzI1NiJ9.garbage.garbage'],
    ['two parts', 'malformed', () => 'eyJhbGciOiJIUzI1NiJ9.eyJ9'],
    ['five parts, as an encrypted one', 'malformed', () => 'eyJhbGciOiJkaXIifQ..a.b.c'],
    ['nothing but its beginning', 'malformed', () => 'eyJ.'],
  ];
  const forged = (header: object) =>
    [header, right]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .concat('AAAA')
      .join('.');

  test.each(refused)('is refused with %s', async (_, problem, make) => {
    const tokens = await open({ JWT_SECRET: secret });
    const text = await make();
    expect(await problemOf(tokens, text)).toBe(problem);
    expect(tokens.known(text)).toBeUndefined();
  });

  test('has to be for this audience and from this issuer', async () => {
    const tokens = await open({ JWT_SECRET: secret, JWT_AUDIENCE: 'querygate', JWT_ISSUER: 'us' });
    const more = { ...right, iss: 'us' };
    expect(await problemOf(tokens, await sign({ ...more, aud: 'querygate' }))).toBe('valid');
    expect(await problemOf(tokens, await sign({ ...more, aud: ['other', 'querygate'] }))).toBe('valid');
    expect(await problemOf(tokens, await sign({ ...more, aud: 'other' }))).toBe(
      'the audience is another one',
    );
    expect(await problemOf(tokens, await sign(more))).toBe('the audience is another one');
    for (const iss of ['other', 'US', ['us'], undefined]) {
      const text = await sign({ ...right, iss, aud: 'querygate' });
      expect(await problemOf(tokens, text)).toBe('the issuer is another one');
    }
  });

  test('is valid until it expires, with the clock skew, and no longer when it is remembered', async () => {
    const tokens = await open({ JWT_SECRET: secret });
    const text = await sign(right);
    expect(await problemOf(tokens, text)).toBe('valid');
    now = new Date(start.getTime() + 629_999);
    expect(tokens.known(text)?.id).toBe('jwt:alice@abc');
    now = new Date(start.getTime() + 630_000);
    expect(tokens.known(text)).toBeUndefined();
    expect(await problemOf(tokens, text)).toBe('the token has expired');
    expect(await tokens.verify(text)).toMatchObject({ refusal: { reason: 'expired' } });
  });

  test('may have no tenants if the operator allows it; a wrong claim is refused all the same', async () => {
    const tokens = await open({ JWT_SECRET: secret, JWT_CLAIMS: 'tenants?' });
    const verified = await tokens.verify(await sign({ exp: right.exp }));
    expect(verified).toMatchObject({ principal: { id: 'jwt:@*', tenants: undefined } });
    expect(await problemOf(tokens, await sign({ ...right, tenants: [] }))).toContain('wrong value');
    expect(await problemOf(tokens, await sign({ ...right, tenants: null }))).toContain('wrong value');
  });

  test('has its claims under the configured names and paths', async () => {
    const tokens = await open({
      JWT_SECRET: secret,
      JWT_CLAIMS:
        'tenants=/app_metadata/tenant~1ref, endpoints = https://example.com/endpoints?a=b,rate=limit',
    });
    const text = await sign({
      exp: right.exp,
      tenants: ['other'],
      app_metadata: { 'tenant/ref': 'abc' },
      'https://example.com/endpoints?a=b': 'logs.all',
      limit: 5,
    });
    expect(await tokens.verify(text)).toMatchObject({
      principal: { tenants: new Set(['abc']), endpoints: { size: 1 }, rateLimiter: { perMinute: 5 } },
    });
    expect(await problemOf(tokens, await sign({ ...right, app_metadata: [] }))).toContain('is missing');
  });

  test('names nothing of an object’s prototype', async () => {
    for (const name of ['__proto__', 'constructor', '/app_metadata/toString', '/constructor/name']) {
      const tokens = await open({ JWT_SECRET: secret, JWT_CLAIMS: `tenants=${name}` });
      expect(await problemOf(tokens, await sign({ ...right, app_metadata: {} }))).toContain('is missing');
    }
  });

  test('shares its limits with other tokens of its subject and tenants, and with no others', async () => {
    const tokens = await open({ JWT_SECRET: secret });
    const textOf = (more: Claims) => sign({ ...right, rate: 10, ...more });
    const principalOf = async (more: Claims) => {
      const verified = await tokens.verify(await textOf(more));
      if ('principal' in verified) return verified.principal;
      throw new Error(verified.refusal.problem);
    };
    const first = await principalOf({});
    const second = await principalOf({ jti: 'another', rate: 20 });
    expect(second.rateLimiter).toBe(first.rateLimiter);
    expect(first.rateLimiter?.perMinute).toBe(20);
    expect(tokens.known(await textOf({}))).toBe(first);
    expect(first.rateLimiter?.perMinute).toBe(10);
    const unlimited = await principalOf({ rate: undefined });
    expect([unlimited.id, unlimited.rateLimiter]).toEqual([first.id, undefined]);
    expect((await principalOf({ jti: 'third' })).rateLimiter).toBe(first.rateLimiter);
    const ids = new Set([first.id]);
    for (const more of [
      { sub: 'bob' },
      { tenants: ['abd'] },
      { tenants: ['abc', 'abd'] },
      { tenants: ['a b'] },
      { sub: 'a "quoted"\nname' },
      { sub: 'x'.repeat(1_000) },
      { sub: undefined },
    ]) {
      const other = await principalOf(more);
      expect(other.rateLimiter).not.toBe(first.rateLimiter);
      ids.add(other.id);
    }
    expect(ids.size).toBe(8);
    for (const id of ids) expect(id).toMatch(/^jwt:[\w.@|:+#-]{0,100}$/);
    expect((await principalOf({ tenants: ['abd', 'abc'] })).id).toBe(
      (await principalOf({ tenants: ['abc', 'abd'] })).id,
    );
  });
});

describe('a token that is signed with a private key', () => {
  test.each(['RS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    'by %s is verified with the public one, and no other algorithm is',
    async (alg) => {
      const { publicKey, privateKey } = await generateKeyPair(alg);
      const pem = await exportSPKI(publicKey);
      const tokens = await open({ JWT_PUBLIC_KEY: alg === 'RS256' ? pem.replaceAll('\n', '\\n') : pem });
      expect(await problemOf(tokens, await sign(right, privateKey, { alg }))).toBe('valid');

      // The public key as the secret of an HMAC, in every form in which it is known.
      const notAllowed = 'the algorithm is not allowed for the configured key';
      const der = Buffer.from(pem.replace(/-----.*?-----|\s/g, ''), 'base64');
      for (const key of [pem, pem.trim(), der]) {
        for (const hs of ['HS256', 'HS384', 'HS512']) {
          const bytes = typeof key === 'string' ? Buffer.from(key) : key;
          expect(await problemOf(tokens, await sign(right, bytes, { alg: hs }))).toBe(notAllowed);
        }
      }
      expect(await problemOf(tokens, new UnsecuredJWT(right).encode())).toBe(notAllowed);
      const other = await generateKeyPair(alg);
      expect(await problemOf(tokens, await sign(right, other.privateKey, { alg }))).toBe(
        'the signature is wrong',
      );
    },
  );

  test('is refused where a secret is configured', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const tokens = await open({ JWT_SECRET: secret });
    expect(await problemOf(tokens, await sign(right, privateKey, { alg: 'RS256' }))).toContain('not allowed');
  });
});

describe('a token that is signed with a key of a key set', () => {
  /** A server for the key set of a test. */
  async function serveKeySet(initial: () => string) {
    const state = { body: initial, status: 200, count: 0, location: '' };
    const server: Server = createServer((_, response) => {
      state.count += 1;
      response.writeHead(state.status, state.location === '' ? {} : { location: state.location });
      response.end(state.body());
    });
    const url = `http://127.0.0.1:${await listen(server)}/jwks.json`;
    opened.push({
      async close() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    });
    return { state, url };
  }
  const makeKey = async (kid: string, alg = 'ES256') => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const jwk: JWK = { ...(await exportJWK(publicKey)), kid, alg };
    return { jwk, privateKey, header: { alg, kid } };
  };
  const env = (url: string) => ({ JWT_JWKS_URL: url, JWT_ISSUER: 'us', JWT_AUDIENCE: 'querygate' });
  const claims = { ...right, iss: 'us', aud: 'querygate' };
  const setOf = (...keys: readonly { jwk: JWK }[]) => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });

  test('is verified; an unknown key is refused, and makes the set be fetched at most once in a while', async () => {
    const [one, two] = [await makeKey('one'), await makeKey('two', 'RS256')];
    const { state, url } = await serveKeySet(() => setOf(one, two));
    const tokens = await open(env(url));
    for (const key of [one, two]) {
      expect(await problemOf(tokens, await sign(claims, key.privateKey, key.header))).toBe('valid');
    }
    const other = await makeKey('other');
    for (let count = 0; count < 50; count += 1) {
      const header = { ...other.header, kid: `other${count}` };
      expect(await problemOf(tokens, await sign(claims, other.privateKey, header))).toBe(
        'the signing key is not known',
      );
    }
    expect(state.count).toBe(1);
    // The right id with another key.
    expect(await problemOf(tokens, await sign(claims, other.privateKey, one.header))).toBe(
      'the signature is wrong',
    );
    const hs = await sign(claims, Buffer.from(JSON.stringify(one.jwk)), { alg: 'HS256', kid: 'one' });
    expect(await problemOf(tokens, hs)).toContain('not allowed');
  });

  test('need not name its key', async () => {
    const keys = [await makeKey('one'), await makeKey('two'), await makeKey('three')];
    const { url } = await serveKeySet(() => setOf(...keys));
    const tokens = await open(env(url));
    for (const { privateKey } of keys) {
      expect(await problemOf(tokens, await sign(claims, privateKey, { alg: 'ES256' }))).toBe('valid');
    }
    const { privateKey } = await makeKey('other');
    expect(await problemOf(tokens, await sign(claims, privateKey, { alg: 'ES256' }))).toBe(
      'the signature is wrong',
    );
  });

  test('stays valid while the set cannot be fetched, and is verified again when the keys have changed', async () => {
    const [one, two] = [await makeKey('one'), await makeKey('two')];
    const { state, url } = await serveKeySet(() => setOf(one));
    const tokens = await open(env(url));
    const [first, second] = [
      await sign(claims, one.privateKey, one.header),
      await sign(claims, two.privateKey, two.header),
    ];
    // Keys that arrive during a verification make the next one necessary.
    for (const _ of [1, 2]) expect(await problemOf(tokens, first)).toBe('valid');
    const realNow = performance.now.bind(performance);
    let later = 0;
    performance.now = () => realNow() + later;
    try {
      const wrong = [
        () => void Object.assign(state, { status: 500 }),
        () => void Object.assign(state, { status: 200, body: () => '{' }),
        () => void Object.assign(state, { body: () => '{"keys": []}' }),
        () => void Object.assign(state, { body: () => `{"keys": [], "more": "${'x'.repeat(300_000)}"}` }),
        () =>
          void Object.assign(state, {
            body: () => '{"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "two", "alg": "HS256"}]}',
          }),
        () => void Object.assign(state, { status: 302, location: url }),
      ];
      for (const [at, change] of wrong.entries()) {
        change();
        later += 11_000;
        expect(await problemOf(tokens, second), String(at)).toBe('the signing key is not known');
        expect(state.count, String(at)).toBe(at + 2);
        expect(tokens.known(first)?.id).toBe('jwt:alice@abc');
        expect(await problemOf(tokens, first)).toBe('valid');
      }
      expect(logged.join('').match(/the key set cannot be fetched/g)).toHaveLength(1);

      // Rotated: the new key is fetched when a token names it, and the old one is not valid any more.
      Object.assign(state, { status: 200, location: '', body: () => setOf(two) });
      later += 11_000;
      expect(await problemOf(tokens, second)).toBe('valid');
      expect(tokens.known(first)).toBeUndefined();
      later += 11_000;
      expect(await problemOf(tokens, first)).toBe('the signing key is not known');
    } finally {
      performance.now = realNow;
    }
  });

  test('is refused while the set could not be fetched yet, without waiting for long', async () => {
    const one = await makeKey('one');
    const tokens = await open(env('http://127.0.0.1:9/jwks.json'));
    expect(await problemOf(tokens, await sign(claims, one.privateKey, one.header))).toBe(
      'the signing key is not known',
    );
    expect(logged.join('')).toContain('the key set cannot be fetched');
  });
});

describe('the settings of tokens', () => {
  const problems = (env: Record<string, string>) => {
    try {
      readConfig(env);
      return '';
    } catch (error) {
      return String(error);
    }
  };

  test('name exactly one source of keys', () => {
    expect(readConfig({}).jwt).toBeUndefined();
    expect(problems({ JWT_SECRET: secret, JWT_JWKS_URL: 'https://id.example.com/jwks' })).toContain(
      'JWT_JWKS_URL, JWT_SECRET: set only one of them',
    );
    expect(problems({ JWT_AUDIENCE: 'a' })).toContain(
      'JWT_AUDIENCE: has no effect without one of JWT_JWKS_URL',
    );
    expect(problems({ JWT_JWKS_URL: 'https://id.example.com/jwks' })).toMatch(
      /JWT_ISSUER: is missing; .*\n.*JWT_AUDIENCE: is missing/,
    );
  });

  test.each([
    ['JWT_JWKS_URL', 'http://id.example.com/jwks', 'must be an https URL'],
    ['JWT_JWKS_URL', 'https://user:password@id.example.com/jwks', 'must be an https URL'],
    ['JWT_JWKS_URL', 'file:///etc/passwd', 'must be an https URL'],
    ['JWT_SECRET', 'guessable', 'must have at least 32 bytes'],
    ['JWT_PUBLIC_KEY', 'x', 'must be a public key in PEM'],
    ['JWT_CLAIMS', 'rate?=limit', 'tenants? lets tokens without tenants read all'],
  ])('%s=%s is refused', (name, value, message) => {
    const text = problems({ [name]: value });
    expect(text).toContain(`${name}: `);
    expect(text).toContain(message);
    if (['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWT_JWKS_URL'].includes(name)) expect(text).not.toContain(value);
  });

  test('take no private key, and no weak one', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const spki = { type: 'spki', format: 'pem' } as const;
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
    expect(problems({ JWT_PUBLIC_KEY: String(weak.publicKey.export(spki)) })).toContain('2048 bits or more');
    const curve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    expect(problems({ JWT_PUBLIC_KEY: String(curve.publicKey.export(spki)) })).toContain(
      'P-256, P-384 or P-521',
    );
    const pem = String(weak.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const text = problems({ JWT_PUBLIC_KEY: pem });
    expect(text).toContain('is a private key; give the public one');
    expect(text).not.toContain(pem.split('\n')[1]);
  });
});
