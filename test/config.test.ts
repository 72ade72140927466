import { describe, expect, test } from 'vitest';
import { parseAddressList } from '../src/config/address-list.ts';
import { formerNames, formerSetting } from '../src/config/former-settings.ts';
import { settingNames } from '../src/config/settings.ts';
import { readConfig, readKeySettings } from '../src/config.ts';
import { StartError } from '../src/errors.ts';

describe('configuration', () => {
  test('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 4000,
      host: '127.0.0.1',
      queriesDir: 'queries',
      duckdb: { dataDir: undefined },
      apiKey: undefined,
      corsOrigins: [],
      engine: 'duckdb',
      production: false,
    });
  });

  test('an empty variable counts as not set', () => {
    expect(readConfig({ PORT: '', DATA_DIR: '', API_KEY: '' })).toEqual(readConfig({}));
  });

  test('is frozen', () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  test('reads what is set', () => {
    const env = {
      PORT: '0',
      DUCKDB_MEMORY_LIMIT: '512MB',
      CORS_ORIGINS: 'https://a.example, http://b.example:8080',
    };
    expect(readConfig(env)).toMatchObject({
      port: 0,
      duckdb: { memoryLimit: '512MB' },
      corsOrigins: ['https://a.example', 'http://b.example:8080'],
    });
    expect(readConfig({ CORS_ORIGINS: '*' }).corsOrigins).toBe('*');
  });

  test('reports every invalid value at once, with what would be right', () => {
    const env = {
      PORT: '70000',
      ENGINE: 'postgres',
      ENGINE_TIMEOUT_MS: 'soon',
      ENGINE_CONCURRENCY: '0',
      BIGQUERY_PROJECT: 'My Project',
      BIGQUERY_DATASET: 'project.dataset',
      BIGQUERY_LOCATION: 'E U',
      BIGQUERY_API_ENDPOINT: 'localhost:9050',
      BIGQUERY_MAXIMUM_BYTES_BILLED: '10GB',
      BIGQUERY_START_CHECK: 'yes',
      DUCKDB_MEMORY_LIMIT: 'lots',
      CACHE_MEMORY_LIMIT: '10%',
      LOG_LEVEL: 'loud',
      CORS_ORIGINS: 'example.com',
    };
    let message = '';
    try {
      readConfig(env);
    } catch (error) {
      message = String(error);
    }
    for (const [name, value] of Object.entries(env))
      expect(message).toContain(`  ${name}: got "${value}"; must be `);
  });

  test.each([
    ['HOST', 'http://0.0.0.0', /without a scheme and a port, as in 0\.0\.0\.0$/],
    ['HOST', '0.0.0.0:4000', /without a scheme and a port/],
    ['HOST', '999.1.1.1', /must be an address/],
    ['DATA_DIR', ':demo', /must be a folder, or :demo:; did you mean :demo:\?$/],
    ['STORE_FILE', ':mem:', /must be a file, or :memory:; did you mean :memory:\?$/],
    ['ENGINE', 'postgres://db/x.js', /must be duckdb, bigquery, quack:\/\/host:port, or/],
    ['ENGINE', 'QUACK://h.example:1', /must be duckdb, bigquery, quack:\/\/host:port, or/],
    ['ENGINE', 'DuckDB', /; did you mean duckdb\?$/],
    ['ENGINE', 'bigquerry', /; did you mean bigquery\?$/],
    ['LOG_LEVEL', 'INFO', /; did you mean info\?$/],
    ['LOG_LEVEL', 'warning', /; did you mean warn\?$/],
    ['LOG_LEVEL', 'verbose', /; did you mean debug\?$/],
    ['MCP', 'ON', /must be one of on, off; did you mean on\?$/],
    ['MCP', 'yes', /must be one of on, off; did you mean on\?$/],
    ['PAGES', 'no', /must be one of on, off; did you mean off\?$/],
    ['PAGES', 'false', /must be one of on, off; did you mean off\?$/],
    ['BIGQUERY_START_CHECK', 'no', /must be one of report, stop, off; did you mean off\?$/],
    ['BIGQUERY_START_CHECK', 'true', /must be one of report, stop, off$/],
    ['COMPAT', 'Logflare', /must be logflare$/],
    ['ENGINE_TIMEOUT_MS', '30s', /from 1 to 3600000, without a unit$/],
    ['DATA_RETENTION_DAYS', '30 days', /from 1 to 36500, without a unit$/],
    ['PORT', '-1', /from 0 to 65535$/],
    ['CACHE_MEMORY_LIMIT', '64MiB', /a whole number of up to 6 digits with KB, MB or GB$/],
    ['DUCKDB_MEMORY_LIMIT', '1G', /a whole number with KB, MB, .* or TiB$/],
    ['BIGQUERY_MAXIMUM_BYTES_BILLED', '10GB', /a whole number of bytes, as in 1000000000$/],
    ['BIGQUERY_API_ENDPOINT', 'http://a:9050/v2', /without a path, as in/],
    ['BASE_PATH', '/a b', /of letters, digits and any of/],
    ['BASE_PATH', '/api/', /must be another path than those of the gateway itself, such as \/api/],
    ...['/healthz', '/livez', '/readyz', '/health', '/metrics', '/openapi', '/openapi.json', '/agents'].map(
      (path) => ['BASE_PATH', path, /must be another path than/] as [string, string, RegExp],
    ),
    ['BASE_PATH', '/.well-known/a', /must be another path than/],
    ['CORS_ORIGINS', 'https://*.example.com', /has a \*, which no origin has: name each one$/],
  ])('%s=%s says what would be right', (name, value, right) => {
    expect(() => readConfig({ [name]: value })).toThrow(`  ${name}: got "${value}"; must be `);
    expect(() => readConfig({ [name]: value })).toThrow(right);
  });

  test.each(['0.0.0.0', '::', 'fe80::1%eth0', 'gateway-1.internal', 'localhost'])(
    'HOST=%s is one',
    (HOST) => {
      expect(readConfig({ HOST, NODE_ENV: 'production' }).host).toBe(HOST);
    },
  );

  test('a HOST in brackets, as in a URL, is the address that a socket takes', () => {
    expect(readConfig({ HOST: '[::1]' }).host).toBe('::1');
  });

  test.each([
    'ducklake:postgres:dbname=l password=hunter2',
    'ducklake:postgres:postgresql://me:hunter2@db/l',
    's3://me:hunter2@bucket/x',
  ])('data with a password is refused, and not shown', (DATA_DIR) => {
    expect(() => readConfig({ DATA_DIR })).toThrow(/DATA_DIR: must not have a password(?!.*hunter2)/s);
  });

  test('a URL with a password is not shown', () => {
    expect(() => readConfig({ BIGQUERY_API_ENDPOINT: 'http://me:hunter2@emulator/x' })).toThrow(
      /BIGQUERY_API_ENDPOINT: must be(?!.*hunter2)/s,
    );
  });

  test('a short API_KEY is for development only', () => {
    const short = { API_KEY: 'nineteen-characters' };
    for (const more of [{}, { HOST: 'localhost' }, { HOST: '::1', NODE_ENV: 'test' }]) {
      expect(readConfig({ ...short, ...more }).apiKey).toBe(short.API_KEY);
    }
    const elsewhere = [
      { HOST: '0.0.0.0' },
      { HOST: '::' },
      { NODE_ENV: 'production' },
      { NODE_ENV: 'Production', HOST: 'localhost' },
    ];
    for (const more of elsewhere) {
      expect(() => readConfig({ ...short, ...more })).toThrow(/API_KEY: must have at least 20 characters;/);
      try {
        readConfig({ ...short, ...more });
      } catch (error) {
        expect(String(error)).not.toContain(short.API_KEY);
      }
      expect(readConfig({ API_KEY: 'x'.repeat(20), ...more }).apiKey).toHaveLength(20);
    }
  });

  test('TRUST_PROXY is a list of addresses', () => {
    expect(readConfig({}).trustedProxies).toBeUndefined();
    const { trustedProxies = [] } = readConfig({ TRUST_PROXY: 'loopback, 192.0.2.1,2001:db8::/32, private' });
    const proxies = parseAddressList(trustedProxies);
    for (const address of ['127.0.0.1', '::1', '192.0.2.1', '2001:db8::5', '10.1.2.3', '192.168.0.1']) {
      expect(proxies?.has(address), address).toBe(true);
    }
    for (const address of ['192.0.2.2', '2001:db9::1', '8.8.8.8', '']) {
      expect(proxies?.has(address), address).toBe(false);
    }
    expect(() => readConfig({ TRUST_PROXY: 'proxy.example' })).toThrow(/TRUST_PROXY: got "proxy.example"/);
  });

  test('BigQuery needs a project and a dataset', () => {
    expect(() => readConfig({ ENGINE: 'bigquery', BIGQUERY_LOCATION: '', PORT: 'x' })).toThrow(
      /PORT: .*BIGQUERY_PROJECT: is missing.*BIGQUERY_DATASET: is missing/s,
    );
    const env = {
      ENGINE: 'bigquery',
      BIGQUERY_PROJECT: 'example.com:my-project',
      BIGQUERY_DATASET: 'logs_eu',
      BIGQUERY_MAXIMUM_BYTES_BILLED: '10000000000',
    };
    expect(readConfig(env).bigquery).toEqual({
      projectId: 'example.com:my-project',
      dataset: 'logs_eu',
      location: undefined,
      apiEndpoint: undefined,
      maximumBytesBilled: 10_000_000_000,
      startCheck: 'report',
      definitions: 'sent',
    });
  });

  test('the commands that change keys read two settings and ignore the others', () => {
    const bad = { PORT: 'abc', ENGINE: 'postgres', API_KEY: 'my secret' };
    expect(readKeySettings({ ...bad, API_KEYS_FILE: '' })).toEqual({ queriesDir: 'queries' });
    expect(readKeySettings({ ...bad, API_KEYS_FILE: 'a.yaml', QUERIES_DIR: 'b' })).toEqual({
      apiKeysFile: 'a.yaml',
      queriesDir: 'b',
    });
  });

  test('an invalid key is not shown', () => {
    expect(() => readConfig({ API_KEY: 'my secret' })).toThrow(/API_KEY: must be/);
    expect(() => readConfig({ API_KEY: 'my secret' })).not.toThrow(/secret/);
  });

  test.each([
    'user:hunter2@host',
    'http://user:hunter2@host',
    'redis://user:hunter2%zz@host',
    'redis://user:hunter2%ff@host',
    'redis://user%:hunter2@host',
    'redis://user:hunter2@host/abc',
    'redis://user:hunter2@host/1/2',
    'redis://user:hunter2@host/1.5',
    'redis://user:hunter2@host/-1',
    'redis://user:hunter2@host?db=5',
    'redis://user:hunter2@host/#1',
    'redis://user:hunter2@host:0',
    'redis://',
    'redis:///1',
  ])('an invalid CACHE_URL is not shown: it may contain a password (%s)', (url) => {
    const bad = { CACHE_URL: url };
    expect(() => readConfig(bad)).toThrow(/CACHE_URL: must be/);
    expect(() => readConfig(bad)).not.toThrow(/hunter2/);
  });

  test.each(['redis://host', 'redis://host/', 'rediss://a:b%25%2F%C3%A4@host:1/2'])(
    'CACHE_URL may be %s',
    (url) => {
      expect(readConfig({ CACHE_URL: url }).cacheUrl).toBe(url);
    },
  );

  test('numbers of bytes may have a unit', () => {
    expect(readConfig({ CACHE_URL: 'rediss://a:b@host:1/2', CACHE_MEMORY_LIMIT: '1 GB' })).toMatchObject({
      cacheUrl: 'rediss://a:b@host:1/2',
      cacheMemoryBytes: 1_000_000_000,
    });
  });
});

describe('JWT_CLAIMS', () => {
  const secret = { JWT_SECRET: 's'.repeat(32) };

  test('names claims; others keep their names', () => {
    expect(readConfig({ ...secret, JWT_CLAIMS: 'tenants=/a/b, permissions=scope' }).jwt?.claims).toEqual({
      tenants: '/a/b',
      endpoints: 'endpoints',
      rate: 'rate',
      permissions: 'scope',
    });
  });

  test.each(['tenants', 'tenants=', 'sub=me', '=x', 'constructor=x', `rate=${'x'.repeat(201)}`])(
    'refuses %s',
    (text) => {
      expect(problemsOf({ ...secret, JWT_CLAIMS: text })).toEqual([
        `JWT_CLAIMS: got ${JSON.stringify(text)}; must be names of tenants, endpoints, rate, permissions, as in tenants=/app_metadata/tenants,permissions=scope; tenants? lets tokens without tenants read all`,
      ]);
    },
  );

  test.each(['tenants=a,tenants=b', 'tenants?,tenants=b'])('refuses a name twice: %s', (text) => {
    expect(problemsOf({ ...secret, JWT_CLAIMS: text })).toEqual([
      'JWT_CLAIMS: got "tenants=b"; must name tenants once',
    ]);
  });

  test('has no effect where tokens are not accepted', () => {
    expect(problemsOf({ JWT_CLAIMS: 'tenants=a' })).toEqual([
      'JWT_CLAIMS: has no effect without one of JWT_JWKS_URL, JWT_PUBLIC_KEY, JWT_SECRET',
    ]);
  });

  test.each(['tenants?', 'tenants?=/a/b', 'rate=limit, tenants? = /a/b'])(
    '%s lets tokens without tenants read all',
    (text) => {
      const { jwt } = readConfig({ ...secret, JWT_CLAIMS: text });
      expect(jwt?.allowsWithoutTenants).toBe(true);
      expect(jwt?.claims.tenants).toBe(text.includes('/a/b') ? '/a/b' : 'tenants');
      expect(readConfig({ ...secret, JWT_CLAIMS: 'tenants=a?' }).jwt?.allowsWithoutTenants).toBe(false);
    },
  );
});

describe('former settings', () => {
  test.each([
    ['JWT_ENDPOINTS_CLAIM', 'urn:endpoints', 'write JWT_CLAIMS=endpoints=urn:endpoints'],
    ['JWT_WITHOUT_TENANTS', 'allow', 'JWT_CLAIMS=tenants? lets tokens without tenants read all'],
    [
      'HIDE_ENDPOINTS',
      'all',
      'endpoints that a key may not query are hidden from keys that are bound to tenants',
    ],
  ])('that gave callers rights are refused: %s', (name, value, now) => {
    expect(problemsOf({ [name]: value })).toEqual([`${name}: is no longer a setting: ${now}`]);
    expect(problemsOf({ [name]: '' })).toEqual([]);
  });

  test('are not settings any more, and each says in one line what replaces it', () => {
    expect(formerNames.filter((name) => settingNames.includes(name as never))).toEqual([]);
    for (const name of formerNames)
      expect(formerSetting(name, 'x')).toMatch(/^is no longer a setting: [^\n]{10,90}$/);
  });

  test('name only settings that exist', () => {
    const named = formerNames.flatMap(
      (name) => formerSetting(name, 'x')?.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !settingNames.includes(name as never))).toEqual([]);
  });
});

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    return error instanceof StartError ? error.problems.map(({ message }) => message) : [];
  }
}
