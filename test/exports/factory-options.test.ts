import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { StartError } from '../../src/errors.ts';
import { bigquery } from '../../src/exports/bigquery-engine.ts';
import { duckdb } from '../../src/exports/duckdb-engine.ts';
import { jwt, keyFile } from '../../src/exports/keys.ts';
import { openServer } from '../../src/exports/node.ts';
import {
  deprecation,
  graphiql,
  logflare,
  mcp,
  metrics,
  openapi,
  pages,
  shadow,
} from '../../src/exports/plugins.ts';
import { redis } from '../../src/exports/redis.ts';

/** As from JavaScript: no compiler looks at the options. */
type Untyped = (options?: unknown) => unknown;

interface Factory {
  readonly make: Untyped;
  /** Right options, without which it does nothing. */
  readonly base?: Readonly<Record<string, unknown>>;
  /** Values of a wrong kind, by the names of all options. */
  readonly wrong: Readonly<Record<string, unknown>>;
}

const secret = 'not-to-be-shown-in-any-message-of-ours';

const factories: Readonly<Record<string, Factory>> = {
  duckdb: {
    make: duckdb as Untyped,
    wrong: {
      dataDir: 1,
      storeFile: true,
      demoDir: ['demo'],
      demoCacheDir: 1,
      refreshSeconds: '5s',
      retentionDays: '30',
      memoryLimit: 512,
      threads: '4',
      isolate: 'on',
      sandbox: '256MB',
    },
  },
  bigquery: {
    make: bigquery as Untyped,
    base: { projectId: 'project', dataset: 'logs' },
    wrong: {
      projectId: 1,
      dataset: '',
      location: ['EU'],
      apiEndpoint: 9050,
      maximumBytesBilled: '1GB',
      startCheck: true,
      definitions: 'kept',
    },
  },
  jwt: {
    make: jwt as Untyped,
    base: { secret },
    wrong: {
      jwksUrl: new URL('https://id.example.com'),
      publicKey: Buffer.from(secret),
      secret: Buffer.from(secret),
      issuer: 1,
      audience: ['querygate'],
      claims: secret,
      allowsWithoutTenants: 'allow',
    },
  },
  keyFile: {
    make: ((options: object) => keyFile('keys.yaml', options)) as Untyped,
    wrong: { acceptsCutFile: 'yes' },
  },
  redis: {
    make: redis as Untyped,
    base: { url: 'redis://127.0.0.1:6379' },
    wrong: { url: new URL('redis://127.0.0.1:6379'), secret: Buffer.from(secret) },
  },
  'the server': {
    make: ((options: Parameters<typeof openServer>[1]) => openServer(() => {}, options)) as Untyped,
    base: { log: pino({ enabled: false }) },
    wrong: { log: console, trustedProxies: 'loopback' },
  },
  pages: {
    make: pages as Untyped,
    wrong: { apiKey: true, graphiql: 'on', agents: 1, metrics: true, embedOrigins: 'https://a.example' },
  },
  graphiql: { make: graphiql as Untyped, wrong: { apiKey: true, pages: 'on', agents: 1 } },
  mcp: {
    make: mcp as Untyped,
    wrong: { maxRows: '100', maxBytes: '32KB', prompts: 1, oauth: secret, origins: 'https://a.example' },
  },
  metrics: { make: metrics as Untyped, wrong: {} },
  openapi: { make: openapi as Untyped, wrong: {} },
  logflare: { make: logflare as Untyped, wrong: {} },
  deprecation: { make: deprecation as Untyped, wrong: {} },
  shadow: { make: shadow as Untyped, wrong: {} },
};

function problemsOf(make: () => unknown): readonly string[] {
  try {
    make();
  } catch (error) {
    if (error instanceof StartError) return [error.message, ...error.problems.map(({ message }) => message)];
    return [String(error)];
  }
  return [];
}

describe.each(Object.entries(factories))('the options of %s', (name, { make, base = {}, wrong }) => {
  test('that are right have no problems', () => {
    expect(problemsOf(() => make(base))).toEqual([]);
  });

  test('of a wrong kind are in words, and none is shown', () => {
    for (const [option, value] of Object.entries(wrong)) {
      const problems = problemsOf(() => make({ ...base, [option]: value }));
      expect(problems[1]).toMatch(new RegExp(`^${option}: is an? (empty )?\\w+; must be `));
      expect(problems).toHaveLength(2);
      expect(problems.join()).not.toContain('not-to-be-shown');
    }
  });

  test('that are misspelt are named beside the nearest', () => {
    for (const option of Object.keys(wrong)) {
      const problems = problemsOf(() => make({ ...base, [`${option}s`]: undefined }));
      expect(problems[1]).toBe(`${option}s: is not an option; did you mean ${option}?`);
    }
  });

  test('that are a text, or unknown, are problems of them', () => {
    const summary = expect.stringContaining(`The options of ${name} have problems`);
    expect(problemsOf(() => make('quick'))).toEqual([summary, 'its options: is a text; must be an object']);
    const [first, unknown] = problemsOf(() => make({ ...base, frobnicate: 1 }));
    expect(first).toEqual(summary);
    expect(unknown).toMatch(/^frobnicate: is not an option/);
  });
});

test.each([
  ['duckdb', { sandbox: { memory: 1, diskBytes: '1GB' } }, ['sandbox.memory', 'sandbox.diskBytes']],
  ['jwt', { claims: { tenant: 'shop', rate: 5 } }, ['claims.tenant', 'claims.rate']],
  [
    'mcp',
    { oauth: { resource: 'data.example.com', isuer: 'us' } },
    ['oauth.isuer', 'oauth.resource', 'oauth.issuer'],
  ],
])('options of %s that are in another one have its name before theirs', (name, options, names) => {
  const { make, base } = factories[name] ?? expect.fail();
  const [, ...problems] = problemsOf(() => make({ ...base, ...options }));
  expect(problems.map((problem) => problem.split(':')[0])).toEqual(names);
});

test.each([
  ['mcp', 'origins', mcp as Untyped],
  ['pages', 'embedOrigins', pages as Untyped],
])('options of %s that are no origins are said: %s', (_name, option, make) => {
  const problem = (value: readonly string[]) => problemsOf(() => make({ [option]: value }))[1];
  expect(problem(['HTTPS://a.example:443', 'http://localhost:3000'])).toBeUndefined();
  expect(problem(['a.example'])).toMatch(
    new RegExp(`^${option}: got .*; must be .*origins, as in .*; "a.example" has no https:// before it$`),
  );
  expect(problem(['https://a.example/'])).toContain('write https://a.example');
  expect(problem(['https://a.example; script-src *'])).toContain('is not one');
  expect(problem(['https://user:secret@a.example'])).not.toContain('secret');
});

test.each([
  ['maximumBytesBilled', [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 0.5, 1e21], [1, 999_999_999_999_999]],
  ['apiEndpoint', ['ftp://x', '127.0.0.1:9050', 'http://x/y'], ['http://127.0.0.1:9050', 'https://x']],
])('%s of bigquery has the rule of its setting', (option, wrong, right) => {
  const problem = (value: unknown) =>
    problemsOf(() => (bigquery as Untyped)({ projectId: 'project', dataset: 'logs', [option]: value }))[1];
  for (const value of wrong) expect(problem(value)).toMatch(new RegExp(`^${option}: .*must be`));
  for (const value of right) expect(problem(value)).toBeUndefined();
});

test('what is required and missing is named', () => {
  expect(problemsOf(() => (bigquery as Untyped)({})).slice(1)).toEqual([
    'projectId: is missing; must be the id of a Google Cloud project',
    'dataset: is missing; must be the name of a dataset',
  ]);
  for (const make of [jwt, redis, bigquery] as Untyped[])
    expect(problemsOf(() => make(undefined))[1]).toBe('its options: is missing; must be an object');
  expect(problemsOf(() => (keyFile as Untyped)(undefined))[1]).toBe(
    'file: is missing; must be the path of a file',
  );
  expect(problemsOf(() => (redis as Untyped)({}))[1]).toMatch(/^url: is missing; must be the URL of a Redis/);
});
