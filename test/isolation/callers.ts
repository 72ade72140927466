import { createHmac } from 'node:crypto';
import { type KeyFile, writeKeyFile } from '../support/key-files.ts';
import { now } from '../support/test-app.ts';
import { endpoints } from './endpoints.ts';
import { isBindable } from './tenant-names.ts';

/** Who asks, and what the oracle knows about it. */
export interface Caller {
  readonly kind: string;
  /** Header lines; a name may occur twice. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** False for callers who must not read anything. */
  readonly isValid: boolean;
  /** The tenants that it may read; undefined: all. */
  readonly tenants?: readonly string[];
  /** The names of the saved queries that it may call; undefined: all. */
  readonly endpoints?: readonly string[];
  /** True if it may be told to come back later. */
  readonly isLimited?: true;
}

const unrestrictedKey = 'a-key-for-tests-only';
const tokenSecret = 'a secret for tests only, of more than 32 bytes';
const audience = 'querygate';
export const tokenSettings = { JWT_SECRET: tokenSecret, JWT_AUDIENCE: audience };

export interface Callers {
  readonly file: KeyFile;
  readonly all: readonly Caller[];
}

/** Callers of every kind for the tenants of a world. */
export function makeCallers(names: readonly string[]): Callers {
  const tenants = names.filter(isBindable);
  const some = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => tenants[(from * 7 + at * 3) % tenants.length] ?? 'abc');
  const past = new Date(now.getTime() - 1000).toISOString();
  const soon = new Date(now.getTime() + 3_600_000).toISOString();
  const few = ['own.by-column', 'usage.api-counts'];
  const entries: Record<string, Parameters<typeof writeKeyFile>[0][string]> = {
    'all tenants': {},
    'all tenants, two endpoints': { endpoints: few },
    ...Object.fromEntries(tenants.map((tenant, at) => [`one tenant ${at}`, { tenants: [tenant] }])),
    ...Object.fromEntries([2, 3, 6].map((count) => [`${count} tenants`, { tenants: some(count, count) }])),
    'one tenant, two endpoints': { tenants: some(1, 1), endpoints: few },
    'two tenants, endpoint by UUID': {
      tenants: some(4, 2),
      endpoints: endpoints.slice(1, 2).map(({ id }) => id),
    },
    'one tenant, SQL': { tenants: some(6, 1), permissions: ['sql'] },
    'two tenants, SQL': { tenants: some(7, 2), permissions: ['sql'] },
    'one tenant, expires later': { tenants: some(2, 1), expires: soon },
    'one tenant, few requests': { tenants: some(3, 1), rate: { requests_per_minute: 30 } },
    'one tenant, one query at once': { tenants: some(5, 1), rate: { concurrent_queries: 1 } },
    expired: { expires: past },
    'expired, one tenant': { tenants: some(1, 1), expires: past },
    revoked: { revoked: past },
    'revoked, one tenant': { tenants: some(2, 1), revoked: past },
  };
  const file = writeKeyFile(entries);
  const nameOf = (address: string) => endpoints.find(({ id }) => id === address)?.name ?? address;
  const ofFile = Object.entries(entries).map(
    ([kind, { tenants: bound, endpoints: limited, rate, expires, revoked }]): Caller => ({
      kind,
      headers: { 'x-api-key': file.keyOf(kind) },
      isValid: expires !== past && revoked === undefined,
      ...(Array.isArray(bound) && { tenants: bound }),
      ...(Array.isArray(limited) && { endpoints: limited.map(nameOf) }),
      ...(rate !== undefined && { isLimited: true }),
    }),
  );
  const key = (kind: string) => file.keyOf(kind);
  const wrong: Caller[] = [
    { kind: 'no key', headers: {}, isValid: false },
    { kind: 'unknown key', headers: { 'x-api-key': `${unrestrictedKey}x` }, isValid: false },
    { kind: 'cut key', headers: { 'x-api-key': key('all tenants').slice(0, -1) }, isValid: false },
    {
      kind: 'two keys',
      headers: { 'x-api-key': key('one tenant 0'), authorization: `Bearer ${key('all tenants')}` },
      isValid: false,
    },
    {
      kind: 'two X-API-KEY',
      headers: { 'x-api-key': [key('one tenant 0'), key('all tenants')] },
      isValid: false,
    },
    {
      kind: 'two Authorization',
      headers: { authorization: [`Bearer ${key('one tenant 0')}`, `Bearer ${key('one tenant 1')}`] },
      isValid: false,
    },
  ];
  return {
    file,
    all: [
      { kind: 'API_KEY', headers: { authorization: `Bearer ${unrestrictedKey}` }, isValid: true },
      ...ofFile,
      ...wrong,
      ...tokenCallers(tenants, few),
    ],
  };
}

/** Callers with tokens; they are signed here, not by the library that verifies them. */
function tokenCallers(tenants: readonly string[], few: readonly string[]): readonly Caller[] {
  const seconds = Math.floor(now.getTime() / 1000);
  const good = { aud: audience, exp: seconds + 3_600, sub: 'user' };
  const pick = (at: number) => tenants[at % tenants.length] ?? 'abc';
  const caller = (kind: string, token: string, facts: Partial<Caller> = {}): Caller => ({
    kind: `token: ${kind}`,
    headers: { authorization: `Bearer ${token}` },
    isValid: true,
    ...facts,
  });
  const refused = (kind: string, token: string) => caller(kind, token, { isValid: false });
  const valid = sign({ ...good, tenants: [pick(0)] });
  const [head = '', payload = '', signature = ''] = valid.split('.');
  const everyone = encode({ ...good, tenants });
  return [
    ...tenants.map((tenant) =>
      caller(`tenant ${tenant}`, sign({ ...good, tenants: [tenant] }), { tenants: [tenant] }),
    ),
    caller('tenant as text', sign({ ...good, tenants: pick(1) }), { tenants: [pick(1)] }),
    caller('two tenants', sign({ ...good, tenants: [pick(2), pick(5)] }), { tenants: [pick(2), pick(5)] }),
    caller('two endpoints', sign({ ...good, tenants: [pick(3)], endpoints: few }), {
      tenants: [pick(3)],
      endpoints: few,
    }),
    refused('no tenants', sign(good)),
    refused('tenants null', sign({ ...good, tenants: null })),
    refused('tenants empty', sign({ ...good, tenants: [] })),
    refused('tenants object', sign({ ...good, tenants: { 0: pick(0), length: 1 } })),
    refused('expired', sign({ ...good, tenants, exp: seconds - 60 })),
    refused('not yet valid', sign({ ...good, tenants, nbf: seconds + 3_000 })),
    refused('other audience', sign({ ...good, tenants, aud: 'other' })),
    refused('other secret', sign({ ...good, tenants }, 'another secret, of more than 32 bytes, too')),
    refused('none', `${encode({ alg: 'none' })}.${everyone}.`),
    refused('none with signature', `${encode({ alg: 'none' })}.${everyone}.${signature}`),
    refused('other payload', `${head}.${everyone}.${signature}`),
    refused('no signature', `${head}.${payload}.`),
    refused('cut', valid.slice(0, -2)),
  ];
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(claims: object, secret = tokenSecret): string {
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
