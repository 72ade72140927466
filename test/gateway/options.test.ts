import { resolve } from 'node:path';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type BudgetInput, budgetOf } from '../../src/config/budget.ts';
import { StartError } from '../../src/errors.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { type GatewayOptions, settingsOf } from '../../src/gateway/options.ts';
import { costs } from '../../src/plugins/costs/costs.ts';
import { redis } from '../../src/gateway/redis.ts';
import { openServer } from '../../src/http/node/open-server.ts';
import { apiKey } from '../../src/keys/sources/api-key.ts';
import { jwt } from '../../src/keys/sources/jwt.ts';
import { keyFile } from '../../src/keys/sources/key-file.ts';
import { openedEngine } from '../support/test-app.ts';

const run = async () => ({ rows: [], truncated: false });

const options: GatewayOptions = {
  queries: 'queries',
  engine: openedEngine({ source: 'test', run, close: async () => {} }),
  keys: apiKey('a-key-for-tests-only'),
};

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof StartError) return error.problems.map(({ message }) => message);
    throw error;
  }
  return [];
}

describe('options', () => {
  test('have the defaults of the settings', () => {
    const { engineConcurrency, engineQueueLength, engineTimeoutMs, cacheMemoryBytes } = readConfig({});
    expect(settingsOf(options)).toMatchObject({
      engineConcurrency,
      engineQueueLength,
      engineTimeoutMs,
      cacheMemoryBytes,
      corsOrigins: [],
      trustedProxies: undefined,
      basePath: '',
    });
  });

  test('that are wrong are all reported, before anything is opened', async () => {
    const wrong = {
      ...options,
      engineConcurrency: 0,
      engineQueueLength: 1.5,
      engineTimeoutMs: Number.NaN,
      cache: { memoryBytes: 10 },
      corsOrigins: ['https://a.example', 'b.example'],
      trustedProxies: ['proxy'],
      basePath: 'warehouse',
    };
    const problems = problemsOf(() => settingsOf(wrong));
    expect(problems.map((message) => /^[\w.]+(?=: got .*; must be )/.exec(message)?.[0])).toEqual([
      'corsOrigins',
      'trustedProxies',
      'basePath',
      'engineConcurrency',
      'engineQueueLength',
      'engineTimeoutMs',
      'cache.memoryBytes',
    ]);
    await expect(createGateway({ ...wrong, queries: 'there-is-no-such-folder' })).rejects.toThrow(
      'engineConcurrency: got 0; must be a whole number from 1 to 64',
    );
  });

  test('have origins as browsers send them', () => {
    expect(settingsOf({ ...options, corsOrigins: ['HTTPS://A.example:443'] }).corsOrigins).toEqual([
      'https://a.example',
    ]);
    expect(settingsOf({ ...options, corsOrigins: '*' }).corsOrigins).toBe('*');
  });
});

test('a server refuses trusted proxies that are no addresses', () => {
  const open = () => openServer(() => {}, { log: pino({ enabled: false }), trustedProxies: ['proxy'] });
  expect(problemsOf(open)).toEqual([
    expect.stringMatching(/^trustedProxies: got \["proxy"\]; must be addresses/),
  ]);
});

describe('secrets', () => {
  const variable = '; is the variable set that it is read from? It ';
  test.each([
    ['', `is empty${variable}`],
    [undefined, `is undefined${variable}`],
    [null, `is null${variable}`],
    [7, 'is not a text, and '],
    ['key\n', 'has spaces or a line break at its start or end, and '],
    ['two words', ''],
    ['schlüssel', ''],
    ['x'.repeat(257), ''],
  ])('the key %j is refused', (text, problem) => {
    expect(problemsOf(() => apiKey(text as string))).toEqual([
      `apiKey(text): text ${problem}must be up to 256 printable ASCII characters without spaces`,
    ]);
  });

  test('a token without a key says which option is undefined', () => {
    const right = 'give one of jwksUrl, publicKey, secret';
    const undefinedIs = (name: string) => `${name}: is undefined; is the variable set that it is read from?`;
    const options = { issuer: 'https://id.example.com', audience: 'a' };
    expect(problemsOf(() => jwt({ ...options, jwksUrl: undefined }))).toEqual([
      undefinedIs('jwksUrl'),
      right,
    ]);
    expect(problemsOf(() => jwt({ secret: undefined }))).toEqual([undefinedIs('secret'), right]);
    expect(problemsOf(() => jwt(options))).toEqual([right]);
    const claims = { tenants: undefined as unknown as string };
    expect(problemsOf(() => jwt({ secret: 'x'.repeat(32), claims }))).toEqual([
      undefinedIs('claims.tenants'),
    ]);
  });

  test.each([
    [{}, 'must have bytes_per_day, slot_time_per_day or rate'],
    [
      { bytes_per_day: '1PB' },
      'bytes_per_day: must be a size, as in 100MB: a whole number of B, KB, MB, GB, ',
    ],
    [
      { bytes_per_day: '0.5TB' },
      'bytes_per_day: must be a size, as in 100MB: a whole number of B, KB, MB, GB, ',
    ],
    [{ rate: '10GB/h', burst: '20gb' }, 'burst: must be an amount, as in 20GB: a whole number of B, KB, '],
    [{ bytes: '1TB' }, 'unknown: bytes'],
    [{ limits: [{ name: 'rate' }], isTracking: false }, 'unknown: limits, isTracking'],
    ['1TB', "is a text; must be an object, as in { bytes_per_day: '1TB' }"],
  ])('the budget %j is refused', (budget, problem) => {
    const problems = problemsOf(() => costs({ budget: budget as BudgetInput }));
    expect(problems).toEqual([expect.stringContaining(`budget: ${problem}`)]);
  });

  test('a budget may be as in headers, or parsed', () => {
    const budget = budgetOf({ bytes_per_day: '1TB' });
    expect(budget.limits).toEqual([{ name: 'bytes_per_day', unit: 'bytes', amount: 1e12, perMs: 0 }]);
    expect(budgetOf(budget)).toBe(budget);
    for (const given of [budget, { bytes_per_day: '1TB' }])
      expect(costs({ budget: given }).name).toBe('costs');
  });

  test('the URL and the secret of a Redis are refused together, and not shown', () => {
    const problems = problemsOf(() => redis({ url: 'http://me:hunter2@cache', secret: 'hunter3' }));
    expect(problems.map((message) => message.split(':')[0])).toEqual(['url', 'secret']);
    expect(problems.join()).not.toMatch(/hunter/);
  });
});

describe('options of a wrong name or kind', () => {
  const problemsWith = async (given: unknown): Promise<readonly string[]> => {
    const error = await createGateway(given as GatewayOptions).catch((reason: unknown) => reason);
    return error instanceof StartError ? error.problems.map(({ message }) => message) : [String(error)];
  };
  const names = [
    ['queries', 7],
    ['engine', 'duckdb'],
    ['keys', 'a-secret-of-twenty-characters'],
    ['cache', 'redis'],
    ['plugins', { name: 'metrics' }],
    ['reload', 'on'],
    ['hideEndpoints', true],
    ['introspection', 'off'],
    ['trustedDocuments', ['a.json']],
    ['trustedProxies', 'loopback'],
    ['corsOrigins', 'https://a.example'],
    ['basePath', 4],
    ['engineConcurrency', '4'],
    ['engineQueueLength', '4'],
    ['engineTimeoutMs', '4'],
    ['log', console],
    ['writeLine', 'stderr'],
    ['tracer', 'otel'],
    ['now', new Date()],
    ['after', 5],
    ['onProgress', true],
    ['onFiles', true],
    ['onUnusable', true],
  ] as const;

  test.each(names)('%s says what it is and must be', async (name, value) => {
    const [problem, ...others] = await problemsWith({ ...options, [name]: value });
    expect(problem).toMatch(new RegExp(`^${name}: is an? \\w+; must be `));
    expect(problem).not.toContain('a-secret');
    expect(others).toEqual([]);
  });

  test.each(['queries', 'engine', 'keys'])('%s is missing', async (name) => {
    expect(await problemsWith({ ...options, [name]: undefined })).toEqual([
      expect.stringMatching(new RegExp(`^${name}: is missing; must be `)),
    ]);
  });

  test.each(names)('the name of %s may be misspelt', async (name) => {
    const misspelt = `${name}s`;
    expect(await problemsWith({ ...options, [misspelt]: undefined })).toEqual([
      `${misspelt}: is not an option; did you mean ${name}?`,
    ]);
  });

  test('a source of keys that is not made yet, or missing in a list, is no function of requests', async () => {
    const problemOf = async (keys: unknown) => (await problemsWith({ ...options, keys })).join('; ');
    for (const [maker, form] of [
      [apiKey, 'apiKey(text)'],
      [keyFile, "keyFile('keys.yaml')"],
      [jwt, 'jwt({ secret })'],
    ] as const) {
      const problem = `is the function that makes a source, and must be what it makes, as in ${form}`;
      expect(await problemOf(maker)).toBe(`keys: ${problem}`);
      expect(await problemOf([() => undefined, maker])).toBe(`keys: entry 2 ${problem}`);
    }
    expect(await problemOf([options.keys, [options.keys]])).toBe(
      'keys: entry 2 is a list; must be a source itself',
    );
    for (const open of [() => ({}), async () => undefined])
      expect(await problemOf([options.keys, { open }])).toBe(
        'keys: entry 2: open must give an object with a function find',
      );
    expect(await problemOf([options.keys, undefined])).toMatch(/^keys: entry 2 is missing; must be a source/);
    expect(await problemOf(Promise.resolve(options.keys))).toMatch(
      /^keys: is a promise, which is to be awaited; /,
    );
  });

  test.each(['mysql', undefined])('the SQL of an engine is of one of two kinds, not %s', async (sql) => {
    expect(await problemsWith({ ...options, engine: { ...options.engine, sql } })).toEqual([
      "engine: its sql must be 'bigquery' or 'native'",
    ]);
  });

  test('an engine that gives none is named, and one may be opened at once', async () => {
    const opened = (open: () => unknown) => problemsWith({ ...options, engine: { ...options.engine, open } });
    for (const nothing of [() => undefined, async () => ({ run })])
      expect(await opened(nothing)).toEqual([
        'engine: test: open must give an engine, with the functions run and close',
      ]);
    const gateway = await createGateway({
      ...options,
      engine: { ...options.engine, open: () => ({ source: 'test', run, close: async () => {} }) as never },
    });
    await gateway.close();
  });

  test('may be getters of a class', async () => {
    class Options {
      get queries() {
        return options.queries;
      }
      get engine() {
        return options.engine;
      }
      get keys() {
        return options.keys;
      }
    }
    const gateway = await createGateway(new Options());
    expect(gateway.catalog.queries.length).toBeGreaterThan(0);
    await gateway.close();
  });

  test('those in cache, several together, and none at all', async () => {
    expect(await problemsWith({ ...options, cache: { memory: 1, shared: 'redis://host' } })).toEqual([
      'cache.memory: is not an option; did you mean memoryBytes?',
      'cache.shared: is a text; must be what gateways share, as in redis({ url })',
    ]);
    expect(await problemsWith({ querys: 'queries', engine: 'duckdb' })).toHaveLength(4);
    expect(await problemsWith(undefined)).toEqual(['its options: is missing; must be an object']);
  });

  test('a folder that does not exist is not said in variables of the environment', async () => {
    const [problem] = await problemsWith({ ...options, queries: './nowhere' });
    expect(problem).toBe(
      `is not a readable folder of saved queries (ENOENT): there is no folder ${resolve('nowhere')}; querygate new makes it`,
    );
  });
});
