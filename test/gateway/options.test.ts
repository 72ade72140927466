import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { StartError } from '../../src/errors.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { type GatewayOptions, settingsOf } from '../../src/gateway/options.ts';
import { redis } from '../../src/gateway/redis.ts';
import { openServer } from '../../src/http/node/open-server.ts';
import { apiKey } from '../../src/keys/sources/api-key.ts';
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
      corsHeaders: ['x-team:'],
      trustedProxies: ['proxy'],
      basePath: 'warehouse',
    };
    const problems = problemsOf(() => settingsOf(wrong));
    expect(problems.map((message) => /^[\w.]+(?=: got .*; must be )/.exec(message)?.[0])).toEqual([
      'corsOrigins',
      'corsHeaders',
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
  test.each(['', 'two words', 'schlüssel', 'x'.repeat(257), undefined as unknown as string])(
    'the key %j is refused',
    (text) => {
      const [message = ''] = problemsOf(() => apiKey(text));
      expect(message).toBe('apiKey: must be up to 256 printable ASCII characters without spaces');
    },
  );

  test('the URL and the secret of a Redis are refused together, and not shown', () => {
    const problems = problemsOf(() => redis({ url: 'http://me:hunter2@cache', secret: 'hunter3' }));
    expect(problems.map((message) => message.split(':')[0])).toEqual(['url', 'secret']);
    expect(problems.join()).not.toMatch(/hunter/);
  });
});
