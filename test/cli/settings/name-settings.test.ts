import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { quack } from '../../../src/engines/quack/quack.ts';
import { nameSettings } from '../../../src/cli/settings/name-settings.ts';
import { StartError } from '../../../src/errors.ts';
import { settingNames } from '../../../src/config/settings.ts';
import { withSources } from '../../../src/problems/print-problems.ts';

test('a message of the library names the setting where a user of the command line reads it', () => {
  expect(nameSettings('The data cannot be read:\n  dataDir: got "nope"; must be a folder')).toBe(
    'The data cannot be read:\n  DATA_DIR: got "nope"; must be a folder',
  );
  expect(nameSettings('memoryLimit: got "1KB"')).toBe('DUCKDB_MEMORY_LIMIT: got "1KB"');
  expect(nameSettings('redis.secret is not set: … of redis.url …')).toBe(
    'CACHE_SECRET is not set: … of CACHE_URL …',
  );
});

test('the wrong address of a server is that of ENGINE', () => {
  const wrong = () => quack({ url: 'quack://user:hunter2@host', token: 'a token' });
  expect(wrong).toThrow(StartError);
  try {
    wrong();
  } catch (error) {
    expect(nameSettings(String(error))).toMatch(/^ {2}ENGINE: must be the address of a server/m);
  }
});

test.each([
  ['ENGINE: got "postgres://bob:hunter2@db/x"; must be', 'ENGINE: got "postgres://(hidden)@db/x"; must be'],
  ['redis://:hunter2@h:6379/1 cannot be written', 'redis://(hidden)@h:6379/1 cannot be written'],
  ['there is no folder /srv/http:/bob:hunter2@db', 'there is no folder /srv/http:/(hidden)@db'],
  ['got "http://bob:hun/t@er2@db/a@b"', 'got "http://(hidden)@b"'],
  ['got "https://hunter2@db/a@b"', 'got "https://(hidden)@db/a@b"'],
])('the credentials of a URL are hidden: %s', (text, shown) => {
  expect(nameSettings(text)).toBe(shown);
});

test.each([
  'quack://host:port, or @example/engine',
  's3://bucket/a@b.csv',
  'http://a:1/b "x@y"',
  'a.sql:1:2 @b',
  'as in redis://127.0.0.1:6379 or rediss://user:password@host:6380/1, without ?',
  'file:///@scope/engine.js',
  'http://127.0.0.1:8080/a,b@c',
  'http://localhost:8080/@c',
])('nothing is hidden in %s', (text) => {
  expect(nameSettings(text)).toBe(text);
});

test('the words of queries stay as they are', () => {
  const problem = 'queries/a.sql:3 columns.dataDir: is not read\n3 | storeFile: text';
  expect(nameSettings(problem)).toBe(problem);
});

test('the source below a problem stays as it is, and its carets below its words', () => {
  const source = `select r'^https://[^:/]+:([0-9]+)/.*@' as a, b from t`;
  const problem = { file: 'a.sql', line: 1, column: 1 + source.indexOf('b from'), message: 'wrong' };
  const shown = withSources([problem], { textOf: () => source });
  expect(shown).toContain(source);
  expect(nameSettings(shown)).toBe(shown);
  const message = 'got "http://bob:hunter2@db"';
  expect(nameSettings(withSources([{ ...problem, message }], { textOf: () => source }))).toBe(
    shown.replace('wrong', 'got "http://(hidden)@db"'),
  );
});

test('a text of slashes is read in one pass', () => {
  const text = `a:${'/'.repeat(200_000)}`;
  const start = performance.now();
  expect(nameSettings(text)).toBe(text);
  expect(performance.now() - start).toBeLessThan(1000);
});

test('no message of the library names a variable of the environment', () => {
  // One of its keys has the id API_KEY in logs, and a command that agents copy sends the key of a variable.
  const others = /const apiKeyId = 'API_KEY'|X-API-KEY: \$API_KEY/;
  const names = new RegExp(`\\b(?:${settingNames.filter((name) => name.includes('_')).join('|')})\\b`);
  const folders =
    '{answers,call,catalog,catalog-analysis,engine-contract,engines,gateway,http,keys,plugins,redis,results,trace}';
  const found = globSync(`src/${folders}/**/*.ts`).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && names.test(line) && !others.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
