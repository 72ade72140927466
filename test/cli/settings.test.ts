import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseConfigFile, unreadConfigFile } from '../../src/cli/settings/config-file.ts';
import { hideSecret } from '../../src/cli/settings/hide-secret.ts';
import { loadSettings } from '../../src/cli/settings/load-settings.ts';
import { keyOfSetting } from '../../src/cli/settings/setting-keys.ts';
import { readConfig } from '../../src/config.ts';
import { settingNames } from '../../src/config/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
const file = join(folder, 'settings.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

describe('the file of settings', () => {
  test('has a key for every variable', () => {
    const text = settingNames.map((name) => `${keyOfSetting(name)}: x\n`).join('');
    expect([...parseConfigFile('a.yaml', text).keys()]).toEqual(settingNames);
  });

  test('takes numbers, booleans for on and off, and lists', () => {
    const text =
      'port: 0\npages: false\ngraphql_introspection: on\ncors_origins: [https://a.example, https://b.example]\n';
    const settings = [...parseConfigFile('a.yaml', text)].map(([name, { text }]) => [name, text]);
    expect(settings).toEqual([
      ['PORT', '0'],
      ['PAGES', 'off'],
      ['GRAPHQL_INTROSPECTION', 'on'],
      ['CORS_ORIGINS', 'https://a.example,https://b.example'],
    ]);
  });

  test('keeps numbers as they are written', () => {
    const text =
      'jwt_audience: 123456789012345678901\napi_key: 00123456789012345678901234567890\njwt_issuer: 1.10\ntrust_proxy: [0x1F, 1e999]\n';
    const settings = [...parseConfigFile('a.yaml', text)].map(([name, { text }]) => [name, text]);
    expect(settings).toEqual([
      ['JWT_AUDIENCE', '123456789012345678901'],
      ['API_KEY', '00123456789012345678901234567890'],
      ['JWT_ISSUER', '1.10'],
      ['TRUST_PROXY', '0x1F,1e999'],
    ]);
  });

  test('is refused with every unknown key, its line and the nearest name', () => {
    const text = '# mine\nprot: 1\nDATA_DIR: data\nfrobnicate: 1\nhost: { a: 1 }\n';
    expect(() => parseConfigFile('a.yaml', text)).toThrow(
      [
        'The configuration has problems:',
        '  a.yaml:2 unknown: prot; did you mean port?',
        '  a.yaml:3 unknown: DATA_DIR; did you mean data_dir?',
        '  a.yaml:4 unknown: frobnicate; querygate config prints all keys',
        '  a.yaml:5 host: must be one value, or a list of values, in quotes if it has a colon and a blank',
      ].join('\n'),
    );
  });

  test.each([
    ['- port', 'a.yaml:1 must be one setting on each line, as in port: 4000, without a dash before it'],
    ['port:4000', 'as in port: 4000, with a colon and a blank after its name'],
    ['port=4000', 'as in port: 4000, with a colon and a blank after its name'],
    ['port: [', 'a.yaml:1:7 not valid YAML'],
    ['port: 1\nport: 2', 'a.yaml:2:1 not valid YAML'],
  ])('%j is refused', (text, message) => {
    expect(() => parseConfigFile('a.yaml', text)).toThrow(message);
  });

  test('says what replaces a former setting', () => {
    expect(() => parseConfigFile('a.yaml', 'reload: off\njwt_rate_claim: limit\n')).toThrow(
      [
        'a.yaml:1 reload: is no longer a setting: changed saved queries are always served without a restart',
        'a.yaml:2 jwt_rate_claim: is no longer a setting: write JWT_CLAIMS=rate=limit',
      ].join('\n  '),
    );
  });

  test('may be empty', () => {
    expect(parseConfigFile('a.yaml', '# nothing\n').size).toBe(0);
  });

  test('lists are allowed, and records are not', () => {
    expect(() => parseConfigFile('a.yaml', 'cors_origins: {a: b}')).toThrow(
      'a.yaml:1 cors_origins: must be one value, or a list of values',
    );
  });

  test('must exist if it is named', () => {
    const none = join(folder, 'none.yaml');
    expect(() => loadSettings({}, {}, none)).toThrow(`${none} cannot be read (ENOENT)`);
    expect(() => loadSettings({ QUERYGATE_CONFIG: none }, {})).toThrow(`${none} cannot be read (ENOENT)`);
    expect(loadSettings({}, {}).values).toEqual({});
  });

  test('a file that is not UTF-8 is refused with its line', () => {
    const latin = join(folder, 'latin.yaml');
    writeFileSync(latin, Buffer.from('port: 1\n# gr\xfcn\n', 'latin1'));
    expect(() => loadSettings({}, {}, latin)).toThrow(`${latin}:2 must be UTF-8: iconv -f latin1 -t utf-8`);
  });
});

describe('precedence', () => {
  writeFileSync(file, 'port: 1\nhost: file\nlog_level: warn\n');
  const loaded = loadSettings({ HOST: 'env', PORT: '2', LOG_LEVEL: '' }, { PORT: '3' }, file);

  test('is options, environment, file; an empty value counts as not set', () => {
    expect(loaded.values).toEqual({ PORT: '3', HOST: 'env', LOG_LEVEL: 'warn' });
    const origins = (['PORT', 'HOST', 'LOG_LEVEL', 'ENGINE'] as const).map(loaded.originOf);
    expect(origins).toEqual(['--port', 'HOST', `${file}:3`, undefined]);
  });

  test('messages say where a wrong value was set', () => {
    const wrong = loadSettings({ HOST: 'a', ENGINE: 'x' }, { PORT: '-1' }, file);
    expect(() => readConfig(wrong.values, wrong.label)).toThrow(
      /ENGINE: got "x".*|PORT \(--port\): got "-1"/,
    );
    writeFileSync(file, 'port: x\n');
    const inFile = loadSettings({}, {}, file);
    expect(() => readConfig(inFile.values, inFile.label)).toThrow(`PORT (${file}:1): got "x"`);
    writeFileSync(file, 'api_key: short\nhost: 0.0.0.0\njwt_issuer: x\n');
    const together = loadSettings({}, {}, file);
    const check = () => readConfig(together.values, together.label);
    expect(check).toThrow(`API_KEY (${file}:1): must have at least 20 characters`);
    expect(check).toThrow(`JWT_ISSUER (${file}:3): has no effect`);
  });
});

test('a file querygate.yml is not read, which is said where there is no querygate.yaml', () => {
  const own = mkdtempSync(join(folder, 'yml-'));
  expect(unreadConfigFile(own)).toEqual([]);
  writeFileSync(join(own, 'querygate.yml'), 'port: 1\n');
  expect(unreadConfigFile(own)).toEqual([
    'querygate.yml is not read; did you mean querygate.yaml? --config names another file',
  ]);
  writeFileSync(join(own, 'querygate.yaml'), 'port: 1\n');
  expect(unreadConfigFile(own)).toEqual([]);
});

test('former variables are reported at the start; those that gave rights stop it', () => {
  const loaded = loadSettings({ MCP_MAX_ROWS: '5', METRICS: 'off', HIDE_ENDPOINTS: 'all' }, {});
  expect(loaded.misspelt).toEqual([
    'MCP_MAX_ROWS is no longer a setting: an answer to an agent has at most 100 rows',
    'METRICS is no longer a setting: requests, results and runs are always counted',
  ]);
  expect(() => readConfig(loaded.values, loaded.label)).toThrow(
    'HIDE_ENDPOINTS: is no longer a setting: endpoints that a key may not query are hidden',
  );
});

test.each(['prod', 'prodution', 'PROD'])('NODE_ENV=%s is probably meant as production', (value) => {
  const problem = `: got "${value}"; did you mean production?`;
  expect(loadSettings({ NODE_ENV: value }, {}).misspelt).toEqual([`NODE_ENV${problem}`]);
  expect(loadSettings({}, { NODE_ENV: value }).misspelt).toEqual([`NODE_ENV (--node-env)${problem}`]);
  writeFileSync(file, `node_env: ${value}\n`);
  expect(loadSettings({}, {}, file).misspelt).toEqual([`NODE_ENV (${file}:1)${problem}`]);
});

test.each(['production', 'Production', 'development', 'test', 'staging'])(
  'NODE_ENV=%s is not spoken of',
  (value) => {
    expect(loadSettings({ NODE_ENV: value }, {}).misspelt).toEqual([]);
  },
);

test('origins for frames give a warning where pages are off', () => {
  const EMBED_ORIGINS = 'https://wiki.example.com';
  const warning = [expect.stringMatching(/^EMBED_ORIGINS has no effect, because pages are off; PAGES=on/)];
  const misspelt = (env: Record<string, string>) => loadSettings({ EMBED_ORIGINS, ...env }, {}).misspelt;
  expect(misspelt({ PAGES: 'off' })).toEqual(warning);
  expect(misspelt({ NODE_ENV: 'production' })).toEqual(warning);
  expect(misspelt({ NODE_ENV: 'Production' })).toEqual(warning);
  expect(misspelt({ NODE_ENV: 'production', PAGES: 'on' })).toEqual([]);
  expect(misspelt({})).toEqual([]);
});

describe('secrets are hidden', () => {
  test.each([
    ['API_KEY', 'my-key', '(hidden)'],
    ['API_KEYS_FILE', 'keys.yaml', 'keys.yaml'],
    ['CACHE_URL', 'redis://127.0.0.1:6379/1', 'redis://127.0.0.1:6379/1'],
    ['CACHE_URL', 'rediss://user:hunter2@host:6380/1', 'rediss://(hidden)@host:6380/1'],
    ['CACHE_URL', 'redis://host?password=hunter2', 'redis://host?(hidden)'],
    ['CACHE_URL', 'redis:user:hunter2@host', '(hidden)'],
    ['CACHE_URL', 'redis://user:hunter2@host:99999', '(hidden)'],
    ['STORE_FILE', '/data/store', '/data/store'],
  ] as const)('%s %s is shown as %s', (name, value, shown) => {
    expect(hideSecret(name, value)).toBe(shown);
  });
});
