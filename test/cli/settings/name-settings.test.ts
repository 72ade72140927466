import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nameSettings } from '../../../src/cli/settings/name-settings.ts';
import { settingNames } from '../../../src/config/settings.ts';

test('a message of the library names the setting where a user of the command line reads it', () => {
  expect(nameSettings('The data cannot be read:\n  dataDir: got "nope"; must be a folder')).toBe(
    'The data cannot be read:\n  DATA_DIR: got "nope"; must be a folder',
  );
  expect(nameSettings('memoryLimit: got "1KB"')).toBe('DUCKDB_MEMORY_LIMIT: got "1KB"');
  expect(nameSettings('redis.secret is not set: … of redis.url …')).toBe(
    'CACHE_SECRET is not set: … of CACHE_URL …',
  );
});

test('the words of queries stay as they are', () => {
  const problem = 'queries/a.sql:3 columns.dataDir: is not read\n3 | storeFile: text';
  expect(nameSettings(problem)).toBe(problem);
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
