import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { settingsOf } from '../../src/gateway/options.ts';

describe.each(['EMBED_ORIGINS', 'CORS_ORIGINS'])('%s', (name) => {
  test.each([
    [
      'https://wiki.example.com/x',
      '"https://wiki.example.com/x" has a path, which an origin has not: write https://wiki.example.com',
    ],
    [
      'https://wiki.example.com/',
      '"https://wiki.example.com/" has a / at its end: write https://wiki.example.com',
    ],
    [
      'https://a.example?x=1',
      '"https://a.example?x=1" has a query, which an origin has not: write https://a.example',
    ],
    [
      'http://a.example:80#x',
      '"http://a.example:80#x" has a fragment, which an origin has not: write http://a.example',
    ],
    ['wiki.example.com', '"wiki.example.com" has no https:// before it'],
    [
      'https://a.example;https://b.example',
      '"https://a.example;https://b.example" is more than one: join them by commas',
    ],
    [
      'https://a.example https://b.example',
      '"https://a.example https://b.example" is more than one: join them by commas',
    ],
    ['https://a.example,b/c', '"b/c" is not one'],
    ['ftp://a.example', '"ftp://a.example" is not one'],
  ])('of %s is refused with the part that is wrong', (text, cause) => {
    expect(() => readConfig({ [name]: text })).toThrow(
      new RegExp(`${name}: got ${JSON.stringify(text)}; must be .*; ${cause}$`.replace(/[?]/g, '\\?')),
    );
  });

  test('with a password does not show it', () => {
    expect(() => readConfig({ [name]: 'https://me:hunter2@a.example' })).toThrow(
      /: must be (?!.*hunter2).*; a user and a password are not parts of an origin$/,
    );
  });
});

test('an option of the library says the same', () => {
  const options = { queries: 'queries', keys: [], engine: { name: 'own' } };
  expect(() =>
    settingsOf({ ...options, corsOrigins: ['https://a.example/b'] } as unknown as Parameters<
      typeof settingsOf
    >[0]),
  ).toThrow('"https://a.example/b" has a path, which an origin has not: write https://a.example');
});
